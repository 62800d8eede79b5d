package io.rxe.tools.rdmacm;

import io.rxe.cm.CmConnection;
import io.rxe.cm.CmEvent;
import io.rxe.verbs.WorkCompletion;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The rping server: accepts one client, or any number with {@code -P}, and passes completions and events to the connection of each. */
final class PingAcceptor implements EventHandler, AutoCloseable {
    /** Largest number of concurrent clients with {@code -P}. */
    static final int MAX_SESSIONS = 512;

    private static final long CHECK_NS = 1_000_000_000L;

    private final ManagedNic nic;
    private final RpingOptions options;
    private final PingLog log;
    private final Map<CmConnection, PingServer> byConnection = new HashMap<>();
    private final Map<Integer, PingServer> byQueuePair = new HashMap<>();
    private long checkedNs = System.nanoTime();
    private boolean served;
    private String failure = "";

    PingAcceptor(ManagedNic nic, RpingOptions options, PingLog log) {
        this.nic = nic;
        this.options = options;
        this.log = log;
    }

    /** Whether the only client is finished; never with {@code -P}. */
    boolean isOver() {
        return served && byConnection.isEmpty() && !options.isPersistent();
    }

    /** Whether there is a client. */
    boolean isServing() {
        return !byConnection.isEmpty();
    }

    /** Ends the connections of clients that have sent nothing for a time: one that was killed sends no DREQ. */
    void endSilent(long nowNs, long stallNs) {
        if (nowNs - checkedNs < CHECK_NS) {
            return;
        }
        checkedNs = nowNs;
        for (PingServer server : List.copyOf(byConnection.values())) {
            if (nowNs - server.heardNs() > stallNs) {
                server.fail(RdmaCmMessages.stalled(HostNames.text(server.connection().peer()), "its next ping", stallNs,
                    options.udpPort()));
                endIfOver(server);
            }
        }
    }

    /** The failure of the only client, or empty. */
    String failure() {
        return failure;
    }

    @Override
    public void onCompletion(WorkCompletion completion) {
        PingServer server = byQueuePair.get(completion.queuePairNumber());
        // Completions of a closed connection are ignored.
        if (server != null) {
            server.received(System.nanoTime());
            server.onCompletion(completion);
            endIfOver(server);
        }
    }

    @Override
    public void onEvent(CmEvent event) {
        if (event.type() == CmEvent.Type.CONNECT_REQUEST) {
            onRequest(event.connection());
            return;
        }
        PingServer server = byConnection.get(event.connection());
        if (server != null) {
            server.onEvent(event);
            endIfOver(server);
        }
    }

    private void onRequest(CmConnection connection) {
        log.debug("cma_event type RDMA_CM_EVENT_CONNECT_REQUEST cma_id %x (child)", connection.localCommunicationId());
        if (served && !options.isPersistent()) {
            reject(connection, "this rping serves one client; start it with -P to serve several");
        } else if (byConnection.size() >= MAX_SESSIONS) {
            reject(connection, "this rping already serves " + MAX_SESSIONS + " clients");
        } else {
            served = true;
            PingEndpoint endpoint = new PingEndpoint(nic.device(), nic.completions(), options.sizeBytes());
            PingServer server = new PingServer(endpoint, connection, log);
            byConnection.put(connection, server);
            byQueuePair.put(server.queuePairNumber(), server);
            server.accept(options.isSelfModified());
        }
    }

    private void reject(CmConnection connection, String why) {
        log.error("note: refused " + HostNames.text(connection.peer()) + ": " + why);
        connection.reject(why.getBytes(StandardCharsets.US_ASCII));
    }

    private void endIfOver(PingServer server) {
        if (!server.isOver()) {
            return;
        }
        byConnection.remove(server.connection());
        byQueuePair.remove(server.queuePairNumber());
        server.close();
        if (options.isPersistent() && !server.failure().isEmpty()) {
            log.error("warning: " + server.failure());
        } else {
            failure = server.failure();
        }
    }

    @Override
    public void close() {
        byConnection.values().forEach(PingServer::close);
    }
}
