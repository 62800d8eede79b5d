package io.rxe.cm;

import io.rxe.cm.exchange.ActiveSide;
import io.rxe.cm.exchange.CmCore;
import io.rxe.cm.exchange.CmExchange;
import io.rxe.cm.exchange.ConnectRequest;
import io.rxe.cm.exchange.ConnectionTerms;
import io.rxe.cm.exchange.ExchangeObserver;
import io.rxe.cm.exchange.PassiveSide;
import io.rxe.cm.exchange.PathLoad;
import io.rxe.cm.exchange.RequestedTerms;
import io.rxe.cm.exchange.SidrResponder;
import io.rxe.cm.mad.CmRej;
import io.rxe.cm.mad.CmRep;
import io.rxe.cm.mad.SidrRep;
import io.rxe.fault.Verb;
import io.rxe.verbs.AlternatePath;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One connection, or one request for a datagram service, from its begin to its end; a connected {@code rdma_cm_id}.
 *
 * <p>Every end is reported by one event with its reason: CONNECT_ERROR, REJECTED, UNREACHABLE or DISCONNECTED. Whatever ends the
 * connection also ends its queue pair, which goes to ERROR and is flushed before the event can be taken; and the end of the queue pair
 * (it failed, the application closed it or moved it to ERROR or RESET) also ends the connection, with a DREQ to the peer. A queue pair
 * that the application modifies itself is not watched.
 *
 * <p>Any thread may call. Calls run commands on the threads of engines and return when those have run; none waits for the peer, whose
 * answers arrive as events. Listeners, which run on the thread of an engine, may call the getters only.
 */
public final class CmConnection implements AutoCloseable {
    /** What this side did with a request of the peer. */
    private enum Decision {
        NONE("neither accepted nor rejected"), ACCEPTED("accepted"), REJECTED("rejected");

        private final String text;

        Decision(String text) {
            this.text = text;
        }
    }

    /** For {@link #toString}. */
    private enum Phase {
        CONNECTING, ESTABLISHED, ENDED
    }

    private final CoreThread thread;
    private final Gid peer;
    private final int peerPort;
    private final QueuePairType type;
    private final boolean isRequest;
    private final AtomicReference<Decision> decision = new AtomicReference<>(Decision.NONE);
    private final ConnectedQueuePair queuePair;
    private volatile CmExchange exchange;
    private int minRnrTimer;
    private long keepAliveNs;
    private volatile ConnectionTerms terms;
    private volatile Object attachment;
    private volatile Phase phase = Phase.CONNECTING;
    /** Why the queue pair ended by itself, or null. */
    private volatile String queuePairEnd;
    private volatile boolean closed;

    /** A connection this side requests. */
    CmConnection(CoreThread thread, Gid peer, int peerPort, QueuePairType type) {
        this(thread, peer, peerPort, type, null);
    }

    /** A connection a peer requests. */
    CmConnection(CoreThread thread, PassiveSide request) {
        this(thread, request.peer(), request.sourcePort(), request.offer().type(), request);
        this.terms = request.offer();
    }

    /** A datagram service a peer resolves. */
    CmConnection(CoreThread thread, SidrResponder request) {
        this(thread, request.peer(), request.sourcePort(), QueuePairType.UD, request);
    }

    private CmConnection(CoreThread thread, Gid peer, int peerPort, QueuePairType type, CmExchange request) {
        this.thread = thread;
        this.queuePair = new ConnectedQueuePair(thread.queuePairs(), this::onArrival, this::onQueuePairEnded);
        this.peer = peer;
        this.peerPort = peerPort;
        this.type = type;
        this.isRequest = request != null;
        this.exchange = request;
    }

    /** Engine. */
    void begin(ConnectRequest request, int ownMinRnrTimer, long ownKeepAliveNs, ExchangeObserver events) {
        CmCore core = thread.core();
        minRnrTimer = ownMinRnrTimer;
        keepAliveNs = ownKeepAliveNs;
        CmExchange begun = type == QueuePairType.UD ? core.resolve(request) : core.connect(request);
        begun.observe(events);
        exchange = begun;
        if (queuePairEnd != null) {
            begun.end(queuePairEnd);
        }
    }

    /** Engine of the queue pair. */
    private void onQueuePairEnded(String why) {
        if (phase == Phase.ENDED) {
            return;
        }
        queuePairEnd = why;
        CmExchange begun = exchange;
        if (begun != null) {
            thread.later(() -> begun.end(why));
        }
    }

