package io.rxe.cm;

import io.rxe.cm.exchange.ActiveSide;
import io.rxe.cm.exchange.CmCore;
import io.rxe.cm.exchange.CmErrorMessages;
import io.rxe.cm.exchange.CmExchange;
import io.rxe.cm.exchange.ConnectRequest;
import io.rxe.cm.exchange.ConnectionTerms;
import io.rxe.cm.exchange.ExchangeObserver;
import io.rxe.cm.exchange.PassiveSide;
import io.rxe.cm.exchange.RequestedTerms;
import io.rxe.cm.exchange.SidrResponder;
import io.rxe.cm.mad.CmRej;
import io.rxe.cm.mad.CmRep;
import io.rxe.cm.mad.SidrRep;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;

/**
 * One connection, or one request for a datagram service, from its begin to its end; a connected {@code rdma_cm_id}.
 *
 * <p>Any thread, but one at a time. The results of calls arrive as events.
 */
public final class CmConnection implements AutoCloseable {
    private final CoreThread thread;
    private final Gid peer;
    private final int peerPort;
    private final QueuePairType type;
    private final boolean isRequest;
    private CmExchange exchange;
    private int minRnrTimer;
    private volatile ConnectionTerms terms;
    private volatile QueuePair queuePair;
    private volatile boolean closed;

    /** A connection this side requests. */
    CmConnection(CoreThread thread, Gid peer, int peerPort, QueuePairType type) {
        this.thread = thread;
        this.peer = peer;
        this.peerPort = peerPort;
        this.type = type;
        this.isRequest = false;
    }

    /** A connection a peer requests. */
    CmConnection(CoreThread thread, PassiveSide request) {
        this.thread = thread;
        this.peer = request.peer();
        this.peerPort = request.sourcePort();
        this.type = request.offer().type();
        this.isRequest = true;
        this.exchange = request;
        this.terms = request.offer();
    }

    /** A datagram service a peer resolves. */
    CmConnection(CoreThread thread, SidrResponder request) {
        this.thread = thread;
        this.peer = request.peer();
        this.peerPort = request.sourcePort();
        this.type = QueuePairType.UD;
        this.isRequest = true;
        this.exchange = request;
    }

    /** Engine. */
    void begin(ConnectRequest request, int ownMinRnrTimer, ExchangeObserver observer) {
        CmCore core = thread.core();
        minRnrTimer = ownMinRnrTimer;
        exchange = type == QueuePairType.UD ? core.resolve(request) : core.connect(request);
        exchange.observe(observer);
    }

    CmExchange exchange() {
        return exchange;
    }

    void terms(ConnectionTerms newTerms) {
        terms = newTerms;
    }

    boolean isClosed() {
        return closed;
    }

    /** Address of the peer. */
    public Gid peer() {
        return peer;
    }

    /** Port of the service this side requested; for a request of the peer, the port the peer claims to come from. */
    public int peerPort() {
        return peerPort;
    }

    /** RC or UC; UD for a datagram service. */
    public QueuePairType type() {
        return type;
    }

    /** Our communication ID; for a datagram service the request ID. Never 0. */
    public int localCommunicationId() {
        return exchange.localId();
    }

    /**
     * What both sides agreed on. After CONNECT_REQUEST, the most the peer offers; after accept, CONNECT_RESPONSE and ESTABLISHED, what
     * holds. Null before, and for a datagram service a peer resolves.
     */
    public ConnectionTerms terms() {
        return terms;
    }

    /** The queue pair given to connect or accept, or null. */
    public QueuePair queuePair() {
        return queuePair;
    }

    /**
     * Accepts a request ({@code man 3 rdma_accept}): brings the queue pair to RTS and sends the REP or SIDR_REP. Post receives before
     * (see {@link ConnectionService#prepare}), because data may arrive at once. For a connection ESTABLISHED follows, or UNREACHABLE or
     * REJECTED; for a datagram service no event.
     *
     * @param acceptedPair of the type requested, in RESET or INIT; for a datagram service UD, in RTS.
     * @param parameters   depths, RNR retries, and private data of at most 196 bytes; depths above the peer's offer are lowered to it.
     *                     For a datagram service Q_Key and private data of at most 136 bytes.
     * @throws IllegalArgumentException for a queue pair of another type or too much private data.
     * @throws IllegalStateException    if this side began the connection, or the queue pair is in another state.
     */
    public void accept(QueuePair acceptedPair, ConnectParameters parameters) {
        if (acceptedPair.type() != type) {
            throw new IllegalArgumentException("a " + acceptedPair.type() + " queue pair cannot accept a request for " + type
                + ": use a queue pair of that type, or reject the request");
        }
        checkAccept(parameters);
        if (exchange instanceof PassiveSide passive) {
            terms = terms.limitedTo(parameters.initiatorDepth(), parameters.responderResources());
            initialize(acceptedPair, terms.responderResources());
            thread.watch(acceptedPair, passive);
            acceptedPair.modify(terms.toReadyToReceive(parameters.minRnrTimer()));
            acceptedPair.modify(terms.toReadyToSend());
        }
        queuePair = acceptedPair;
        reply(parameters, acceptedPair.number());
    }

