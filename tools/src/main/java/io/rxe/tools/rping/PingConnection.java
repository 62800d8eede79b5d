package io.rxe.tools.rping;

import io.rxe.bench.StallWatch;
import io.rxe.bench.TransferFailure;
import io.rxe.cm.CmConnection;
import io.rxe.cm.CmEvent;
import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.ConnectionService;
import io.rxe.cm.Listener;
import io.rxe.cm.PortSpace;
import io.rxe.net.RxeNic;
import io.rxe.tools.cli.ToolFailure;
import io.rxe.tools.cli.WorkAlike;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.Operation;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** One end of an rping connection: its queue pair and memory, and the waits for completions and events. One thread. */
final class PingConnection implements AutoCloseable {
    private static final int SEND_REQUESTS = 16;
    private static final int RECEIVE_REQUESTS = 2;
    private static final int REMOTE = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE;
    private static final int SENT_AT = BufferAdvert.LENGTH;
    /** An idle peer is asked this often whether it is still there, because one that was killed sends no DREQ. */
    private static final long KEEP_ALIVE_NS = TimeUnit.SECONDS.toNanos(1);
    /** A lost DREQ is retransmitted after 6 s. A lost reply is not waited for: the peer may have ended since. */
    private static final long DISCONNECT_NS = TimeUnit.SECONDS.toNanos(8);

    private final ConnectionService service;
    private final String role;
    private final PrintWriter err;
    private final CmEventChannel events = new CmEventChannel();
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private final ByteBuffer messages = ByteBuffer.allocateDirect(2 * BufferAdvert.LENGTH);
    private final ByteBuffer sink;
    private final ByteBuffer source;
    private final MemoryRegion messageRegion;
    private final MemoryRegion sinkRegion;
    private final MemoryRegion sourceRegion;
    private final WorkRequest request = new WorkRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private final WorkCompletion completion = new WorkCompletion();
    private String peer = "";
    private CmConnection connection;
    private boolean established;
    private CmEvent end;