    /** Engine of the queue pair. */
    private void onArrival() {
        if (exchange instanceof PassiveSide passive) {
            thread.later(passive::notifyEstablished);
        }
    }

    /** Engine: data may flow. */
    void onEstablished() {
        phase = Phase.ESTABLISHED;
    }

    /** Engine: the exchange ended, so the queue pair ends too. */
    void onExchangeEnded() {
        phase = Phase.ENDED;
        queuePair.requestEnd();
    }

    ConnectedQueuePair connected() {
        return queuePair;
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
        return queuePair.get();
    }

    /**
     * Why the queue pair ended by itself, in a sentence: it failed, the application closed it or moved it to ERROR or RESET. Null if the
     * peer, this side's {@link #disconnect} or {@link #close}, or the NIC ended the connection first.
     */
    public String queuePairEnd() {
        return queuePairEnd;
    }

    /** What the application attached, or null; {@code rdma_cm_id.context}. */
    public Object attachment() {
        return attachment;
    }

    /**
     * Attaches an object of the application, for example the session whose events this connection reports; null for none. Attach before
     * accept, or with {@link ConnectParameters#attachment} before connect, so that the first event finds it.
     */
    public void attachment(Object object) {
        attachment = object;
    }

    /**
     * Accepts a request ({@code man 3 rdma_accept}): brings the queue pair to RTS and sends the REP or SIDR_REP. Post receives before
     * (see {@link ConnectionService#prepare}), because data may arrive at once. For a connection ESTABLISHED follows, or UNREACHABLE,
     * REJECTED or DISCONNECTED; for a datagram service no event. If the peer gave up before, an event says so and the queue pair goes to
     * ERROR. If this throws, the request can still be answered.
     *
     * @param acceptedPair of the type requested and of this NIC, in RESET or INIT, without a connection; for a datagram service UD, in
     *                     RTS, and any number of times.
     * @param parameters   depths, RNR retries, and private data of at most 196 bytes; depths above the peer's offer are lowered to it.
     *                     For a datagram service Q_Key and private data of at most 136 bytes.
     * @throws IllegalArgumentException for a queue pair of another type or NIC or too much private data.
     * @throws IllegalStateException    if this side began the connection, answered the request before or closed it, or the queue pair is
     *                                  in another state or belongs to a connection.
     */
    public void accept(QueuePair acceptedPair, ConnectParameters parameters) {
        Objects.requireNonNull(acceptedPair, "the queue pair to accept with is null: give one, or its number in the parameters");
        checkAccept(parameters);
        if (acceptedPair.type() != type) {
            throw new IllegalArgumentException("a " + acceptedPair.type() + " queue pair cannot accept a request for " + type
                + ": use a queue pair of that type, or reject the request");
        }
        decide(Decision.ACCEPTED);
        try {
            if (exchange instanceof PassiveSide passive) {
                ConnectionTerms agreed = passive.offer().limitedTo(parameters.initiatorDepth(), parameters.responderResources());
                connect(acceptedPair, agreed, parameters);
                terms = agreed;
            } else {
                queuePair.serve(acceptedPair);
            }
        } catch (Throwable e) {
            decision.set(Decision.NONE);
            queuePair.forget();
            throw e;
        }
        reply(parameters, parameters.terms().of(acceptedPair.capabilities()), acceptedPair.number());
    }

    private void connect(QueuePair acceptedPair, ConnectionTerms agreed, ConnectParameters parameters) {
        try {
            queuePair.connect(acceptedPair, agreed, parameters.minRnrTimer(), parameters.keepAliveNs());
        } catch (IllegalArgumentException | IllegalStateException e) {
            // The peer may give up at any moment, which takes the queue pair to ERROR, and which an event reports.
            boolean isTooLate = phase == Phase.ENDED && queuePair.get() == acceptedPair && acceptedPair.state() == QueuePairState.ERROR;
            if (!isTooLate) {
                throw e;
            }
        }
    }

    /**
     * Accepts a request for a queue pair the application modifies itself. It must be able to receive before this call; call
     * {@link #notifyEstablished} when it receives its first packet.
     *
     * @param parameters as above, with the number of the queue pair.
     * @throws IllegalArgumentException for too much private data, or if the number of the queue pair is missing.
     * @throws IllegalStateException    if this side began the connection, answered the request before or closed it.
     */
    public void accept(ConnectParameters parameters) {
        checkAccept(parameters);
        if (parameters.queuePairNumber() == 0) {
            throw new IllegalArgumentException("queue pair number 0: set queuePairNumber, or give the queue pair");
        }
        decide(Decision.ACCEPTED);
        if (exchange instanceof PassiveSide passive) {
            terms = passive.offer().limitedTo(parameters.initiatorDepth(), parameters.responderResources());
        }
        reply(parameters, parameters.terms(), parameters.queuePairNumber());
    }

