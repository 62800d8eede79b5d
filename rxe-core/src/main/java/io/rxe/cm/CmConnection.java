package io.rxe.cm;

import io.rxe.cm.mad.CmRej;
import io.rxe.cm.mad.CmRep;
import io.rxe.cm.mad.CmaHeader;
import io.rxe.cm.mad.RejectReason;
import io.rxe.cm.mad.SidrRep;
import io.rxe.cm.mad.SidrStatus;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One connection, or one request for a datagram service, from its begin to its end; an {@code rdma_cm_id} that is connected.
 *
 * <p>Any thread, but one at a time. What a call leads to arrives as an event.
 */
public final class CmConnection implements AutoCloseable {
    private final ConnectionService service;
    private final CmEventChannel channel;
    private final Listener listener;
    private final Gid peer;
    private final int peerPort;
    private final QueuePairType type;
    private final AtomicBoolean taken = new AtomicBoolean();
    private Dialogue dialogue;
    private int minRnrTimer;
    private volatile ConnectionTerms terms;
    private volatile QueuePair queuePair;
    private volatile boolean closed;

    /** One that this side begins. */
    CmConnection(ConnectionService service, CmEventChannel channel, Gid peer, int peerPort, QueuePairType type) {
        this.service = service;
        this.channel = channel;
        this.listener = null;
        this.peer = peer;
        this.peerPort = peerPort;
        this.type = type;
    }

    /** One that a peer asks for. */
    CmConnection(Listener listener, Gid peer, int peerPort, QueuePairType type) {
        this.service = listener.service();
        this.channel = listener.channel();
        this.listener = listener;
        this.peer = peer;
        this.peerPort = peerPort;
        this.type = type;
    }

    /** Engine. */
    void begin(PortSpace portSpace, int queuePairNumber, ConnectParameters parameters) {
        CmCore core = service.core();
        minRnrTimer = parameters.minRnrTimer();
        int sourcePort = parameters.sourcePort() == 0 ? core.drawSourcePort() : parameters.sourcePort();
        ConnectRequest request = new ConnectRequest(peer, portSpace, peerPort, sourcePort, type, queuePairNumber,
            parameters.copy());
        dialogue = portSpace == PortSpace.TCP ? new ActiveDialogue(core, this, request) : new ResolveDialogue(core, this, request);
    }

    /** Engine. */
    void dialogue(Dialogue newDialogue) {
        dialogue = newDialogue;
    }

    Dialogue dialogue() {
        return dialogue;
    }

    CmEventChannel channel() {
        return channel;
    }

    Listener listener() {
        return listener;
    }

    void terms(ConnectionTerms newTerms) {
        terms = newTerms;
    }

    /** Claims a request: for the application when its event is taken, for the engine when its listener closes first. */
    boolean take() {
        return taken.compareAndSet(false, true);
    }

    /** Address of the peer. */
    public Gid peer() {
        return peer;
    }

    /** Port we asked for, or for a request of the peer the port it says it comes from. */
    public int peerPort() {
        return peerPort;
    }

    /** RC or UC; UD for a datagram service. */
    public QueuePairType type() {
        return type;
    }

    /** Our communication ID; for a datagram service the ID of the request. */
    public int localCommunicationId() {
        return dialogue.localId();
    }

    /**
     * What was agreed on: with a CONNECT_REQUEST what the peer offers at most; after an accept, with a CONNECT_RESPONSE and with
     * ESTABLISHED what holds. Null before.
     */
    public ConnectionTerms terms() {
        return terms;
    }

    /** The queue pair that was given to connect or accept, or null. */
    public QueuePair queuePair() {
        return queuePair;
    }

    /**
     * Accepts a request: brings the queue pair to RTS and answers the peer. Post receives before (see
     * {@link ConnectionService#prepare}), for data may come at once. For a connection ESTABLISHED follows, or UNREACHABLE or REJECTED;
     * for a datagram service nothing does.
     *
     * @param acceptedPair of the type asked for, in RESET or INIT; for a datagram service UD, in RTS.
     * @param parameters   private data, depths and RNR retries; depths above what the peer offers are lowered to it. For a datagram
     *                     service private data and queue key.
     * @throws IllegalArgumentException for a queue pair of another type or too much private data.
     * @throws IllegalStateException    when this is not a request, or the queue pair is in use.
     */
    public void accept(QueuePair acceptedPair, ConnectParameters parameters) {
        if (acceptedPair.type() != type) {
            throw new IllegalArgumentException("a " + acceptedPair.type() + " queue pair cannot accept a request for " + type
                + ": use a queue pair of that type, or reject the request");
        }
        checkRequest();
        checkAnswerData(parameters.privateData(), type == QueuePairType.UD ? SidrRep.PRIVATE_DATA_LENGTH : CmRep.PRIVATE_DATA_LENGTH);
        if (type != QueuePairType.UD) {
            terms = terms.limitedTo(parameters.initiatorDepth(), parameters.responderResources());
            initialize(acceptedPair, terms.responderResources());
            service.watch(acceptedPair, this);
            acceptedPair.modify(terms.toReadyToReceive(parameters.minRnrTimer()));
            acceptedPair.modify(terms.toReadyToSend());
        }
        queuePair = acceptedPair;
        answer(parameters, acceptedPair.number());
    }