    /**
     * @param role      "server" or "client", for messages.
     * @param sizeBytes size of the text.
     */
    PingConnection(RxeNic nic, String role, int sizeBytes, PrintWriter err) {
        this.service = nic.connections();
        this.role = role;
        this.err = err;
        domain = nic.device().allocateProtectionDomain();
        completions = nic.device().createCompletionQueue(SEND_REQUESTS + RECEIVE_REQUESTS);
        queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions)
            .withRequests(SEND_REQUESTS, RECEIVE_REQUESTS).withElements(1, 1));
        ConnectionService.prepare(queuePair);
        sink = ByteBuffer.allocateDirect(sizeBytes);
        source = ByteBuffer.allocateDirect(sizeBytes);
        messageRegion = domain.register(messages, AccessFlags.LOCAL_WRITE);
        sinkRegion = domain.register(sink, REMOTE);
        sourceRegion = domain.register(source, REMOTE);
        queuePair.postReceive(receive.add(messageRegion, 0, BufferAdvert.LENGTH));
    }

    /** The peer's address and port, for messages. */
    String peer() {
        return peer;
    }

    /** The data that the client sends. */
    ByteBuffer source() {
        return source;
    }

    /** Where the server stores the data it has read, and the client receives it back. */
    ByteBuffer sink() {
        return sink;
    }

    BufferAdvert sourceAdvert() {
        return new BufferAdvert(sourceRegion.address(), sourceRegion.rKey(), source.capacity());
    }

    BufferAdvert sinkAdvert() {
        return new BufferAdvert(sinkRegion.address(), sinkRegion.rKey(), sink.capacity());
    }

    /** Listens from now on. */
    Listener listen(int port) {
        return service.listen(events, PortSpace.TCP, port);
    }

    /** Waits for the first client, without a limit, and accepts it. */
    void accept() {
        try {
            connection = events.await(Long.MAX_VALUE).connection();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolFailure("interrupted", e);
        }
        peer = connection.peer().address();
        connection.accept(queuePair, new ConnectParameters().keepAliveNs(KEEP_ALIVE_NS));
    }

    /** @param timeoutNs longest wait for its reply. */
    void connect(Gid server, int port, long timeoutNs) {
        peer = server.address() + " port " + port;
        try {
            connection = service.connector(events).connect(queuePair, server, port, new ConnectParameters().responderResources(1)
                .initiatorDepth(1).timeoutNs(timeoutNs).keepAliveNs(KEEP_ALIVE_NS));
        } catch (IllegalArgumentException e) {
            throw new ToolFailure(e.getMessage(), e);
        }
        // Connection management has its own time limit.
        StallWatch watch = new StallWatch(Long.MAX_VALUE, () -> "the reply of " + peer);
        while (!established && end == null) {
            pollEvent(watch);
        }
    }

    void send(BufferAdvert advert) {
        advert.write(messages, SENT_AT);
        sendGoAhead();
    }

    /** Sends a message whose content does not matter. */
    void sendGoAhead() {
        post(request.clear().send().add(messageRegion, SENT_AT, BufferAdvert.LENGTH));
    }

    /** Reads the peer's text. */
    void read(BufferAdvert from) {
        post(request.clear().read(from.address(), from.key()).add(sinkRegion, 0, from.sizeBytes()));
    }

    /** Writes the text back, with its zero. */
    void write(BufferAdvert to, int lengthBytes) {
        post(request.clear().write(to.address(), to.key()).add(sinkRegion, 0, lengthBytes));
    }

    // At most two requests are outstanding, so the queue has room.
    private void post(WorkRequest one) {
        if (!queuePair.postSend(one)) {
            throw new AssertionError("the send queue is full with " + queuePair.outstandingSends() + " requests");
        }
    }

    /**
     * Waits for the peer's next message.
     *
     * @param what    the message, for an error.
     * @param stallNs longest wait.
     * @return the message, or null if the connection has ended.
     */
    BufferAdvert awaitMessage(String what, long stallNs) {
        if (!await(Operation.RECEIVE, what, stallNs)) {
            return null;
        }
        if (completion.byteLength() != BufferAdvert.LENGTH) {
            err.println("Received bogus data, size " + completion.byteLength());
            throw new ToolFailure(peer + " sent a message of " + completion.byteLength() + " bytes, those of rping have "
                + BufferAdvert.LENGTH + ": is it another program?");
        }
        BufferAdvert advert = BufferAdvert.read(messages, 0);
        queuePair.postReceive(receive);
        return advert;
    }

    /** Waits for a completion, and skips those of SENDs; false if the connection has ended. */
    boolean await(Operation wanted, String what, long stallNs) {
        StallWatch watch = new StallWatch(stallNs, () -> what + " from " + peer + ": is it still running, does every link between carry"
            + " packets of our path MTU, does a firewall drop UDP? A larger --stall-timeout waits longer");
        while (true) {
            if (!completions.poll(completion)) {
                if (end != null) {
                    return false;
                }
                pollEvent(watch);
            } else if (completion.isSuccess() && completion.operation() == wanted) {
                return true;
            } else if (completion.isSuccess() && completion.operation() != Operation.SEND) {
                throw new ToolFailure(peer + " sent a message before our go-ahead: is it another program?");
            } else if (!completion.isSuccess() && completion.status() != CompletionStatus.WR_FLUSH_ERR) {
                err.println("cq completion failed status " + completion.status().code());
                throw new ToolFailure(what + " from " + peer + " failed: " + TransferFailure.describe(completion));
            }
        }
    }

    private void pollEvent(StallWatch watch) {
        CmEvent event = events.poll();
        if (event == null) {
            watch.idle();
            return;
        }
        switch (event.type()) {
            case CONNECT_REQUEST -> {
                err.println("note: refused " + event.connection().peer().address() + ": this rping serves one client");
                event.connection().reject("this rping serves one client".getBytes(StandardCharsets.US_ASCII));
            }
            case ESTABLISHED -> established = true;
            case DISCONNECTED -> {
                err.println(role + " DISCONNECT EVENT...");
                end = event;
            }
            case REJECTED, UNREACHABLE, CONNECT_ERROR -> {
                err.println("cma event " + event.type().rdmaName() + ", error " + event.status());
                throw new ToolFailure(event.explanation());
            }
            case CONNECT_RESPONSE, ALTERNATE_PATH, TIMEWAIT_EXIT -> {
                // Connection management has brought the queue pair to RTS; TIMEWAIT_EXIT follows the disconnect.
            }
        }
    }

    /** Why the connection has ended, as a clause behind a semicolon; empty if the peer has disconnected and nothing more is known. */
    String endReason() {
        return end.explanation().isEmpty() ? "" : "; " + end.explanation();
    }

    /** Whether the peer did not end the connection itself. */
    boolean isAborted() {
        return end != null && end.status() == CmEvent.ABORTED;
    }

    /** Ends the connection and waits a while for the reply of the peer. */
    void disconnect() {
        connection.disconnect();
        StallWatch watch = new StallWatch(Long.MAX_VALUE, () -> "the end of the connection to " + peer);
        for (long untilNs = System.nanoTime() + DISCONNECT_NS; end == null && System.nanoTime() < untilNs;) {
            pollEvent(watch);
        }
    }

    @Override
    public void close() {
        if (connection != null) {
            connection.close();
            WorkAlike.linger();
        }
        queuePair.close();
        completions.close();
        messageRegion.close();
        sinkRegion.close();
        sourceRegion.close();
        domain.close();
        events.close();
    }
}