    private void checkAccept(ConnectParameters parameters) {
        ConnectParameters.require(parameters);
        checkRequest("accepted");
        thread.faults().onCall(Verb.RDMA_ACCEPT, 0);
        ConnectParameters.checkPrivateData(parameters.privateData(),
            type == QueuePairType.UD ? SidrRep.PRIVATE_DATA.length() : CmRep.PRIVATE_DATA.length());
    }

    private void reply(ConnectParameters parameters, RequestedTerms ours, int queuePairNumber) {
        if (exchange instanceof PassiveSide passive) {
            RequestedTerms agreed = ours.withDepths(terms.responderResources(), terms.initiatorDepth());
            if (!thread.query(() -> passive.accept(agreed, queuePairNumber))) {
                queuePair.end();
            }
        } else if (exchange instanceof SidrResponder responder) {
            thread.command(() -> responder.accept(queuePairNumber, parameters.queueKey(), parameters.privateData()));
        }
    }

    /**
     * Rejects a request ({@code man 3 rdma_reject}). No event follows.
     *
     * @param privateData for the application of the peer, at most 148 bytes, for a datagram service 136.
     * @throws IllegalArgumentException for too much private data.
     * @throws IllegalStateException    if this side began the connection, answered the request before or closed it.
     */
    public void reject(byte[] privateData) {
        Objects.requireNonNull(privateData, "the private data to reject with is null: give an array, of 0 bytes for none");
        checkRequest("rejected");
        thread.faults().onCall(Verb.RDMA_REJECT, 0);
        ConnectParameters.checkPrivateData(privateData,
            type == QueuePairType.UD ? SidrRep.PRIVATE_DATA.length() : CmRej.PRIVATE_DATA.length());
        byte[] copy = privateData.clone();
        decide(Decision.REJECTED);
        if (exchange instanceof PassiveSide passive) {
            thread.command(() -> passive.reject(copy));
        } else if (exchange instanceof SidrResponder responder) {
            thread.command(() -> responder.reject(copy));
        }
    }

