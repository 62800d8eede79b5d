package io.rxe.bench.perftest;

import io.rxe.cm.CmConnection;
import io.rxe.cm.CmEvent;
import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.ConnectionService;
import io.rxe.cm.Listener;
import io.rxe.cm.PortSpace;
import io.rxe.cm.mad.RejectReason;
import io.rxe.cm.mad.SidrStatus;
import io.rxe.verbs.Device;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The connections of a test that uses connection management: one for the conversation and, unless keys are traded for them, one for
 * each queue pair of the test, all on the same port.
 *
 * <pre>
 *   client                            server
 *     | == control connection ========> |
 *     | -- preface, an empty record --> |
 *     | == one for each queue pair ===> |   (datagrams: asks for the service, then tells its number in a datagram if it will be sent to)
 *     | -- an empty record, the test -> |
 * </pre>
 */
public final class ManagedConnections implements AutoCloseable {
    private static final int EVENTS = 4 * (TestQueues.MAX_QUEUE_PAIRS + 16);
    private static final long ANSWER_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long CONNECT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long GOODBYE_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long FOREVER_NS = TimeUnit.DAYS.toNanos(1);
    private static final int TRIES = 10;
    private static final long PAUSE_MS = 100;
    private static final int RETRIES = 7;

    private final Device device;
    private final ConnectionService service;
    private final CmEventChannel events = new CmEventChannel(EVENTS);
    private final List<Listener> listeners = new ArrayList<>();
    private final List<CmConnection> connections = new ArrayList<>();
    private final List<CmEvent> waiting = new ArrayList<>();
    private final int port;
    private final Gid server;
    private CmConnection control;
    private boolean closed;

    /**
     * @param service connection management of the device's NIC; closed together with this.
     * @param port    of the server.
     * @param server  its address, or null when this is the server.
     */
    public ManagedConnections(Device device, ConnectionService service, int port, Gid server) {
        this.device = device;
        this.service = service;
        this.port = port;
        this.server = server;
    }

    boolean isClient() {
        return server != null;
    }

    String peer() {
        return control == null ? String.valueOf(server) : control.peer().toString();
    }

    /** The server: from now on clients find it. */
    public void listen() {
        listeners.add(service.listen(events, PortSpace.TCP, port));
        listeners.add(service.listen(events, PortSpace.UDP, port));
    }

    /**
     * Makes the control connection: as the server, which listens, waits for one as long as it takes.
     *
     * @throws IOException when the server cannot be reached; says why.
     */
    public ControlLink control() throws IOException {
        ManagedLink link = new ManagedLink(device, this);
        boolean connected = false;
        try {
            control = isClient() ? connect(link.queuePair(), parameters(0).timeoutNs(CONNECT_NS), 1)
                : accept(link.queuePair(), parameters(0), FOREVER_NS);
            connected = true;
            return link;
        } finally {
            if (!connected) {
                link.close();
            }
        }
    }

    /** Connects the queue pairs of the test, in order. */
    void connect(PerftestPlan plan, TestEndpoint endpoint) throws IOException {
        for (int i = 0; i < plan.queues().queuePairs(); i++) {
            QueuePair queuePair = endpoint.queuePair(i);
            ConnectParameters parameters = parameters(plan.verb().isReadOrAtomic() ? plan.path().outstandingReads() : 0)
                .pathMtu(plan.path().pathMtu());
            if (plan.isDatagram()) {
                datagrams(plan, endpoint, i, parameters);
            } else if (isClient()) {
                connections.add(connect(queuePair, parameters, TRIES));
            } else {
                connections.add(accept(queuePair, parameters, ANSWER_NS));
            }
        }
    }

    private void datagrams(PerftestPlan plan, TestEndpoint endpoint, int index, ConnectParameters parameters)
        throws IOException {
        if (!isClient()) {
            // The datagram with the peer's number finds no receive and is dropped: the key record has that number too.
            accept(endpoint.queuePair(index), parameters, ANSWER_NS);
            return;
        }
        CmConnection asked = resolve(parameters);
        if (plan.kind().isLatency() || plan.isBidirectional()) {
            endpoint.sendOwnNumber(index, asked.terms());
        }
    }

    private static ConnectParameters parameters(int depth) {
        return new ConnectParameters().responderResources(depth).initiatorDepth(depth).retryCount(RETRIES).rnrRetry(RETRIES);
    }

