package io.rxe.ibverbs;

import io.rxe.cm.CmConnection;
import io.rxe.cm.Listener;
import io.rxe.cm.PortSpace;
import io.rxe.cm.exchange.ConnectionTerms;
import io.rxe.fault.Verb;
import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.ibverbs.CmLayout.CmId;
import io.rxe.net.process.Sentences;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.agrona.UnsafeApi;

/**
 * One {@code rdma_cm_id}: bound to a port, then a listener, or one end of a connection or datagram service. Any thread, as the program
 * calls; the events come from the thread of {@link ConnectionIds}.
 */
final class ConnectionId {
    private final ConnectionIds ids;
    private final PortSpace space;
    private volatile long address;
    /** The port it is bound to; 0 for none. */
    private volatile int port;
    /** False for a request, which has the port of its listener. */
    private boolean takesPort = true;
    /** Whether it is bound to any address of the family that the NIC has not: it may listen, and nothing arrives. */
    private boolean deaf;
    private boolean bound;
    private volatile Gid peer;
    private volatile boolean hasRoute;
    private volatile Listener listener;
    private volatile CmConnection connection;
    private volatile boolean destroyed;
    /** One for each join, also one that failed with an event: the program leaves it all the same. */
    private final List<Membership> memberships = new CopyOnWriteArrayList<>();

    /** @param receives whether a queue pair receives what is sent to it. */
    private record Membership(Gid group, boolean receives) {
    }

    ConnectionId(ConnectionIds ids, PortSpace space) {
        this.ids = ids;
        this.space = space;
    }

    /** {@code rdma_cm_id}. */
    long address() {
        return address;
    }

    void address(long newAddress) {
        address = newAddress;
    }

    PortSpace space() {
        return space;
    }

    int port() {
        return port;
    }

    /** The port to release; 0 for none. */
    int ownPort() {
        return takesPort ? port : 0;
    }

    /** Whether connection management knows that a listener may follow. */
    boolean isBound() {
        return bound;
    }

    CmConnection connection() {
        return connection;
    }

    void connection(CmConnection newConnection) {
        connection = newConnection;
    }

    boolean isDestroyed() {
        return destroyed;
    }

    /** Returns the listener to close, or null. */
    Listener onDestroyed() {
        destroyed = true;
        return listener;
    }

    /** A request arrived: fills in the structure of the program. */
    void onRequest(CmConnection requested, int listenerPort) {
        takesPort = false;
        port = listenerPort;
        peer = requested.peer();
        connection = requested;
        requested.attachment(this);
        UnsafeApi.putInt(address + CmId.QP_TYPE, ProgramQueuePair.number(requested.type()));
        ids.writeAddresses(address, port, peer, requested.peerPort());
    }

    void bind(boolean shared, boolean familyOnly) {
        long source = address + CmId.SRC_ADDR;
        ids.onCall(Verb.RDMA_BIND_ADDR);
        Gid wanted = SocketAddress.gid(source);
        if (port != 0) {
            throw VerbFailure.of(VerbError.EINVAL, "the id is bound to port " + port + " already");
        }
        if (!SocketAddress.isAny(source, ids.gid()) && !wanted.equals(ids.gid())) {
            throw VerbFailure.of(VerbError.EADDRNOTAVAIL, wanted + " is not " + ids.gid()
                + ", the address of the NIC: bind to that, or choose the NIC's with RXE_DEV or --dev");
        }
        int asked = SocketAddress.port(source);
        if (familyOnly && asked != 0 && SocketAddress.isUnspecified(wanted) && wanted.isIpv4() != ids.gid().isIpv4()) {
            deaf = true;
            takesPort = false;
            port = asked;
            return;
        }
        port = ids.takePort(space, asked, shared);
        ids.expectListener(space, port);
        bound = true;
        SocketAddress.port(source, port);
    }

    /** The way to an address is found packet by packet, so that there is nothing to wait for. */
    void resolveAddress(boolean shared) {
        long destination = address + CmId.DST_ADDR;
        ids.onCall(Verb.RDMA_RESOLVE_ADDR);
        Gid wanted = SocketAddress.isAny(destination, ids.gid()) ? ids.gid() : SocketAddress.gid(destination);
        if (connection != null || listener != null) {
            throw VerbFailure.of(VerbError.EINVAL, "the id listens or is connected: resolve with another");
        }
        if (peer != null) {
            throw VerbFailure.of(VerbError.EINVAL, "the id has a destination already, " + peer + ": resolve with another");
        }
        if (wanted.isIpv4() != ids.gid().isIpv4()) {
            throw VerbFailure.of(VerbError.EAFNOSUPPORT, wanted + " is of another address family than " + ids.gid()
                + ", the address of the NIC");
        }
        if (port == 0) {
            port = ids.takePort(space, 0, shared);
        }
        if (ids.failsBy(this, Verb.RDMA_RESOLVE_ADDR)) {
            return;
        }
        peer = wanted;
        ids.writeAddresses(address, port, wanted, SocketAddress.port(destination));
        ids.raise(this, EventParameters.ADDR_RESOLVED, 0, param -> { });
    }

    void resolveRoute() {
        checkResolved();
        if (hasRoute) {
            throw VerbFailure.of(VerbError.EINVAL, "the id has a route already: call rdma_connect");
        }
        ids.onCall(Verb.RDMA_RESOLVE_ROUTE);
        if (!ids.failsBy(this, Verb.RDMA_RESOLVE_ROUTE)) {
            hasRoute = true;
            ids.raise(this, EventParameters.ROUTE_RESOLVED, 0, param -> { });
        }
    }