    private void checkRequest(String what) {
        if (!isRequest) {
            throw new IllegalStateException("this side began the connection with " + peer.address()
                + ", and only requests of peers can be " + what + ": wait for the events of this one");
        }
        checkOpen();
        checkDecision();
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the connection with " + peer.address() + " port " + peerPort
                + " is closed: begin another, or wait for the next request");
        }
    }

    private void checkDecision() {
        Decision before = decision.get();
        if (before != Decision.NONE) {
            throw new IllegalStateException("the request of " + peer.address() + " was " + before.text
                + " before, and is answered once: " + (before == Decision.ACCEPTED ? "end the connection with disconnect or close"
                    : "wait for the next request"));
        }
    }

    private void decide(Decision made) {
        if (!decision.compareAndSet(Decision.NONE, made)) {
            checkDecision();
            decide(made);
        }
    }

    /** After CONNECT_RESPONSE: brings the queue pair given to connect to RTS. */
    void queuePairToReadyToSend() {
        queuePair.toReadyToSend(terms, minRnrTimer, keepAliveNs);
    }

    /** After CONNECT_RESPONSE: the queue pair could not be brought to RTS; false if the connection ended before. */
    boolean rejectReply() {
        return thread.query(((ActiveSide) exchange)::rejectReply);
    }

    /**
     * Sends the RTU ({@code man 3 rdma_establish}): after CONNECT_RESPONSE, when the application has brought its queue pair to RTS
     * itself. No event follows on this side.
     *
     * @return false if the connection is established or ended already; an event says how it ended.
     * @throws IllegalStateException if the peer began the connection.
     */
    public boolean establish() {
        if (isRequest) {
            throw new IllegalStateException("the peer " + peer.address() + " began the connection: accept it; the RTU"
                + " comes from the peer");
        }
        thread.faults().onCall(Verb.RDMA_ESTABLISH, 0);
        return sendReady();
    }

    /** As {@link #establish}, for the event that brought the queue pair to RTS: no fault of the verb, which nobody calls then. */
    boolean sendReady() {
        return thread.query(() -> {
            boolean done = exchange instanceof ActiveSide active && active.establish();
            if (done) {
                onEstablished();
            }
            return done;
        });
    }

    /**
     * Reports that data arrived ({@code man 3 rdma_notify}): the peer is established, even if its RTU was lost. ESTABLISHED follows
     * unless it came before. Only needed for a queue pair the application modifies itself; that of
     * {@link #accept(QueuePair, ConnectParameters)} is watched.
     *
     * @throws IllegalStateException if this side began the connection, or did not accept it.
     */
    public void notifyEstablished() {
        if (!isRequest || decision.get() != Decision.ACCEPTED) {
            throw new IllegalStateException("this side did not accept the connection with " + peer.address()
                + ": only what it accepted waits for data");
        }
        thread.faults().onCall(Verb.RDMA_NOTIFY, 0);
        if (exchange instanceof PassiveSide passive) {
            thread.command(passive::notifyEstablished);
        }
    }

    /**
     * Loads an alternate path on both sides (LAP and APR; rule M1). The peer's queue pair and then this one go to REARM when the
     * applications take the event: ALTERNATE_PATH follows on both sides, here with a status other than 0 if the peer refused or did not
     * answer. The messages travel on the path of the connection's begin.
     *
     * @param path a port of this NIC and a port of the peer's NIC, other than those in use. Its P_Key is that of the connection, whatever
     *             it says.
     * @throws IllegalArgumentException if this NIC has no such port.
     * @throws IllegalStateException    if the peer began the connection, it is not established, its queue pair is the application's to
     *                                  modify, an earlier path waits for its answer, or the event channel is full.
     */
    public void loadAlternatePath(AlternatePath path) {
        Objects.requireNonNull(path, "the alternate path is null: give a port of this NIC and the address of another port of the peer");
        String name = "the connection with " + peer.address();
        if (isRequest || queuePair.get() == null || type != QueuePairType.RC && type != QueuePairType.UC) {
            throw new IllegalStateException(name + " was begun by the peer, is neither RC nor UC, or has a queue pair that the application"
                + " modifies: the side that connected loads paths, or each side modifies its own queue pair");
        }
        checkOpen();
        PathLoad load = LoadedPath.request(path, thread.queuePairs().gids());
        if (!thread.query(() -> exchange instanceof ActiveSide active && active.loadPath(load))) {
            throw new IllegalStateException(name + " is not established, an earlier path waits for its ALTERNATE_PATH event, or the event"
                + " channel is full: wait for that event, and take events");
        }
    }

    /** ALTERNATE_PATH is taken: loads the path, and answers a LAP of the peer. Returns why it could not, or an empty text. */
    String loadPath(PathLoad load) {
        LoadedPath loaded = LoadedPath.of(load, queuePair, thread.queuePairs().gids(), thread.core().config().udpPort());
        if (exchange instanceof PassiveSide passive) {
            thread.command(() -> passive.answerPath(loaded.status()));
        }
        return loaded.why();
    }

    /**
     * Ends the connection ({@code man 3 rdma_disconnect}): moves the queue pair to ERROR, which flushes it, and sends a DREQ.
     * DISCONNECTED follows with the answer of the peer, unless the connection ended before, then TIMEWAIT_EXIT. A peer that does not
     * answer is asked again for up to 98 s. No effect when the connection has ended.
     *
     * @throws IllegalStateException if a peer requested the connection and this side did not accept it, or closed it.
     */
    public void disconnect() {
        checkOpen();
        thread.faults().onCall(Verb.RDMA_DISCONNECT, 0);
        if (phase == Phase.ENDED) {
            return;
        }
        if (isRequest && decision.get() != Decision.ACCEPTED) {
            throw new IllegalStateException("the request of " + peer.address() + " was " + decision.get().text
                + ": only what was accepted can be disconnected; reject or close it");
        }
        end();
    }

    private void end() {
        queuePair.end();
        thread.command(() -> exchange.end(""));
    }

    /**
     * Gives the connection up; no event follows. The queue pair goes to ERROR, and the peer receives the message the state requires (REJ,
     * DREQ or SIDR_REP). Idempotent.
     */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            end();
        }
    }

    /** As {@link #close}, but waits for no engine, because the channel of the connection was closed. */
    void abandon() {
        closed = true;
        thread.later(() -> exchange.end(""));
    }

    @Override
    public String toString() {
        QueuePair pair = queuePair.get();
        String state = closed ? "closed" : isRequest && decision.get() == Decision.NONE ? "requested by the peer"
            : phase.name().toLowerCase(Locale.ROOT);
        return type + " connection with " + peer.address() + " port " + peerPort
            + (pair == null ? "" : " of " + ConnectedQueuePair.name(pair)) + ", " + state;
    }
}