    /** @param tries more than one only for a queue pair without receives: they would be lost. */
    private CmConnection connect(QueuePair queuePair, ConnectParameters parameters, int tries) throws IOException {
        for (int attempt = 1;; attempt++) {
            CmConnection connection = service.connector(events).connect(queuePair, server, port, parameters);
            CmEvent event = next(connection, ANSWER_NS);
            if (event.type() == CmEvent.Type.ESTABLISHED) {
                return connection;
            }
            if (!nobodyListens(event) || attempt == tries) {
                throw failed(event);
            }
            pause(PAUSE_MS);
            queuePair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        }
    }

    private CmConnection accept(QueuePair queuePair, ConnectParameters parameters, long timeoutNs) throws IOException {
        CmEvent event = next(null, timeoutNs);
        while (event.type() != CmEvent.Type.CONNECT_REQUEST || event.connection().type() != queuePair.type()) {
            if (event.type() == CmEvent.Type.CONNECT_REQUEST) {
                event.connection().reject(new byte[0]);
            }
            event = next(null, timeoutNs);
        }
        event.connection().accept(queuePair, parameters);
        return event.connection();
    }

    private CmConnection resolve(ConnectParameters parameters) throws IOException {
        for (int attempt = 1;; attempt++) {
            CmConnection asked = service.connector(events).resolve(server, port, parameters);
            CmEvent event = next(asked, ANSWER_NS);
            if (event.type() == CmEvent.Type.ESTABLISHED) {
                return asked;
            }
            if (!nobodyListens(event) || attempt == TRIES) {
                throw failed(event);
            }
            pause(PAUSE_MS);
        }
    }

    /** Between two connections the original listens to nobody for a moment. */
    private static boolean nobodyListens(CmEvent event) {
        return event.type() == CmEvent.Type.REJECTED && event.status() == RejectReason.INVALID_SERVICE_ID.code()
            || event.type() == CmEvent.Type.UNREACHABLE && event.status() == SidrStatus.UNSUPPORTED.code();
    }

    private IOException failed(CmEvent event) {
        return new IOException(event.type().rdmaName() + " (" + event.status() + "): " + event.explanation()
            + "; start the server there first, with the same -R or -z");
    }

    /** The next event of a connection, or with null the next request. Others are kept for those who ask for them. */
    private CmEvent next(CmConnection connection, long timeoutNs) throws IOException {
        while (true) {
            CmEvent kept = kept(connection);
            if (kept != null) {
                return kept;
            }
            CmEvent event = await(timeoutNs);
            if (event == null) {
                throw new IOException(peer() + " said nothing on port " + port + " for " + timeoutNs / 1_000_000_000L
                    + " s: see whether it still runs, with the same options");
            }
            waiting.add(event);
            if (!closed && event.connection() == control && event.type() == CmEvent.Type.DISCONNECTED) {
                throw new IOException(peer() + " ended the control connection: look at its output for the reason");
            }
        }
    }

    private CmEvent kept(CmConnection connection) {
        for (CmEvent event : waiting) {
            boolean isRequest = event.type() == CmEvent.Type.CONNECT_REQUEST;
            if (connection == null ? isRequest : !isRequest && event.connection() == connection) {
                waiting.remove(event);
                return event;
            }
        }
        return null;
    }

    private CmEvent await(long timeoutNs) throws IOException {
        try {
            return events.await(timeoutNs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for " + peer());
        }
    }

    private static void pause(long ms) throws IOException {
        try {
            TimeUnit.MILLISECONDS.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted between two tries");
        }
    }

    /** Why the control connection is over, or null while it lasts. */
    String end() {
        for (CmEvent event = events.poll(); event != null; event = events.poll()) {
            waiting.add(event);
        }
        for (CmEvent event : waiting) {
            if (event.connection() == control && event.type() != CmEvent.Type.ESTABLISHED) {
                return event.type().rdmaName() + ' ' + event.explanation();
            }
        }
        return null;
    }

    /** Ends everything and gives the peer a moment to agree. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        listeners.forEach(Listener::close);
        if (control != null) {
            connections.add(control);
        }
        connections.forEach(CmConnection::disconnect);
        long endNs = System.nanoTime() + GOODBYE_NS;
        try {
            for (CmConnection connection : connections) {
                awaitEnd(connection, endNs);
            }
        } catch (IOException e) {
            // It is gone already.
        }
        service.close();
    }

    private void awaitEnd(CmConnection connection, long endNs) throws IOException {
        // The answers of a datagram service are no connections: they have no end.
        CmEvent.Type type = connection.type() == QueuePairType.UD ? CmEvent.Type.DISCONNECTED : CmEvent.Type.ESTABLISHED;
        while (type == CmEvent.Type.ESTABLISHED) {
            type = next(connection, Math.max(1, endNs - System.nanoTime())).type();
        }
    }
}
