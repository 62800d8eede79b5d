package io.rxe.cm.exchange;

import io.rxe.cm.mad.AnsweredMessage;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmReq;
import io.rxe.cm.mad.CmaHeader;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.RejectReason;
import io.rxe.cm.mad.SidrReq;
import io.rxe.cm.mad.SidrStatus;
import io.rxe.verbs.PathMtu;
import java.util.Arrays;
import java.util.function.IntSupplier;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Receives REQ and SIDR_REQ: recognises duplicates, refuses what cannot be served, and begins an exchange for the rest. The checks have
 * the order of Linux ({@code cm_req_handler}, {@code cma_ib_req_handler}), so that peers receive the same reason.
 */
final class ReqHandler {
    private final ExchangeContext context;
    private final CmConfig config;
    private final Long2ObjectHashMap<RequestHandler> handlers = new Long2ObjectHashMap<>();
    private final HeldRequests held = new HeldRequests();
    private IntSupplier madeRefusals = () -> 0;

    ReqHandler(ExchangeContext context) {
        this.context = context;
        this.config = context.config();
    }

    /** See {@link CmCore#madeRefusals}. */
    void madeRefusals(IntSupplier reasons) {
        madeRefusals = reasons;
    }

    /** By service ID. */
    Long2ObjectHashMap<RequestHandler> handlers() {
        return handlers;
    }

    /** Those that wait for a handler. */
    HeldRequests held() {
        return held;
    }

    /** A service ID has a handler now: it gets the requests that waited. */
    void onHandler(long serviceId, long nowNs) {
        for (HeldRequests.Held request = held.take(serviceId); request != null; request = held.take(serviceId)) {
            if (request.attribute() == CmAttribute.REQ) {
                onReq(request.mad(), 0, request.source(), nowNs);
            } else {
                onSidrReq(request.mad(), 0, request.source(), nowNs);
            }
        }
    }

    /** A request has waited in vain. */
    void refuse(HeldRequests.Held request, long nowNs) {
        if (request.attribute() == CmAttribute.REQ) {
            reject(request.mad(), 0, request.source(), RejectReason.INVALID_SERVICE_ID, nowNs);
        } else {
            refuse(request.mad(), 0, request.source(), SidrStatus.UNSUPPORTED, nowNs);
        }
    }

    void onReq(DirectBuffer mad, int offset, Origin source, long nowNs) {
        CmExchange known = context.table().find(new PeerKey(PeerKey.Kind.COMMUNICATION_ID, source.address(),
            CmReq.LOCAL_CA_GUID.get(mad, offset), CommunicationIds.LOCAL.get(mad, offset)));
        if (known != null) {
            if (known.hasIds(CmAttribute.REQ, mad, offset)) {
                known.countDuplicate(CmAttribute.REQ);
                known.onDuplicateRequest(nowNs);
            } else {
                reject(mad, offset, source, RejectReason.DUPLICATE_COMMUNICATION_ID, nowNs);
            }
            return;
        }
        if (CommunicationIds.LOCAL.get(mad, offset) == 0 || CmReq.LOCAL_QPN.get(mad, offset) == 0) {
            context.counters().drop(CmDropReason.MALFORMED);
            return;
        }
        RejectReason refusal = refusal(mad, offset, source);
        if (refusal == RejectReason.INVALID_SERVICE_ID
                && held.hold(CmAttribute.REQ, CmReq.SERVICE_ID.get(mad, offset), mad, offset, source, nowNs)) {
            return;
        }
        if (refusal != null) {
            reject(mad, offset, source, refusal, nowNs);
            return;
        }
        if (!context.requestRate().takeRequest(context.admission().isPeer(source.address()), nowNs)) {
            context.counters().drop(CmDropReason.REQUEST_RATE);
            return;
        }
        int made = madeRefusals.getAsInt();
        if (made != 0) {
            reject(mad, offset, source, RejectReason.of(made), nowNs);
            return;
        }
        RequestHandler handler = handlers.get(CmReq.SERVICE_ID.get(mad, offset));
        if (!reserve(handler, source, nowNs)) {
            reject(mad, offset, source, RejectReason.NO_RESOURCES, nowNs);
            return;
        }
        IncomingRequest request = IncomingRequest.of(mad, offset, source, config, context.drawPsn());
        PassiveSide exchange = new PassiveSide(context, request, handler.backlog(), nowNs);
        handler.onRequest(exchange, behindHeader(CmReq.PRIVATE_DATA.get(mad, offset)));
    }

