package io.rxe.cm;

import io.rxe.cm.exchange.Backlog;
import io.rxe.cm.exchange.CmConfig;
import io.rxe.cm.exchange.CmCore;
import io.rxe.cm.exchange.CmCounters;
import io.rxe.cm.exchange.ConnectionTerms;
import io.rxe.device.CloseEach;
import io.rxe.device.Engine;
import io.rxe.device.Nic;
import io.rxe.device.QueuePairs;
import io.rxe.fault.Verb;
import io.rxe.port.EngineThread;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.function.Consumer;

/**
 * Connection management of one NIC. Applications get it from {@code RxeNic.connections()}; it ends with the NIC.
 *
 * <pre>{@code
 *   server                                            client
 *   listen(channel, TCP, 7174)
 *                                                     connector(channel).connect(queuePair, peer, 7174, ...)
 *   CONNECT_REQUEST  <----------- REQ --------------
 *   connection.accept(queuePair, ...)
 *                    ------------ REP ------------->  queue pair to RTR and RTS
 *                    <----------- RTU --------------  ESTABLISHED
 *   ESTABLISHED
 *                             data
 *                    <----------- DREQ -------------  connection.disconnect()
 *   DISCONNECTED     ------------ DREP ------------>  DISCONNECTED
 *   TIMEWAIT_EXIT                                     TIMEWAIT_EXIT
 * }</pre>
 *
 * <p>Any thread may call, but no listener of a channel: calls run commands on the thread of the engine that owns queue pair 1 and return
 * when those have run. None waits for a peer. Queue pairs are modified on the calling thread, so that no engine waits for another.
 */
public final class ConnectionService {
    /** Requests of one listener that may wait for a decision, unless set. */
    public static final int DEFAULT_BACKLOG = 1024;
    private static final int MANAGEMENT_QPN = 1;

    private final CoreThread thread;
    /** Made beforehand: its first use may be where memory is used up. */
    private final Runnable endAll;
    /** The channels in use, which a waiting thread or a listener keeps reachable. */
    private final Map<CmEventChannel, Boolean> channels = Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * @param core         the state machines.
     * @param engineThread the way onto the thread that drives them.
     * @param queuePairs   those of the NIC.
     */
    ConnectionService(CmCore core, EngineThread engineThread, QueuePairs queuePairs) {
        this.thread = new CoreThread(core, engineThread, queuePairs);
        this.endAll = () -> core.endAll(thread.ended());
    }

    /**
     * Installs connection management on queue pair 1 of a NIC, with the times and retries of rdma_cm. For who assembles a NIC; an
     * application calls {@code RxeNic.connections()}.
     *
     * @param nic whose engines run already, or are driven by the caller.
     * @throws IllegalStateException if the NIC has connection management, or is closed or failed.
     */
    public static ConnectionService open(Nic nic) {
        // Packets are steered by queue pair number, those of queue pair 1 too.
        Engine engine = nic.engine(MANAGEMENT_QPN % nic.engines());
        CmCore core = new CmCore(CmConfig.of(nic.gid(), nic.udpPort(), nic.portMtu(), nic.guid(),
            nic.attributes().localAckDelayCode()).withPartitionKeys(nic.partitionKeys()), nic.entropy());
        ConnectionService service = new ConnectionService(core, engine.thread(), nic);
        core.madeRefusals(nic.faults()::onConnectionRequest);
        service.thread.command(() -> engine.manage(core));
        nic.onAsyncEvent(event -> {
            if (event.type() == AsyncEvent.Type.DEVICE_FATAL) {
                service.onDeviceFailed(event.explanation());
            }
        });
        return service;
    }

    /**
     * Sets who learns of peers that have not replied to a request of this side, which is retransmitted; {@link #onUnreachable} may
     * follow. For who assembles a NIC. The listener runs on an engine's thread and must not block.
     */
    public void silentPeers(Consumer<Gid> listener) {
        thread.command(() -> core().silentPeers(listener));
    }

    /**
     * Ends what waits for a reply of a peer that cannot reply, with UNREACHABLE. For who assembles a NIC. Any thread; does not wait.
     *
     * @param why a clause for the explanation: "the request for ... could not be sent: ".
     */
    public void onUnreachable(Gid peer, String why) {
        thread.later(() -> core().onUnreachable(peer, why));
    }

    /** The state machines, for the thread that drives them. */
    public CmCore core() {
        return thread.core();
    }

    /** Counters of messages and drops. */
    public CmCounters counters() {
        return thread.core().counters();
    }

    /** Listens on a port with {@link #DEFAULT_BACKLOG}; see {@link #listen(CmEventChannel, PortSpace, int, int)}. */
    public Listener listen(CmEventChannel channel, PortSpace portSpace, int port) {
        return listen(channel, portSpace, port, DEFAULT_BACKLOG);
    }

