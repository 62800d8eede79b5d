package io.rxe.cm;

import io.rxe.cm.exchange.CmConfig;
import io.rxe.cm.exchange.ConnectRequest;
import io.rxe.cm.exchange.RequestedTerms;
import io.rxe.cm.mad.CmaHeader;
import io.rxe.fault.ConnectionFault;
import io.rxe.fault.Verb;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import java.util.Objects;

/**
 * Begins connections ({@code man 3 rdma_connect}) and resolves datagram services; the results arrive as events in its channel.
 *
 * <p>Made by {@link ConnectionService#connector}. Any thread may call, but no listener of a channel. Calls run commands on the threads of
 * engines and return when those have run; none waits for the peer.
 */
public final class Connector {
    private final CoreThread thread;
    private final CmEventChannel channel;

    Connector(CoreThread thread, CmEventChannel channel) {
        this.thread = thread;
        this.channel = channel;
    }

    /**
     * Requests a connection. One of the events ESTABLISHED, REJECTED, UNREACHABLE, CONNECT_ERROR or DISCONNECTED follows, possibly before
     * this returns. Taking the event of the peer's reply from the channel brings the queue pair to RTS. The queue pair belongs to the
     * connection until it has gone to ERROR and back to RESET, or is closed.
     *
     * @param queuePair  RC, UC or XRC_SEND of this NIC, without a connection, in RESET or INIT; brought to INIT by this call.
     * @param peer       address of the peer, of the address family of this NIC.
     * @param port       of its listener, 1 to 65535, in the port space of the parameters.
     * @param parameters private data of at most 56 bytes, depths, retries, times; copied.
     * @throws IllegalArgumentException for an address that is of another family or not unicast, a port out of range, too much private
     *                                  data, a path MTU above the port MTU, or a queue pair that is UD, XRC_RECV or of another NIC.
     * @throws IllegalStateException    if the queue pair is in another state or belongs to a connection, the NIC has begun
     *                                  {@link CmConfig#maxExchanges} connections, the event channel has no room or is closed, or the NIC
     *                                  is closed or failed.
     */
    public CmConnection connect(QueuePair queuePair, Gid peer, int port, ConnectParameters parameters) {
        Objects.requireNonNull(queuePair, "the queue pair to connect is null: give one, or its type and number");
        if (!isConnecting(queuePair.type())) {
            throw new IllegalArgumentException("a " + queuePair.type() + " queue pair cannot be connected: "
                + (queuePair.type() == QueuePairType.UD ? "use resolve, or " : "accept a request with it, and connect ")
                + "an RC, UC or XRC_SEND queue pair");
        }
        check(peer, parameters);
        CmConnection connection = new CmConnection(thread, peer, port, queuePair.type());
        begin(connection, parameters.portSpace(), queuePair.number(), parameters, parameters.terms().of(queuePair.capabilities()),
            () -> connection.connected().take(queuePair, parameters.responderResources(), parameters.partitionKeyIndex()));
        return connection;
    }

    /**
     * Requests a connection for a queue pair the application modifies itself. After CONNECT_RESPONSE it brings the queue pair to RTS
     * with {@link CmConnection#terms} and calls {@link CmConnection#establish}. REJECTED or UNREACHABLE may follow instead.
     *
     * @param type       RC, UC or XRC_SEND.
     * @param peer       address of the peer, of the address family of this NIC.
     * @param port       of its listener, 1 to 65535, in the port space of the parameters.
     * @param parameters as above, with the number of the queue pair.
     * @throws IllegalArgumentException as above, or if the number of the queue pair is missing.
     * @throws IllegalStateException    if the NIC has begun {@link CmConfig#maxExchanges} connections, or the event channel has no room.
     */
    public CmConnection connect(QueuePairType type, Gid peer, int port, ConnectParameters parameters) {
        Objects.requireNonNull(type, "the type of the queue pair is null: give RC or UC");
        ConnectParameters.require(parameters);
        if (!isConnecting(type) || parameters.queuePairNumber() == 0) {
            throw new IllegalArgumentException(type + " queue pair 0x" + Integer.toHexString(parameters.queuePairNumber())
                + " cannot be connected: give RC, UC or XRC_SEND, and its number in the parameters");
        }
        check(peer, parameters);
        CmConnection connection = new CmConnection(thread, peer, port, type);
        begin(connection, parameters.portSpace(), parameters.queuePairNumber(), parameters, parameters.terms(), () -> { });
        return connection;
    }

    private static boolean isConnecting(QueuePairType type) {
        return type != QueuePairType.UD && type != QueuePairType.XRC_RECV;
    }

