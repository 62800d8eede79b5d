package io.rxe.tools.perftest.flow;

import io.rxe.cm.CmConnection;
import io.rxe.cm.CmEvent;
import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.ConnectionService;
import io.rxe.cm.Listener;
import io.rxe.cm.PortSpace;
import io.rxe.cm.mad.RejectReason;
import io.rxe.cm.mad.SidrStatus;
import io.rxe.tools.perftest.handshake.ControlLink;
import io.rxe.tools.perftest.measure.PerftestEndpoint;
import io.rxe.tools.perftest.plan.PerftestPlan;
import io.rxe.tools.perftest.plan.PerftestQueues;
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
 * The connections of a test that uses connection management: the control connection and, with {@code -R}, one for each queue pair of
 * the test, all on the same port.
 *
 * <pre>
 *   client                            server
 *     | == control connection ========> |
 *     | -- preface, an empty record --> |
 *     | == one for each queue pair ===> |   (UD: resolves the service, then sends its number in a datagram if the server will send too)
 *     | -- an empty record, the test -> |
 * </pre>
 */
public final class ManagedConnections implements AutoCloseable {
    private static final int EVENT_CAPACITY = 4 * (PerftestQueues.MAX_QUEUE_PAIRS + 16);
    private static final long RESPONSE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long CONNECT_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long CLOSE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long NO_TIMEOUT_NS = TimeUnit.DAYS.toNanos(1);
    private static final int MAX_ATTEMPTS = 10;
    private static final long RETRY_DELAY_MS = 100;
    private static final int RETRIES = 7;
    /** 268 ms; with the retries, a peer that does not answer for two seconds has gone. */
    private static final int CONTROL_TIMEOUT_CODE = 16;

    private final Device device;
    private final ConnectionService service;
    private final CmEventChannel events = new CmEventChannel(EVENT_CAPACITY);
    private final List<Listener> listeners = new ArrayList<>();
    private final List<CmConnection> connections = new ArrayList<>();
    private final List<CmEvent> pending = new ArrayList<>();
    private final int port;
    private final Gid server;
    private CmConnection control;
    private boolean closed;

    /**
     * @param service connection management of the device's NIC.
     * @param port    port of the server.
     * @param server  address of the server, or null if this is the server.
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

    /** On the server: accepts requests from now on. */
    public void listen() {
        listeners.add(service.listen(events, PortSpace.TCP, port));
        listeners.add(service.listen(events, PortSpace.UDP, port));
    }

    /**
     * Makes the control connection. The server, already listening, waits for it without a limit.
     *
     * @throws IOException if the server cannot be reached; says why.
     */
    public ControlLink control() throws IOException {
        ManagedLink link = new ManagedLink(device, this);
        boolean connected = false;
        try {
            control = isClient() ? connect(link.queuePair(),
                parameters(0).timeoutNs(CONNECT_TIMEOUT_NS).ackTimeoutCode(CONTROL_TIMEOUT_CODE), 1)
                : accept(link.queuePair(), parameters(0), NO_TIMEOUT_NS);
            connected = true;
            return link;
        } finally {
            if (!connected) {
                link.close();
            }
        }
    }

    /** Connects the queue pairs of the test, in order. */
    void connect(PerftestPlan plan, PerftestEndpoint endpoint) throws IOException {
        for (int i = 0; i < plan.queues().queuePairs(); i++) {
            QueuePair queuePair = endpoint.queuePair(i);
            ConnectParameters parameters = parameters(plan.verb().isReadOrAtomic() ? plan.path().outstandingReads() : 0)
                .pathMtu(plan.path().pathMtu()).ackTimeoutCode(plan.path().timeoutCode());
            if (plan.isDatagram()) {
                connectDatagrams(plan, endpoint, i, parameters);
            } else if (isClient()) {
                connections.add(connect(queuePair, parameters, MAX_ATTEMPTS));
            } else {
                connections.add(accept(queuePair, parameters, RESPONSE_TIMEOUT_NS));
            }
        }
    }

    private void connectDatagrams(PerftestPlan plan, PerftestEndpoint endpoint, int index, ConnectParameters parameters)
        throws IOException {
        if (!isClient()) {
            // The datagram with the peer's number is dropped, since no receive is posted: the key record has that number too.
            accept(endpoint.queuePair(index), parameters, RESPONSE_TIMEOUT_NS);
            return;
        }
        CmConnection resolved = resolve(parameters);
        if (plan.kind().isLatency() || plan.isBidirectional()) {
            endpoint.sendOwnNumber(index, resolved.terms());
        }
    }

