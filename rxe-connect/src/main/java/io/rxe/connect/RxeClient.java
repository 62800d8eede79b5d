package io.rxe.connect;

import io.rxe.cm.CmConnection;
import io.rxe.cm.Connector;
import io.rxe.net.RxeNic;
import io.rxe.verbs.ProtectionDomain;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Connects to {@link RxeServer}s. One client serves any number of connections.
 *
 * <pre>{@code
 *   try (RxeNic nic = RxeNic.open(RxeNicOptions.defaults("192.0.2.2")); RxeClient client = new RxeClient(nic)) {
 *       RxeConnection connection = client.connect("192.0.2.1", 7471, set -> set
 *           .onMessage((from, message) -> System.out.println(UTF_8.decode(message))));
 *       connection.connected().get().send(UTF_8.encode("hello"));
 *       ...
 *   }
 * }</pre>
 *
 * <p>Any thread may call, but no callback that runs on an engine's thread.
 */
public final class RxeClient implements AutoCloseable {
    private final RxeNic nic;
    private final ConnectionThread thread;
    private final Connector connector;

    /**
     * Makes a client of a NIC, with its connection thread.
     *
     * @throws IllegalStateException if the NIC is closed or failed.
     */
    public RxeClient(RxeNic nic) {
        this(nic, "rxe-client", null);
    }

    /**
     * Makes a client whose connections have a domain of the application, for memory that several clients and servers share.
     *
     * @param domain from {@code nic.device().allocateProtectionDomain()}; stays open when the client closes.
     * @throws IllegalStateException if the NIC is closed or failed.
     */
    public RxeClient(RxeNic nic, ProtectionDomain domain) {
        this(nic, "rxe-client", Objects.requireNonNull(domain, "the domain is null: allocate one, or leave it out"));
    }

    private RxeClient(RxeNic nic, String name, ProtectionDomain given) {
        this.nic = nic;
        thread = new ConnectionThread(nic, name, given, event -> { }, Thread::new);
        connector = thread.orCloseDomain(() -> nic.connections().connector(thread.channel()));
        thread.start(() -> { });
    }

    /** Connects with {@link ConnectOptions#defaults}; see {@link #connect(String, int, ConnectOptions, Consumer)}. */
    public RxeConnection connect(String host, int port, Consumer<RxeConnection> setUp) throws UnknownHostException {
        return connect(host, port, ConnectOptions.defaults(), setUp);
    }

    /**
     * Connects. Blocks for the resolver of host names, not for the peer: see {@link RxeConnection#connected}.
     *
     * @param host    a host name, or an IPv4 or IPv6 address, of the address family of the NIC.
     * @param port    of the server, 1 to 65535.
     * @param options of this connection, with private data of at most {@link ConnectOptions#MAX_REQUEST_DATA} bytes.
     * @param setUp   runs on the calling thread before the request is sent: sets the callbacks. What it throws is thrown here, and no
     *                callback follows.
     * @throws UnknownHostException     if there is no such host, or it has no address of this family.
     * @throws IllegalArgumentException for a port out of range, more private data, and options that need more than 1 GiB of buffers.
     * @throws IllegalStateException    if the client is closed, or the NIC is closed or failed.
     */
    public RxeConnection connect(String host, int port, ConnectOptions options, Consumer<RxeConnection> setUp)
        throws UnknownHostException {
        Objects.requireNonNull(options, "the options are null: start from ConnectOptions.defaults()");
        Objects.requireNonNull(setUp, "the set-up callback is null: give one, of no statements for a connection without callbacks");
        if (options.used().privateData().length > ConnectOptions.MAX_REQUEST_DATA) {
            throw new IllegalArgumentException("private data of " + options.privateData().length + " bytes > "
                + ConnectOptions.MAX_REQUEST_DATA + ", the most of a client: send the rest in a message");
        }
        RxeConnection connection = new RxeConnection(thread, nic.resolve(host), port, false, new byte[0], options);
        thread.add(connection, "client");
        CmConnection managed;
        try {
            managed = !connection.setUp(setUp) ? null : connector.connect(connection.queuePair(), connection.peer(), port,
                options.parameters().timeoutNs(options.connectTimeoutNs()).attachment(connection));
        } catch (Throwable e) {
            connection.discard(e);
            throw e;
        }
        connection.begun(managed);
        return connection;
    }

    /** The connections that have not ended; a copy. */
    public Set<RxeConnection> connections() {
        return thread.connections();
    }

    /** The domain of its connections, for memory that servers may reach. Closed with the client, unless it was given to it. */
    public ProtectionDomain domain() {
        return thread.domain();
    }

    /** The callbacks that run now, for a test. */
    String held() {
        return thread.held();
    }

    /**
     * Ends all its connections as {@link RxeConnection#close} does, and waits until their {@code onClosed} have run, unless called in one
     * of them, in a set-up or in a message handler on an executor. Idempotent.
     *
     * @throws IllegalStateException on an engine's thread.
     */
    @Override
    public void close() {
        thread.close("client", () -> { });
    }

    @Override
    public String toString() {
        return "client on " + nic + ", " + thread.connections().size() + " connections";
    }
}
