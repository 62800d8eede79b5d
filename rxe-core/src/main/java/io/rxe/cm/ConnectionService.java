package io.rxe.cm;

import io.rxe.device.Engine;
import io.rxe.device.Nic;
import io.rxe.port.EngineThread;
import io.rxe.port.Entropy;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import java.util.function.BiConsumer;

/**
 * Connection management as applications see it; one for each NIC.
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
 * <p>Any thread. Commands run on the engine's thread; queue pairs are changed on the calling thread, so that no engine ever waits for
 * another.
 */
public final class ConnectionService implements AutoCloseable {
    /** Requests of one listener that may wait for the application unless told otherwise. */
    public static final int DEFAULT_BACKLOG = 1024;
    private static final int MANAGEMENT_QPN = 1;

    private final CmCore core;
    private final EngineThread thread;
    private final BiConsumer<QueuePair, Runnable> arrivals;

    /**
     * @param core     what drives the messages.
     * @param thread   the way onto the thread that drives it.
     * @param arrivals lets a listener know when the next packet has come over a queue pair, see {@link Nic#onArrival}.
     */
    ConnectionService(CmCore core, EngineThread thread, BiConsumer<QueuePair, Runnable> arrivals) {
        this.core = core;
        this.thread = thread;
        this.arrivals = arrivals;
    }

    /**
     * Puts connection management in charge of queue pair 1 of a NIC, with the times of rdma_cm. Call it once for each NIC.
     *
     * @param nic     whose engines run already, or are driven by the caller.
     * @param entropy where IDs, PSNs and source ports come from; hard to guess on a real network.
     */
    public static ConnectionService open(Nic nic, Entropy entropy) {
        // Packets for a queue pair go to the engine of its number, those for queue pair 1 too.
        Engine engine = nic.engine(MANAGEMENT_QPN % nic.engines());
        CmCore core = new CmCore(CmConfig.of(nic.gid(), nic.udpPort(), nic.portMtu(), nic.guid(),
            nic.attributes().localAckDelayCode()), entropy);
        ConnectionService service = new ConnectionService(core, engine.thread(), nic::onArrival);
        service.command(() -> engine.manage(core));
        return service;
    }

    /** The core, for the thread that drives it. */
    public CmCore core() {
        return core;
    }

    /** Counters of its messages. */
    public CmCounters counters() {
        return core.counters();
    }

    /** Listens on a port; see {@link #listen(CmEventChannel, PortSpace, int, int)}. */
    public Listener listen(CmEventChannel channel, PortSpace portSpace, int port) {
        return listen(channel, portSpace, port, DEFAULT_BACKLOG);
    }

    /**
     * Listens on a port.
     *
     * @param channel   where requests arrive.
     * @param portSpace TCP for connections, UDP for datagram services.
     * @param port      1 to 65535.
     * @param backlog   requests that may wait to be accepted; more are refused for want of resources.
     * @throws IllegalArgumentException for a port or backlog out of range.
     * @throws IllegalStateException    when the port has a listener.
     */
    public Listener listen(CmEventChannel channel, PortSpace portSpace, int port, int backlog) {
        portSpace.serviceId(port);
        if (backlog < 1) {
            throw new IllegalArgumentException("backlog " + backlog + " < 1: at least one request must be able to wait");
        }
        Listener listener = new Listener(this, channel, portSpace, port, backlog);
        command(() -> core.listen(listener));
        return listener;
    }

    /** Makes what begins connections. */
    public Connector connector(CmEventChannel channel) {
        return new Connector(this, channel);
    }

    /**
     * Brings a new queue pair as far as it can go without a peer, as rdma_create_qp does: RC and UC to INIT, so that receives can be
     * posted before the connection exists; UD to RTS with the queue key of rdma_cm.
     */
    public static void prepare(QueuePair queuePair) {
        if (queuePair.type() == QueuePairType.UD) {
            queuePair.modify(QueuePairAttributes.to(QueuePairState.INIT).partitionKeyIndex(0).port(1)
                .queueKey(ConnectParameters.DEFAULT_QUEUE_KEY));
            queuePair.modify(QueuePairAttributes.to(QueuePairState.RTR));
            queuePair.modify(QueuePairAttributes.to(QueuePairState.RTS).sendPsn(0));
        } else {
            queuePair.modify(QueuePairAttributes.toInit(ConnectionTerms.accessFlags(0)));
        }
    }

    /** Runs a command on the engine's thread and makes it look at what it changed. */
    void command(Runnable command) {
        thread.call(command);
        thread.wake();
    }

    /** The first packet over the queue pair shows that the peer is connected, if its RTU was lost or is late. */
    void watch(QueuePair queuePair, CmConnection connection) {
        arrivals.accept(queuePair, () -> {
            // The queue pair may be another engine's, and no engine may wait for another.
            core.onReached(connection);
            thread.wake();
        });
    }

    /** Whether messages wait to leave. Closing the NIC sends them; a process that ends without should wait until there are none. */
    public boolean hasToSend() {
        boolean[] waiting = new boolean[1];
        command(() -> waiting[0] = core.hasToSend());
        return waiting[0];
    }

    /** Ends every listener and connection, and has peers told: by the engine while it runs, at the latest when the NIC is closed. */
    @Override
    public void close() {
        command(core::endAll);
    }
}