    /**
     * Accepts a request for a queue pair the application modifies itself. It must be able to receive before this call; call
     * {@link #notifyEstablished} when it receives its first packet.
     *
     * @param parameters as above, with the number of the queue pair.
     * @throws IllegalArgumentException for too much private data, or if the number of the queue pair is missing.
     * @throws IllegalStateException    if this side began the connection.
     */
    public void accept(ConnectParameters parameters) {
        checkAccept(parameters);
        if (parameters.queuePairNumber() == 0) {
            throw new IllegalArgumentException("queue pair number 0: set queuePairNumber, or give the queue pair");
        }
        if (type != QueuePairType.UD) {
            terms = terms.limitedTo(parameters.initiatorDepth(), parameters.responderResources());
        }
        reply(parameters, parameters.queuePairNumber());
    }

    private void checkAccept(ConnectParameters parameters) {
        checkRequest();
        ConnectParameters.checkPrivateData(parameters.privateData(),
            type == QueuePairType.UD ? SidrRep.PRIVATE_DATA_LENGTH : CmRep.PRIVATE_DATA_LENGTH);
    }

    private void reply(ConnectParameters parameters, int queuePairNumber) {
        if (exchange instanceof PassiveSide passive) {
            RequestedTerms agreed = parameters.terms().withDepths(terms.responderResources(), terms.initiatorDepth());
            thread.command(() -> passive.accept(agreed, queuePairNumber));
        } else if (exchange instanceof SidrResponder responder) {
            thread.command(() -> responder.accept(queuePairNumber, parameters.queueKey(), parameters.privateData()));
        }
    }

    /**
     * Rejects a request ({@code man 3 rdma_reject}). No event follows.
     *
     * @param privateData for the application of the peer, at most 148 bytes, for a datagram service 136.
     * @throws IllegalArgumentException for too much private data.
     * @throws IllegalStateException    if this side began the connection.
     */
    public void reject(byte[] privateData) {
        checkRequest();
        ConnectParameters.checkPrivateData(privateData,
            type == QueuePairType.UD ? SidrRep.PRIVATE_DATA_LENGTH : CmRej.PRIVATE_DATA_LENGTH);
        byte[] copy = privateData.clone();
        if (exchange instanceof PassiveSide passive) {
            thread.command(() -> passive.reject(copy));
        } else if (exchange instanceof SidrResponder responder) {
            thread.command(() -> responder.reject(copy));
        }
    }

    private void checkRequest() {
        if (!isRequest) {
            throw new IllegalStateException("this side began the connection: only requests of peers can be accepted or rejected");
        }
    }

    /** Brings a queue pair to INIT; adds the remote access the peer needs to what the application allowed. */
    void initialize(QueuePair pair, int responderResources) {
        if (pair.state() != QueuePairState.RESET && pair.state() != QueuePairState.INIT) {
            throw new IllegalStateException("queue pair 0x" + Integer.toHexString(pair.number()) + " is in " + pair.state()
                + ": give one in RESET or INIT");
        }
        int flags = pair.query().accessFlags() | ConnectionTerms.accessFlags(responderResources);
        pair.modify(QueuePairAttributes.toInit(flags));
        queuePair = pair;
    }

    /** After CONNECT_RESPONSE: brings the queue pair given to connect to RTS. */
    void queuePairToReadyToSend() {
        queuePair.modify(terms.toReadyToReceive(minRnrTimer));
        queuePair.modify(terms.toReadyToSend());
    }

    /** After CONNECT_RESPONSE: the queue pair could not be brought to RTS. */
    void rejectReply() {
        thread.command(((ActiveSide) exchange)::rejectReply);
    }

    /**
     * Sends the RTU ({@code man 3 rdma_establish}): after CONNECT_RESPONSE, when the application has brought its queue pair to RTS
     * itself. No event follows on this side.
     *
     * @return false if the connection ended before; an event says how.
     */
    public boolean establish() {
        return thread.query(() -> exchange instanceof ActiveSide active && active.establish());
    }

    /**
     * Reports that data arrived ({@code man 3 rdma_notify}): the peer is established, even if its RTU was lost. ESTABLISHED follows
     * unless it came before. Only needed for a queue pair the application modifies itself; that of
     * {@link #accept(QueuePair, ConnectParameters)} is watched.
     */
    public void notifyEstablished() {
        if (exchange instanceof PassiveSide passive) {
            thread.command(passive::notifyEstablished);
        }
    }

    /**
     * Ends the connection ({@code man 3 rdma_disconnect}): moves the queue pair to ERROR, which flushes it, and sends a DREQ.
     * DISCONNECTED follows, unless the peer disconnected first, then TIMEWAIT_EXIT.
     */
    public void disconnect() {
        queuePairToError();
        thread.command(exchange::disconnect);
    }

    /**
     * Gives the connection up; no event follows. The peer receives the message the state requires (REJ, DREQ or SIDR_REP). The queue pair
     * keeps its state.
     */
    @Override
    public void close() {
        closed = true;
        thread.command(exchange::disconnect);
    }

    void queuePairToError() {
        QueuePair pair = queuePair;
        if (pair == null || pair.type() == QueuePairType.UD) {
            return;
        }
        try {
            pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        } catch (IllegalStateException alreadyClosed) {
            queuePair = null;
        }
    }

    @Override
    public String toString() {
        return type + " connection with " + CmErrorMessages.address(peer) + " port " + peerPort;
    }
}
