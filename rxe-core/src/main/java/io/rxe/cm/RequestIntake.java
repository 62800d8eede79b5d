package io.rxe.cm;

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
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.UnsafeBuffer;

/** What comes from peers we have no dialogue with yet: requests, in the order of checks Linux has. */
final class RequestIntake {
    private static final int RC = 0;
    private static final int UC = 1;

    private final CmCore core;
    private final CmConfig config;
    private final Long2ObjectHashMap<Listener> listeners = new Long2ObjectHashMap<>();

    RequestIntake(CmCore core) {
        this.core = core;
        this.config = core.config();
    }

    Long2ObjectHashMap<Listener> listeners() {
        return listeners;
    }

    void onRequest(DirectBuffer mad, int offset, Gid source, long nowNs) {
        Dialogue known = core.table().find(new PeerKey(PeerKey.Kind.COMMUNICATION_ID, source, CmReq.localCaGuid(mad, offset),
            CommunicationIds.local(mad, offset)));
        if (known != null) {
            known.duplicate(CmAttribute.REQ);
            known.onDuplicateRequest(nowNs);
            return;
        }
        if (CommunicationIds.local(mad, offset) == 0 || CmReq.localQpn(mad, offset) == 0) {
            core.counters().drop(CmDropReason.MALFORMED);
            return;
        }
        RejectReason refusal = refusal(mad, offset, source);
        if (refusal != null) {
            reject(mad, offset, source, refusal, nowNs);
            return;
        }
        Listener listener = listeners.get(CmReq.serviceId(mad, offset));
        IncomingRequest request = IncomingRequest.of(mad, offset, source, config.udpPort(), core.drawPsn());
        CmConnection connection = new CmConnection(listener, source, request.sourcePort(), request.offer().type());
        PassiveDialogue dialogue = new PassiveDialogue(core, connection, request, listener, nowNs);
        connection.dialogue(dialogue);
        dialogue.raise(CmEvent.Type.CONNECT_REQUEST, 0, behindHeader(CmReq.privateData(mad, offset)), "");
    }

    /** Why a request cannot be given to an application, or null. Takes the room for its events when it can. */
    private RejectReason refusal(DirectBuffer mad, int offset, Gid source) {
        PeerKey queuePair = new PeerKey(PeerKey.Kind.QUEUE_PAIR, source, CmReq.localCaGuid(mad, offset), CmReq.localQpn(mad, offset));
        if (ConnectionDialogue.endStale(core, queuePair)) {
            return RejectReason.STALE_CONNECTION;
        }
        Listener listener = listeners.get(CmReq.serviceId(mad, offset));
        if (listener == null) {
            return RejectReason.INVALID_SERVICE_ID;
        }
        int transport = CmReq.transportServiceType(mad, offset);
        if (transport != RC && transport != UC) {
            return RejectReason.INVALID_TRANSPORT_TYPE;
        }
        int mtu = CmReq.pathMtu(mad, offset);
        if (mtu < PathMtu.MTU_256.code() || mtu > config.portMtu().code()) {
            return RejectReason.INVALID_PATH_MTU;
        }
        if (!CmReq.primaryRemoteGid(mad, offset).equals(config.gid())) {
            return RejectReason.PRIMARY_REMOTE_GID;
        }
        if (CmReq.primaryLocalGid(mad, offset).isIpv4() != config.gid().isIpv4()
            || !isHeaderValid(mad, offset + CmaHeader.REQ_OFFSET)) {
            return RejectReason.CONSUMER;
        }
        return hasRoom(listener) ? null : RejectReason.NO_RESOURCES;
    }

    private boolean hasRoom(Listener listener) {
        return !core.table().isFull() && listener.hasRoom() && listener.channel().reserve();
    }

    private boolean isHeaderValid(DirectBuffer mad, int offset) {
        int version = CmaHeader.ipVersion(mad, offset);
        return CmaHeader.version(mad, offset) == 0 && (version == 4 || version == 6)
            && CmaHeader.destinationAddress(mad, offset).equals(config.gid());
    }

    private static byte[] behindHeader(byte[] area) {
        return Arrays.copyOfRange(area, CmaHeader.LENGTH, area.length);
    }

    private void reject(DirectBuffer mad, int offset, Gid source, RejectReason reason, long nowNs) {
        UnsafeBuffer reply = core.replies().add(source, nowNs);
        if (reply != null) {
            Messages.rejection(reply, MadHeader.transactionId(mad, offset), 0, CommunicationIds.local(mad, offset), AnsweredMessage.REQ,
                reason);
        }
    }

    void onServiceRequest(DirectBuffer mad, int offset, Gid source, long nowNs) {
        int requestId = SidrReq.requestId(mad, offset);
        Dialogue known = core.table().find(new PeerKey(PeerKey.Kind.SERVICE_REQUEST, source, 0, requestId));
        if (known != null) {
            known.duplicate(CmAttribute.SIDR_REQ);
            known.onDuplicateRequest(nowNs);
            return;
        }
        long serviceId = SidrReq.serviceId(mad, offset);
        SidrStatus refusal = serviceRefusal(mad, offset, serviceId);
        if (refusal != SidrStatus.VALID) {
            UnsafeBuffer reply = core.replies().add(source, nowNs);
            if (reply != null) {
                Messages.serviceReply(reply, MadHeader.transactionId(mad, offset), requestId, serviceId, refusal);
            }
            return;
        }
        Listener listener = listeners.get(serviceId);
        CmConnection connection = new CmConnection(listener, source, CmaHeader.sourcePort(mad, offset + CmaHeader.SIDR_REQ_OFFSET),
            QueuePairType.UD);
        AnswerDialogue dialogue = new AnswerDialogue(core, connection, listener, source, MadHeader.transactionId(mad, offset), requestId,
            nowNs);
        connection.dialogue(dialogue);
        dialogue.raise(CmEvent.Type.CONNECT_REQUEST, 0, behindHeader(SidrReq.privateData(mad, offset)), "");
    }

    private SidrStatus serviceRefusal(DirectBuffer mad, int offset, long serviceId) {
        Listener listener = listeners.get(serviceId);
        if (listener == null) {
            return SidrStatus.UNSUPPORTED;
        }
        if (!isHeaderValid(mad, offset + CmaHeader.SIDR_REQ_OFFSET)) {
            return SidrStatus.REJECTED;
        }
        return hasRoom(listener) ? SidrStatus.VALID : SidrStatus.NO_QUEUE_PAIR;
    }
}