    private static ConnectParameters parameters(int depth) {
        return new ConnectParameters().responderResources(depth).initiatorDepth(depth).retryCount(RETRIES).rnrRetry(RETRIES);
    }

    /** @param maxAttempts more than one only for a queue pair without receives: the reset between attempts discards them. */
    private CmConnection connect(QueuePair queuePair, ConnectParameters parameters, int maxAttempts) throws IOException {
        for (int attempt = 1;; attempt++) {
            CmConnection connection = service.connector(events).connect(queuePair, server, port, parameters);
            CmEvent event = next(connection, RESPONSE_TIMEOUT_NS);
            if (event.type() == CmEvent.Type.ESTABLISHED) {
                return connection;
            }
            if (!isNotListening(event) || attempt == maxAttempts) {
                throw failure(event);
            }
            pause(RETRY_DELAY_MS);
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
            CmConnection resolved = service.connector(events).resolve(server, port, parameters);
            CmEvent event = next(resolved, RESPONSE_TIMEOUT_NS);
            if (event.type() == CmEvent.Type.ESTABLISHED) {
                return resolved;
            }
            if (!isNotListening(event) || attempt == MAX_ATTEMPTS) {
                throw failure(event);
            }
            pause(RETRY_DELAY_MS);
        }
    }

    /** The original stops listening for a moment between two connections. */
    private static boolean isNotListening(CmEvent event) {
        return event.type() == CmEvent.Type.REJECTED && event.status() == RejectReason.INVALID_SERVICE_ID.code()
            || event.type() == CmEvent.Type.UNREACHABLE && event.status() == SidrStatus.UNSUPPORTED.code();
    }

    private IOException failure(CmEvent event) {
        return new IOException(event.type().rdmaName() + " (" + event.status() + "): " + event.explanation()
            + "; start the server there first, with the same -R or -z");
    }

    /** The next event of a connection, or with null the next connection request. Keeps other events for later calls. */
    private CmEvent next(CmConnection connection, long timeoutNs) throws IOException {
        while (true) {
            CmEvent found = takePending(connection);
            if (found != null) {
                return found;
            }
            CmEvent event = await(timeoutNs);
            if (event == null) {
                throw new IOException(peer() + " sent nothing on port " + port + " for " + timeoutNs / 1_000_000_000L
                    + " s: check that it still runs, with the same options");
            }
            pending.add(event);
            if (!closed && event.connection() == control && event.type() == CmEvent.Type.DISCONNECTED) {
                throw new IOException(peer() + " closed the control connection: see its output for the reason");
            }
        }
    }

    private CmEvent takePending(CmConnection connection) {
        for (CmEvent event : pending) {
            boolean isRequest = event.type() == CmEvent.Type.CONNECT_REQUEST;
            if (connection == null ? isRequest : !isRequest && event.connection() == connection) {
                pending.remove(event);
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
            throw new InterruptedIOException("interrupted between two attempts");
        }
    }

    /** Why the control connection ended, or null while it is open. */
    String endReason() {
        for (CmEvent event = events.poll(); event != null; event = events.poll()) {
            pending.add(event);
        }
        for (CmEvent event : pending) {
            if (event.connection() == control && event.type() != CmEvent.Type.ESTABLISHED) {
                return event.type().rdmaName() + ' ' + event.explanation();
            }
        }
        return null;
    }

    /** Disconnects everything and gives the peer a moment to answer. */
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
        long endNs = System.nanoTime() + CLOSE_TIMEOUT_NS;
        try {
            for (CmConnection connection : connections) {
                awaitEnd(connection, endNs);
            }
        } catch (IOException e) {
            // The peer is gone already.
        }
        events.close();
    }

    private void awaitEnd(CmConnection connection, long endNs) throws IOException {
        // A resolved datagram service is not a connection: it has no end.
        CmEvent.Type type = connection.type() == QueuePairType.UD ? CmEvent.Type.DISCONNECTED : CmEvent.Type.ESTABLISHED;
        while (type == CmEvent.Type.ESTABLISHED) {
            type = next(connection, Math.max(1, endNs - System.nanoTime())).type();
        }
    }
}