    private void checkResolved() {
        if (peer == null) {
            throw VerbFailure.of(VerbError.EINVAL, "the id has no destination: call rdma_resolve_addr before");
        }
    }

    void listen(int backlog) {
        if (connection != null || listener != null) {
            throw VerbFailure.of(VerbError.EINVAL, "the id listens or is connected already");
        }
        if (deaf) {
            return;
        }
        if (port == 0) {
            port = ids.takePort(space, 0, false);
            SocketAddress.write(address + CmId.SRC_ADDR, ids.gid(), port);
        }
        Listener created = ids.listen(this, port, backlog);
        listener = created;
        Sentences.verbose(created::toString);
    }

    /** @param queuePair handle, or 0 for one that the program modifies itself. */
    void connect(int queuePair, ConnectionParameters parameters) {
        checkResolved();
        if (connection != null) {
            throw VerbFailure.of(VerbError.EINVAL, "the id is connected already, or was: connect with another");
        }
        if (!hasRoute) {
            throw VerbFailure.of(VerbError.EINVAL, "the id has no route: call rdma_resolve_route before");
        }
        int peerPort = SocketAddress.port(address + CmId.DST_ADDR);
        parameters.get().sourcePort(port).attachment(this);
        QueuePair pair = ids.queuePair(queuePair);
        if (space == PortSpace.UDP) {
            connection = ids.connector().resolve(peer, peerPort, parameters.get());
            return;
        }
        parameters.get().portSpace(space);
        connection = pair == null ? ids.connector().connect(ownType(), peer, peerPort, parameters.ofOwnQueuePair())
            : ids.connector().connect(pair, peer, peerPort, parameters.get());
    }

    /** Of the queue pair that the program modifies itself. */
    private QueuePairType ownType() {
        int number = UnsafeApi.getInt(address + CmId.QP_TYPE);
        return number == ProgramQueuePair.number(QueuePairType.UC) ? QueuePairType.UC
            : number == ProgramQueuePair.number(QueuePairType.XRC_SEND) ? QueuePairType.XRC_SEND : QueuePairType.RC;
    }

    private CmConnection connected() {
        CmConnection present = connection;
        if (present == null) {
            throw VerbFailure.of(VerbError.EINVAL, "the id has no connection and no request");
        }
        return present;
    }

    /** @param queuePair handle, or 0 for one that the program modifies itself. */
    void accept(int queuePair, ConnectionParameters parameters) {
        QueuePair pair = ids.queuePair(queuePair);
        if (pair == null) {
            connected().accept(parameters.ofOwnQueuePair());
        } else {
            connected().accept(pair, parameters.get());
        }
    }

    void reject(byte[] privateData) {
        connected().reject(privateData);
    }

    void establish() {
        connected().establish();
    }

    void notifyEstablished() {
        connected().notifyEstablished();
    }

    void disconnect() {
        if (space == PortSpace.UDP) {
            throw VerbFailure.of(VerbError.EINVAL, "a datagram service has no connection that could be ended");
        }
        connected().disconnect();
    }

    /** Writes what a queue pair that the program modifies itself needs to go to the state in {@code ibv_qp_attr}. */
    void initQueuePairAttributes(long attr, long mask) {
        QueuePairState state = QpAttributes.state(attr);
        CmConnection present = connection;
        ConnectionTerms terms = present == null ? null : present.terms();
        UnsafeApi.putInt(mask, space == PortSpace.UDP ? QpAttributes.writeDatagram(state, attr)
            : QpAttributes.writeConnected(state, terms, attr));
    }

    /** Joins a group; the queue pair, if it is not 0, receives what is sent to it. */
    void join(int queuePair, Gid group, long context) {
        if (!group.isMulticast() || group.isIpv4() != ids.gid().isIpv4()) {
            throw VerbFailure.of(VerbError.EINVAL, group + " is no multicast group of the address family of the NIC");
        }
        ids.onCall(Verb.RDMA_JOIN_MULTICAST);
        Membership joined = new Membership(group, queuePair != 0);
        memberships.add(joined);
        if (ids.failsBy(this, Verb.RDMA_JOIN_MULTICAST)) {
            return;
        }
        attach(queuePair, joined);
        Sentences.verbose(() -> "joined group " + group);
        ids.raise(this, EventParameters.MULTICAST_JOIN, 0,
            param -> EventParameters.writeJoin(group, ids.udpPort(), context, param));
    }

    private void attach(int queuePair, Membership joined) {
        try {
            if (joined.receives()) {
                ids.programQueuePair(queuePair).attach(joined.group());
            }
        } catch (Throwable e) {
            memberships.remove(joined);
            throw e;
        }
    }

    void leave(int queuePair, Gid group) {
        ids.onCall(Verb.RDMA_LEAVE_MULTICAST);
        Membership left = memberships.stream().filter(one -> one.group().equals(group)).findFirst().filter(memberships::remove)
            .orElseThrow(() -> VerbFailure.of(VerbError.EADDRNOTAVAIL, "the id is no member of group " + group
                + ": join it, and leave it once"));
        if (queuePair != 0 && left.receives()) {
            // As librdmacm, it ignores that the queue pair is attached no more, or cannot be detached.
            Upcalls.free(() -> ids.programQueuePair(queuePair).detach(group));
        }
    }
}
