package io.rxe.cm;

import io.rxe.cm.exchange.Backlog;
import io.rxe.cm.exchange.CmConfig;
import io.rxe.cm.exchange.CmCore;
import io.rxe.cm.exchange.CmCounters;
import io.rxe.cm.exchange.ConnectionTerms;
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
 * Connection management of one NIC.
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
 * <p>Any thread. Commands run on the thread of the engine that owns queue pair 1; queue pairs are modified on the calling thread, so
 * that no engine waits for another.
 */
public final class ConnectionService implements AutoCloseable {
    /** Requests of one listener that may wait for a decision, unless set. */
    public static final int DEFAULT_BACKLOG = 1024;
    private static final int MANAGEMENT_QPN = 1;

    private final CoreThread thread;

    /**
     * @param core         the state machines.
     * @param engineThread the way onto the thread that drives them.
     * @param arrivals     runs a listener when a queue pair receives its next packet, see {@link Nic#onArrival}.
     */
    ConnectionService(CmCore core, EngineThread engineThread, BiConsumer<QueuePair, Runnable> arrivals) {
        this.thread = new CoreThread(core, engineThread, arrivals);
    }

    /**
     * Installs connection management on queue pair 1 of a NIC, with the times and retries of rdma_cm. Call it once per NIC.
     *
     * @param nic     whose engines run already, or are driven by the caller.
     * @param entropy source of IDs, PSNs and source ports; must be hard to guess on a network that is not trusted.
     */
    public static ConnectionService open(Nic nic, Entropy entropy) {
        // Packets are steered by queue pair number, those of queue pair 1 too.
        Engine engine = nic.engine(MANAGEMENT_QPN % nic.engines());
        CmCore core = new CmCore(CmConfig.of(nic.gid(), nic.udpPort(), nic.portMtu(), nic.guid(),
            nic.attributes().localAckDelayCode()), entropy);
        ConnectionService service = new ConnectionService(core, engine.thread(), nic::onArrival);
        service.thread.command(() -> engine.manage(core));
        return service;
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
     * @throws IllegalStateException    if the port has a listener.
     */
    public Listener listen(CmEventChannel channel, PortSpace portSpace, int port, int backlog) {
        long serviceId = portSpace.serviceId(port);
        if (backlog < 1) {
            throw new IllegalArgumentException("backlog " + backlog + " < 1: at least one request must be able to wait");
        }
        Listener listener = new Listener(thread, portSpace, port, new Backlog(backlog));
        ListenerRequests requests = new ListenerRequests(thread, listener, channel);
        thread.command(() -> {
            if (!thread.core().listen(serviceId, requests)) {
                throw new IllegalStateException(portSpace + " port " + port + " has a listener already: close it, or use another port");
            }
        });
        return listener;
    }

    /** Makes a connector whose events arrive in a channel. */
    public Connector connector(CmEventChannel channel) {
        return new Connector(thread, channel);
    }

    /**
     * Brings a new queue pair as far as possible without a peer, as {@code rdma_create_qp} does: RC and UC to INIT, so that receives can
     * be posted before the connection exists; UD to RTS with the Q_Key of rdma_cm.
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

    /**
     * Whether messages wait to be sent. Closing the NIC sends them; a process that ends without closing the NIC should first wait until
     * this is false.
     */
    public boolean hasToSend() {
        return thread.query(thread.core()::hasToSend);
    }

    /** Ends all listeners and connections. The engine sends the peers their messages, at the latest when the NIC is closed. */
    @Override
    public void close() {
        thread.command(thread.core()::endAll);
    }
}
