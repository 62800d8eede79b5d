package io.rxe.connect;

import io.rxe.cm.CmEvent;
import io.rxe.cm.Listener;
import io.rxe.cm.PortSpace;
import io.rxe.net.RxeNic;
import io.rxe.verbs.ProtectionDomain;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Accepts connections on a port.
 *
 * <pre>{@code
 *   try (RxeNic nic = RxeNic.open(RxeNicOptions.defaults("192.0.2.1"));
 *        RxeServer server = RxeServer.listen(nic, 7471, connection -> connection
 *            .onMessage((from, message) -> from.send(message))
 *            .onClosed(end -> System.out.println(end)))) {
 *       Thread.sleep(Long.MAX_VALUE);
 *   }
 * }</pre>
 *
 * <p>Any thread may call, but no callback that runs on an engine's thread.
 */
public final class RxeServer implements AutoCloseable {
    private final int port;
    private final ConnectOptions options;
    private final Consumer<RxeConnection> setUp;
    private final AtomicLong foreignRequests = new AtomicLong();
    private final ConnectionThread thread;
    private final Listener listener;

    RxeServer(RxeNic nic, int port, ConnectOptions options, ProtectionDomain domain, Consumer<RxeConnection> setUp, ThreadFactory threads) {
        this.port = port;
        this.options = Objects.requireNonNull(options, "the options are null: start from ConnectOptions.defaults()").used();
        this.setUp = Objects.requireNonNull(setUp, "the set-up callback is null: give one that sets onMessage and onClosed");
        this.thread = new ConnectionThread(nic, "rxe-server-" + port, domain, this::onRequest, threads);
        this.listener = thread.orCloseDomain(() -> nic.connections().listen(thread.channel(), PortSpace.TCP, port));
        thread.start(listener::close);
    }

    /** Listens with {@link ConnectOptions#defaults}; see {@link #listen(RxeNic, int, ConnectOptions, Consumer)}. */
    public static RxeServer listen(RxeNic nic, int port, Consumer<RxeConnection> setUp) {
        return listen(nic, port, ConnectOptions.defaults(), setUp);
    }

    /**
     * Listens on a port.
     *
     * @param port    1 to 65535, of connection management; not a port of UDP or TCP.
     * @param options of its connections, with the private data for all clients; {@link RxeConnection#answer} sets others for one.
     * @param setUp   runs on the connection thread with each request, before it is accepted: sets the callbacks, or rejects. What it
     *                throws rejects the request.
     * @throws IllegalArgumentException for a port out of range, and for options that need more than 1 GiB of buffers.
     * @throws IllegalStateException    if the port has a listener, or the NIC is closed or failed.
     */
    public static RxeServer listen(RxeNic nic, int port, ConnectOptions options, Consumer<RxeConnection> setUp) {
        return new RxeServer(nic, port, options, null, setUp, Thread::new);
    }

    /**
     * As {@link #listen(RxeNic, int, ConnectOptions, Consumer)}, with a domain of the application: so memory can be registered before, and
     * stand in the private data of the options.
     *
     * @param domain from {@code nic.device().allocateProtectionDomain()}; stays open when the server closes.
     */
    public static RxeServer listen(RxeNic nic, int port, ConnectOptions options, ProtectionDomain domain, Consumer<RxeConnection> setUp) {
        Objects.requireNonNull(domain, "the domain is null: allocate one, or leave it out");
        return new RxeServer(nic, port, options, domain, setUp, Thread::new);
    }

    /** Connection thread. */
    private void onRequest(CmEvent event) {
        Greeting greeting = Greeting.decode(event.privateData());
        if (greeting == null) {
            foreignRequests.incrementAndGet();
            event.connection().reject(ConnectionEnd.reasonBytes("port " + port + " is an RxeServer: connect with RxeClient"));
            return;
        }
        RxeConnection connection = new RxeConnection(thread, event.connection().peer(), event.connection().peerPort(), true,
            greeting.privateData(), options);
        try {
            thread.add(connection, "server");
        } catch (IllegalStateException e) {
            // It was closed after this event was taken.
            event.connection().reject(ConnectionEnd.reasonBytes(e.getMessage()));
            return;
        }
        connection.accept(event.connection(), greeting, setUp);
    }

    /** The port it listens on. */
    public int port() {
        return port;
    }

    /** The connections that have not ended; a copy. */
    public Set<RxeConnection> connections() {
        return thread.connections();
    }

    /** Requests that were rejected because they did not come from an {@link RxeClient}. */
    public long foreignRequests() {
        return foreignRequests.get();
    }

    /** The domain of its connections, for memory that clients may reach. Closed with the server, unless it was given to it. */
    public ProtectionDomain domain() {
        return thread.domain();
    }

    /**
     * Stops listening, ends all its connections as {@link RxeConnection#close} does, and waits until their {@code onClosed} have run,
     * unless called in one of them or in a message handler on an executor. Idempotent.
     *
     * @throws IllegalStateException on an engine's thread; then nothing has changed.
     */
    @Override
    public void close() {
        thread.close("server", listener::close);
    }

    @Override
    public String toString() {
        return "server on " + listener + ", " + thread.connections().size() + " connections";
    }
}