    /**
     * Listens on a port ({@code man 3 rdma_listen}).
     *
     * @param channel   where requests arrive as CONNECT_REQUEST events.
     * @param portSpace TCP for connections, UDP for datagram services.
     * @param port      1 to 65535.
     * @param backlog   requests that may wait for a decision, at least 1; further ones are rejected with "no resources".
     * @throws IllegalArgumentException for a port or backlog out of range.
     * @throws IllegalStateException    if the port has a listener, the channel is closed, or the NIC is closed or failed.
     */
    public Listener listen(CmEventChannel channel, PortSpace portSpace, int port, int backlog) {
        requireChannel(channel);
        Objects.requireNonNull(portSpace, "the port space to listen in is null: give TCP, or UDP for datagram services");
        long serviceId = portSpace.serviceId(port);
        if (backlog < 1) {
            throw new IllegalArgumentException("backlog " + backlog + " < 1: at least one request must be able to wait");
        }
        thread.faults().onCall(Verb.RDMA_LISTEN, 0);
        Listener listener = new Listener(thread, portSpace, port, new Backlog(backlog));
        ListenerRequests requests = new ListenerRequests(thread, listener, channel);
        attach(channel);
        thread.command(() -> {
            thread.checkOpen();
            if (!thread.core().listen(serviceId, requests)) {
                throw new IllegalStateException(portSpace + " port " + port + " has a listener already: close it, or use another port");
            }
        });
        return listener;
    }

    /**
     * Says that a port will have a listener ({@code man 3 rdma_bind_addr}): until it has, a request is kept for up to a second instead of
     * being rejected, since programs tell their port before they listen. Each call needs one of {@link #unbind}.
     *
     * @throws IllegalStateException if the NIC is closed or failed.
     */
    public void bind(PortSpace portSpace, int port) {
        long serviceId = portSpace.serviceId(port);
        thread.command(() -> {
            thread.checkOpen();
            thread.core().bind(serviceId);
        });
    }

    /** Undoes one {@link #bind}. */
    public void unbind(PortSpace portSpace, int port) {
        long serviceId = portSpace.serviceId(port);
        thread.command(() -> thread.core().unbind(serviceId));
    }

    /**
     * Makes a connector whose events arrive in a channel.
     *
     * @throws IllegalStateException if the channel is closed, or the NIC is closed or failed.
     */
    public Connector connector(CmEventChannel channel) {
        requireChannel(channel);
        attach(channel);
        return new Connector(thread, channel);
    }

    private static void requireChannel(CmEventChannel channel) {
        Objects.requireNonNull(channel, "the event channel is null: create a CmEventChannel and give it");
    }

    private void attach(CmEventChannel channel) {
        channel.attach(this, thread::wouldBlock, thread.queuePairs().driver());
        channels.put(channel, true);
        if (thread.ended() != null) {
            channel.detach(this, thread.ended());
            thread.checkOpen();
        }
    }

    /**
     * Brings a new queue pair as far as possible without a peer, as {@code rdma_create_qp} does: RC and UC to INIT, so that receives can
     * be posted before the connection exists; UD to RTS with the Q_Key of rdma_cm. All with the first P_Key of the table; connect and
     * accept give RC and UC that of the connection.
     *
     * @throws IllegalArgumentException if the queue pair is not in RESET, or for RC and UC in INIT.
     * @throws IllegalStateException    if the queue pair is closed.
     */
    public static void prepare(QueuePair queuePair) {
        prepare(queuePair, 0);
    }

    /**
     * As {@link #prepare(QueuePair)}, with the P_Key at an index in {@link io.rxe.verbs.Device#partitionKeys}: for a datagram service
     * in another partition than the first.
     *
     * @throws IllegalArgumentException as there, and for an index that the table does not have.
     * @throws IllegalStateException    if the queue pair is closed.
     */
    public static void prepare(QueuePair queuePair, int partitionKeyIndex) {
        Objects.requireNonNull(queuePair, "the queue pair to prepare is null: give one");
        if (queuePair.type() == QueuePairType.UD) {
            queuePair.modify(QueuePairAttributes.to(QueuePairState.INIT).partitionKeyIndex(partitionKeyIndex).port(1)
                .queueKey(ConnectParameters.DEFAULT_QUEUE_KEY));
            queuePair.modify(QueuePairAttributes.to(QueuePairState.RTR));
            queuePair.modify(QueuePairAttributes.to(QueuePairState.RTS).sendPsn(0));
        } else {
            queuePair.modify(QueuePairAttributes.toInit(ConnectionTerms.accessFlags(0)).partitionKeyIndex(partitionKeyIndex));
        }
    }

    /**
     * For the NIC, which calls it when it is closed: ends all listeners and connections, and moves the queue pairs of connections to ERROR.
     * Each connection reports its end; then {@link CmEventChannel#await} says that the NIC is closed. Idempotent.
     */
    public void close() {
        String name = "the NIC at " + thread.core().config().gid().address();
        thread.end(name + " is closed: open another");
        try {
            thread.atClose().forEach(Runnable::run);
            thread.command(() -> thread.core().endAll(name + " was closed"));
        } finally {
            detachChannels();
        }
    }

    /** For faults made on purpose: ends every connection as this side's application would, and goes on listening. */
    public void endConnections(String why) {
        thread.command(() -> thread.core().endExchanges(why));
    }

    /** For the NIC, after {@link #close}: whether messages wait to be sent, or peers have not answered the end of their connection. */
    public boolean isEnding() {
        return thread.query(thread.core()::isEnding);
    }

    /** On the thread that raised the event, which must not wait for an engine. */
    private void onDeviceFailed(String why) {
        thread.end(why);
        try {
            thread.later(endAll);
        } finally {
            // Where memory is used up the command is lost, and who waits must return all the same.
            detachChannels();
        }
    }

    /** Also those behind one whose listener throws: threads wait for each. */
    private void detachChannels() {
        CloseEach.of(Arrays.asList(channels.keySet().toArray(new CmEventChannel[0])), channel -> channel.detach(this, thread.ended()));
    }
}