    /**
     * Resolves a datagram service to a queue pair number and Q_Key, with SIDR_REQ. ESTABLISHED follows, with both in
     * {@link CmConnection#terms}, or UNREACHABLE.
     *
     * @param peer       address of the peer, of the address family of this NIC.
     * @param port       of its listener, 1 to 65535, port space UDP.
     * @param parameters private data of at most 180 bytes, timeout; copied.
     * @throws IllegalArgumentException for an address that is of another family or not unicast, a port out of range, or too much
     *                                  private data.
     * @throws IllegalStateException    if the NIC has begun {@link CmConfig#maxExchanges} connections, or the event channel has no room.
     */
    public CmConnection resolve(Gid peer, int port, ConnectParameters parameters) {
        check(peer, parameters);
        CmConnection connection = new CmConnection(thread, peer, port, QueuePairType.UD);
        begin(connection, PortSpace.UDP, 0, parameters, parameters.terms(), () -> { });
        return connection;
    }

    private void check(Gid peer, ConnectParameters parameters) {
        Objects.requireNonNull(peer, "the address of the peer is null: give one, for example RxeNic.resolve(host)");
        ConnectParameters.require(parameters);
        PathMtu pathMtu = parameters.pathMtu();
        CmConfig config = thread.core().config();
        if (peer.isIpv4() != config.gid().isIpv4()) {
            throw new IllegalArgumentException("peer " + peer.address() + " is of another address family than this port's "
                + config.gid().address() + ": use the peer's " + (config.gid().isIpv4() ? "IPv4" : "IPv6")
                + " address, or bind the NIC to an address of its family");
        }
        if (!peer.isUnicast()) {
            throw new IllegalArgumentException("peer " + peer.address()
                + " is a group, broadcast or unspecified address: use the unicast address of one host");
        }
        thread.queuePairs().refuseBroadcast("peer", peer);
        config.partitionKeys().checkIndex("partitionKeyIndex", parameters.partitionKeyIndex());
        if (pathMtu != null && pathMtu.bytes() > config.portMtu().bytes()) {
            throw new IllegalArgumentException("path MTU " + pathMtu.bytes() + " > port MTU " + config.portMtu().bytes()
                + ": lower it, or raise the interface MTU to " + (pathMtu.bytes() + PathMtu.HEADROOM_BYTES));
        }
    }

    private void begin(CmConnection connection, PortSpace portSpace, int queuePairNumber, ConnectParameters parameters,
        RequestedTerms terms, Runnable initialize) {
        long serviceId = portSpace.serviceId(connection.peerPort());
        ConnectParameters.checkPrivateData(parameters.privateData(),
            portSpace == PortSpace.UDP ? CmaHeader.SIDR_REQ_PRIVATE_DATA_LENGTH : CmaHeader.REQ_PRIVATE_DATA_LENGTH);
        connection.attachment(parameters.attachment());
        ConnectRequest request = new ConnectRequest(connection.peer(), serviceId, parameters.sourcePort(), connection.type(),
            queuePairNumber, terms);
        int minRnrTimer = parameters.minRnrTimer();
        long keepAliveNs = parameters.keepAliveNs();
        thread.faults().onCall(Verb.RDMA_CONNECT, 0);
        ConnectionFault fault = thread.faults().onConnection(Verb.RDMA_CONNECT);
        thread.command(this::reserve);
        try {
            initialize.run();
            thread.command(() -> {
                // The NIC may have been closed since the reservation.
                thread.checkOpen();
                connection.begin(request, minRnrTimer, keepAliveNs, new ConnectionEvents(thread, connection, channel, fault));
                if (fault != null && fault.event() != ConnectionFault.Event.CONNECT_ERROR) {
                    connection.exchange().failAs(fault.event() == ConnectionFault.Event.REJECTED, fault.status(), fault.why());
                }
            });
        } catch (Throwable e) {
            connection.connected().forget();
            channel.release(CmEventChannel.EVENTS_PER_CONNECTION);
            throw e;
        }
    }

    private void reserve() {
        thread.checkOpen();
        if (!thread.core().hasRoom()) {
            throw new IllegalStateException(thread.core().ownExchanges() + " connections = maxExchanges "
                + thread.core().config().maxExchanges() + ": close some, wait for the end of their time-wait, or configure more");
        }
        channel.checkNotClosed();
        if (!channel.reserve(CmEventChannel.EVENTS_PER_CONNECTION)) {
            throw new IllegalStateException("the event channel has no room for another connection: take events, or make it larger");
        }
    }
}