    /** Why a request can never be given to an application, or null. */
    private RejectReason refusal(DirectBuffer mad, int offset, Origin source) {
        if (!isForItsSource(mad, offset, source)) {
            // The specification has a code for our GID only; Linux uses it for every GID it refuses (IB_CM_REJ_INVALID_GID).
            return RejectReason.PRIMARY_REMOTE_GID;
        }
        PeerKey queuePair = new PeerKey(PeerKey.Kind.QUEUE_PAIR, source.address(), CmReq.LOCAL_CA_GUID.get(mad, offset),
            CmReq.LOCAL_QPN.get(mad, offset));
        if (ConnectionExchange.endStale(context, queuePair)) {
            return RejectReason.STALE_CONNECTION;
        }
        if (!handlers.containsKey(CmReq.SERVICE_ID.get(mad, offset))) {
            return RejectReason.INVALID_SERVICE_ID;
        }
        if (CmTransport.accepting(mad, offset) == null) {
            return RejectReason.INVALID_TRANSPORT_TYPE;
        }
        int mtu = CmReq.PATH_MTU.get(mad, offset);
        if (mtu < PathMtu.MTU_256.code() || mtu > config.portMtu().code()) {
            return RejectReason.INVALID_PATH_MTU;
        }
        if (!CmReq.PRIMARY_REMOTE_GID.get(mad, offset).equals(config.gid()) || !hasPartition(CmReq.PARTITION_KEY.get(mad, offset))) {
            // There is no code for a P_Key; Linux answers with this one to a P_Key it does not have (cm_init_av_by_path).
            return RejectReason.PRIMARY_REMOTE_GID;
        }
        if (!isHeaderValid(mad, offset + CmaHeader.REQ_OFFSET)) {
            return RejectReason.CONSUMER;
        }
        return null;
    }

    /** Whether our queue pair would send to the host that sent the REQ, and not to one that did not ask for it. */
    private static boolean isForItsSource(DirectBuffer mad, int offset, Origin source) {
        return CmReq.PRIMARY_LOCAL_GID.get(mad, offset).equals(source.address());
    }

    private boolean hasPartition(int key) {
        return config.partitionKeys().indexFor(key) >= 0;
    }

    /** Takes room for the exchange and its events. */
    private boolean reserve(RequestHandler handler, Origin source, long nowNs) {
        return handler.backlog().hasRoom() && context.admission().admit(source.address(), nowNs) && handler.reserve();
    }

    private boolean isHeaderValid(DirectBuffer mad, int offset) {
        int version = CmaHeader.IP_VERSION.get(mad, offset);
        return CmaHeader.VERSION.get(mad, offset) == 0 && (version == 4 || version == 6)
            && CmaHeader.destinationAddress(mad, offset).equals(config.gid());
    }

    private static byte[] behindHeader(byte[] area) {
        return Arrays.copyOfRange(area, CmaHeader.LENGTH, area.length);
    }

    private void reject(DirectBuffer mad, int offset, Origin source, RejectReason reason, long nowNs) {
        UnsafeBuffer reply = context.replies().add(source, nowNs);
        if (reply != null) {
            CmMessageWriter.rej(reply, MadHeader.TRANSACTION_ID.get(mad, offset), 0, CommunicationIds.LOCAL.get(mad, offset),
                AnsweredMessage.REQ, reason);
        }
    }

    void onSidrReq(DirectBuffer mad, int offset, Origin source, long nowNs) {
        int requestId = SidrReq.REQUEST_ID.get(mad, offset);
        CmExchange known = context.table().find(new PeerKey(PeerKey.Kind.SERVICE_REQUEST, source.address(), 0, requestId));
        if (known != null) {
            if (known.hasIds(CmAttribute.SIDR_REQ, mad, offset)) {
                known.countDuplicate(CmAttribute.SIDR_REQ);
                known.onDuplicateRequest(nowNs);
            } else {
                known.drop(CmDropReason.WRONG_IDS);
            }
            return;
        }
        long serviceId = SidrReq.SERVICE_ID.get(mad, offset);
        SidrStatus refusal = sidrRefusal(mad, offset, serviceId);
        if (refusal == SidrStatus.UNSUPPORTED && held.hold(CmAttribute.SIDR_REQ, serviceId, mad, offset, source, nowNs)) {
            return;
        }
        if (refusal != SidrStatus.VALID) {
            refuse(mad, offset, source, refusal, nowNs);
            return;
        }
        if (!context.requestRate().takeServiceRequest(nowNs)) {
            context.counters().drop(CmDropReason.REQUEST_RATE);
            return;
        }
        RequestHandler handler = handlers.get(serviceId);
        if (!reserve(handler, source, nowNs)) {
            refuse(mad, offset, source, SidrStatus.NO_QUEUE_PAIR, nowNs);
            return;
        }
        int sourcePort = CmaHeader.SOURCE_PORT.get(mad, offset + CmaHeader.SIDR_REQ_OFFSET);
        SidrResponder exchange = new SidrResponder(context, source, MadHeader.TRANSACTION_ID.get(mad, offset), requestId, serviceId,
            sourcePort, handler.backlog(), nowNs);
        handler.onServiceRequest(exchange, behindHeader(SidrReq.PRIVATE_DATA.get(mad, offset)));
    }

    private void refuse(DirectBuffer mad, int offset, Origin source, SidrStatus status, long nowNs) {
        UnsafeBuffer reply = context.replies().add(source, nowNs);
        if (reply != null) {
            CmMessageWriter.sidrRep(reply, MadHeader.TRANSACTION_ID.get(mad, offset), SidrReq.REQUEST_ID.get(mad, offset),
                SidrReq.SERVICE_ID.get(mad, offset), status);
        }
    }

    /** The status a request is always refused with, or VALID. */
    private SidrStatus sidrRefusal(DirectBuffer mad, int offset, long serviceId) {
        if (!handlers.containsKey(serviceId)) {
            return SidrStatus.UNSUPPORTED;
        }
        return isHeaderValid(mad, offset + CmaHeader.SIDR_REQ_OFFSET) && hasPartition(SidrReq.PARTITION_KEY.get(mad, offset))
            ? SidrStatus.VALID : SidrStatus.REJECTED;
    }
}
