package io.rxe.cm;

import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;

/**
 * Begins connections and asks for datagram services; what comes of it arrives as events in its channel.
 *
 * <p>Made by {@link ConnectionService#connector}. Any thread.
 */
public final class Connector {
    private final ConnectionService service;
    private final CmEventChannel channel;

    Connector(ConnectionService service, CmEventChannel channel) {
        this.service = service;
        this.channel = channel;
    }

    /**
     * Asks for a connection. ESTABLISHED follows, or REJECTED, UNREACHABLE or CONNECT_ERROR; the queue pair is brought to RTS when the
     * answer is taken from the channel.
     *
     * @param queuePair  RC or UC, in RESET or INIT; brought to INIT now.
     * @param peer       address of the peer.
     * @param port       of its listener, port space TCP.
     * @param parameters private data, depths, retries, times.
     * @throws IllegalArgumentException for an address of another family, a port out of range, too much private data, a path MTU above
     *                                  the port's, or a queue pair that cannot be connected.
     * @throws IllegalStateException    when there are too many connections already.
     */
    public CmConnection connect(QueuePair queuePair, Gid peer, int port, ConnectParameters parameters) {
        if (queuePair.type() == QueuePairType.UD) {
            throw new IllegalArgumentException("a UD queue pair cannot be connected: use resolve, or an RC or UC queue pair");
        }
        check(peer, parameters.pathMtu());
        CmConnection connection = new CmConnection(service, channel, peer, port, queuePair.type());
        begin(connection, PortSpace.TCP, queuePair.number(), parameters,
            () -> connection.initialize(queuePair, parameters.responderResources()));
        return connection;
    }

    /**
     * Asks for a connection of a queue pair the application drives itself: after CONNECT_RESPONSE it brings it to RTS with
     * {@link CmConnection#terms} and calls {@link CmConnection#establish}.
     *
     * @param type       RC or UC.
     * @param peer       address of the peer.
     * @param port       of its listener, port space TCP.
     * @param parameters with the number of the queue pair.
     */
    public CmConnection connect(QueuePairType type, Gid peer, int port, ConnectParameters parameters) {
        if (type == QueuePairType.UD || parameters.queuePairNumber() == 0) {
            throw new IllegalArgumentException(type + " queue pair 0x" + Integer.toHexString(parameters.queuePairNumber())
                + " cannot be connected: give RC or UC, and its number in the parameters");
        }
        check(peer, parameters.pathMtu());
        CmConnection connection = new CmConnection(service, channel, peer, port, type);
        begin(connection, PortSpace.TCP, parameters.queuePairNumber(), parameters, () -> { });
        return connection;
    }

    /**
     * Asks which queue pair takes the datagrams of a service. ESTABLISHED follows, with queue pair number and key in
     * {@link CmConnection#terms}, or UNREACHABLE.
     *
     * @param peer       address of the peer.
     * @param port       of its listener, port space UDP.
     * @param parameters private data and time.
     */
    public CmConnection resolve(Gid peer, int port, ConnectParameters parameters) {
        check(peer, null);
        CmConnection connection = new CmConnection(service, channel, peer, port, QueuePairType.UD);
        begin(connection, PortSpace.UDP, 0, parameters, () -> { });
        return connection;
    }

    private void check(Gid peer, PathMtu pathMtu) {
        CmConfig config = service.core().config();
        if (peer.isIpv4() != config.gid().isIpv4()) {
            throw new IllegalArgumentException("peer " + Explanations.address(peer) + " is of another address family than this port's "
                + Explanations.address(config.gid()) + ": use the peer's " + (config.gid().isIpv4() ? "IPv4" : "IPv6")
                + " address, or bind the NIC to an address of its family");
        }
        if (pathMtu != null && pathMtu.bytes() > config.portMtu().bytes()) {
            throw new IllegalArgumentException("path MTU " + pathMtu.bytes() + " > port MTU " + config.portMtu().bytes()
                + ": lower it, or raise the interface MTU to " + (pathMtu.bytes() + PathMtu.HEADROOM_BYTES));
        }
    }

    private void begin(CmConnection connection, PortSpace portSpace, int queuePairNumber, ConnectParameters parameters,
        Runnable initialize) {
        portSpace.serviceId(connection.peerPort());
        CmConnection.checkPrivateData(parameters, portSpace);
        service.command(() -> service.core().reserve(channel));
        try {
            initialize.run();
        } catch (IllegalArgumentException | IllegalStateException e) {
            channel.release(CmEventChannel.EVENTS_OF_A_DIALOGUE);
            throw e;
        }
        service.command(() -> connection.begin(portSpace, queuePairNumber, parameters));
    }

    /** States a queue pair may be in when it is given to connection management. */
    static boolean isUnconnected(QueuePairState state) {
        return state == QueuePairState.RESET || state == QueuePairState.INIT;
    }
}