    /**
     * Accepts a request with a queue pair the application drives itself: it must be ready to receive before this is called.
     *
     * @param parameters with the number of the queue pair.
     */
    public void accept(ConnectParameters parameters) {
        checkRequest();
        checkAnswerData(parameters.privateData(), type == QueuePairType.UD ? SidrRep.PRIVATE_DATA_LENGTH : CmRep.PRIVATE_DATA_LENGTH);
        if (parameters.queuePairNumber() == 0) {
            throw new IllegalArgumentException("queue pair number 0: set queuePairNumber, or give the queue pair");
        }
        if (type != QueuePairType.UD) {
            terms = terms.limitedTo(parameters.initiatorDepth(), parameters.responderResources());
        }
        answer(parameters, parameters.queuePairNumber());
    }

    private void answer(ConnectParameters parameters, int queuePairNumber) {
        service.command(() -> {
            if (dialogue instanceof PassiveDialogue request) {
                request.accept(parameters, queuePairNumber);
            } else if (dialogue instanceof AnswerDialogue request) {
                request.answer(SidrStatus.VALID, queuePairNumber, parameters.queueKey(), parameters.privateData());
            }
        });
    }

    /** Rejects a request; the peer's application gets up to 148 bytes of private data, 136 for a datagram service. */
    public void reject(byte[] privateData) {
        checkRequest();
        checkAnswerData(privateData, type == QueuePairType.UD ? SidrRep.PRIVATE_DATA_LENGTH : CmRej.PRIVATE_DATA_LENGTH);
        byte[] copy = privateData.clone();
        service.command(() -> {
            if (dialogue instanceof PassiveDialogue request) {
                request.reject(RejectReason.CONSUMER, copy);
            } else if (dialogue instanceof AnswerDialogue request) {
                request.answer(SidrStatus.REJECTED, 0, 0, copy);
            }
        });
    }

    private void checkRequest() {
        if (listener == null) {
            throw new IllegalStateException("this connection was begun by this side: only requests of peers are accepted or rejected");
        }
    }

    private static void checkAnswerData(byte[] data, int limit) {
        if (data.length > limit) {
            throw new IllegalArgumentException("private data of " + data.length + " bytes > " + limit
                + ": send less here and the rest over the connection");
        }
    }

    /** What a request may carry beside the header of rdma_cm. */
    static void checkPrivateData(ConnectParameters parameters, PortSpace portSpace) {
        checkAnswerData(parameters.privateData(),
            portSpace == PortSpace.TCP ? CmaHeader.REQ_PRIVATE_DATA_LENGTH : CmaHeader.SIDR_REQ_PRIVATE_DATA_LENGTH);
    }

    /** To INIT, with the rights the peer needs beside those the application gave. */
    void initialize(QueuePair pair, int responderResources) {
        if (!Connector.isUnconnected(pair.state())) {
            throw new IllegalStateException("queue pair 0x" + Integer.toHexString(pair.number()) + " is in " + pair.state()
                + ": give one in RESET or INIT");
        }
        int flags = pair.query().accessFlags() | ConnectionTerms.accessFlags(responderResources);
        pair.modify(QueuePairAttributes.toInit(flags));
        queuePair = pair;
    }

    /**
     * After CONNECT_RESPONSE, when the application drives its queue pair itself: tells the peer that it is ready. There is no event for
     * it on this side.
     *
     * @return false when the connection ended meanwhile; an event says how.
     */
    public boolean establish() {
        boolean[] done = new boolean[1];
        service.command(() -> done[0] = dialogue instanceof ActiveDialogue active && active.establish());
        return done[0];
    }

    /**
     * Tells that data came in: the peer is connected, even if its RTU was lost. ESTABLISHED follows unless it was there; rdma_notify.
     * Only needed for a queue pair the application drives itself; that of {@link #accept(QueuePair, ConnectParameters)} is watched.
     */
    public void notifyEstablished() {
        service.command(this::reached);
    }

    /** Engine: data came in. */
    void reached() {
        if (dialogue instanceof PassiveDialogue passive) {
            passive.notifyEstablished();
        }
    }

    /**
     * Ends the connection: the queue pair goes to ERROR and flushes, the peer is told. DISCONNECTED follows, unless the peer was first,
     * and TIMEWAIT_EXIT after that.
     */
    public void disconnect() {
        queuePairToError();
        service.command(dialogue::disconnect);
    }

    /** Gives it up: no more events. The peer is told, according to how far the connection had come; the queue pair is left alone. */
    @Override
    public void close() {
        closed = true;
        service.command(() -> {
            dialogue.detach();
            dialogue.disconnect();
        });
    }

    /** The taking thread: what has to happen before the application sees an event; null = it shall not see it. */
    CmEvent onTaken(CmEvent event) {
        if (event.type() == CmEvent.Type.CONNECT_REQUEST && !take() || closed) {
            return null;
        }
        return switch (event.type()) {
            case CONNECT_RESPONSE -> queuePair == null ? event : finish(event);
            case REJECTED, UNREACHABLE -> {
                queuePairToError();
                yield event;
            }
            case CONNECT_REQUEST, CONNECT_ERROR, ESTABLISHED, DISCONNECTED, TIMEWAIT_EXIT -> event;
        };
    }

    private CmEvent finish(CmEvent response) {
        try {
            queuePair.modify(terms.toReadyToReceive(minRnrTimer));
            queuePair.modify(terms.toReadyToSend());
        } catch (IllegalArgumentException | IllegalStateException e) {
            service.command(((ActiveDialogue) dialogue)::refuse);
            queuePairToError();
            return new CmEvent(CmEvent.Type.CONNECT_ERROR, this, null, CmEvent.INVALID, new byte[0],
                Explanations.queuePairFailed(this, e));
        }
        return establish() ? new CmEvent(CmEvent.Type.ESTABLISHED, this, null, 0, response.privateData(), "") : null;
    }

    private void queuePairToError() {
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
        return type + " connection with " + Explanations.address(peer) + " port " + peerPort;
    }
}
