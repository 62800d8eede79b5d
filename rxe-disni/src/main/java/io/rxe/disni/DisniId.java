package io.rxe.disni;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import io.rxe.cm.CmConnection;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.Listener;
import io.rxe.cm.PortSpace;
import io.rxe.fault.ConnectionFault;
import io.rxe.fault.Verb;
import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.net.process.Sentences;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;

/**
 * An id: bound to a port, then a listener, or one end of a connection. Any thread; the lock guards its steps, none of which waits for the
 * peer.
 */
final class DisniId extends RdmaCmId {
    /** As in libdisni, whatever the program asks for. */
    static final PortSpace PORT_SPACE = PortSpace.TCP;

    private static final InetSocketAddress NOWHERE = new InetSocketAddress(0);

    private final DisniEventChannel channel;
    private DisniContext context;
    /** The port it is bound to; 0 for none. */
    private int port;
    /** False for a request, which has the port of its listener. */
    private boolean ownsPort;
    private InetSocketAddress peer = NOWHERE;
    private Listener listener;
    private CmConnection connection;

    DisniId(DisniEventChannel channel) throws IOException {
        super(channel, null);
        this.channel = channel;
    }

    /** The id of a request that arrived for this listener. */
    synchronized DisniId request(CmConnection requested) throws IOException {
        DisniId id = new DisniId(channel);
        id.context(context);
        id.port = port;
        id.peer = new InetSocketAddress(address(requested.peer()), requested.peerPort());
        id.connection = requested;
        requested.attachment(id);
        return id;
    }

    private void context(DisniContext chosen) {
        context = chosen;
        chosen.ids().add(this);
        setVerbs(chosen);
    }

    /** The NIC; null before the id is bound or resolves an address. */
    @Override
    public IbvContext getVerbs() throws IOException {
        Failure.requireOpen(verbs != null || isOpen(), "Trying to get context on closed ID");
        return verbs;
    }

    /** Of an IPv4 address mapped into IPv6, Java makes an IPv4 address. */
    private static InetAddress address(Gid gid) {
        try {
            return InetAddress.getByAddress(gid.toBytes());
        } catch (UnknownHostException e) {
            throw new AssertionError("a GID has 16 bytes", e);
        }
    }

    private static InetSocketAddress inet(SocketAddress address) {
        if (address instanceof InetSocketAddress inet && !inet.isUnresolved()) {
            return inet;
        }
        throw VerbFailure.of(VerbError.EINVAL, address + " is no internet address: give a host that can be resolved, and a port");
    }

    synchronized void bind(LocalNic nic, SocketAddress address) throws IOException {
        InetSocketAddress local = inet(address);
        if (port != 0) {
            throw VerbFailure.of(VerbError.EINVAL, "the id is bound to port " + port + " already: create another");
        }
        context(nic.at(local.getAddress()));
        context.onCall(Verb.RDMA_BIND_ADDR);
        takePort(local.getPort());
    }

    private void takePort(int wanted) {
        port = context.ports().take(PortSpace.TCP, wanted, false);
        ownsPort = true;
    }

    synchronized void listen(LocalNic nic, int backlog) throws IOException {
        if (connection != null || listener != null) {
            throw VerbFailure.of(VerbError.EINVAL, "the id listens or is connected already: create another");
        }
        if (port == 0) {
            bind(nic, NOWHERE);
        }
        listener = channel.listen(this, context.nic().connections(), port, backlog);
        Sentences.verbose(listener::toString);
    }

    /** The way to an address is found packet by packet, so that there is nothing to wait for. */
    synchronized void resolveAddress(LocalNic nic, SocketAddress destination) throws IOException {
        InetSocketAddress wanted = inet(destination);
        if (connection != null || listener != null) {
            throw VerbFailure.of(VerbError.EINVAL, "the id listens or is connected: resolve with another");
        }
        if (context == null) {
            context(nic.toward(wanted.getAddress()));
        }
        context.onCall(Verb.RDMA_RESOLVE_ADDR);
        if (port == 0) {
            takePort(0);
        }
        if (failsBy(Verb.RDMA_RESOLVE_ADDR)) {
            return;
        }
        // The unspecified address is this host, as for TCP.
        peer = wanted.getAddress().isAnyLocalAddress() ? new InetSocketAddress(context.address(), wanted.getPort()) : wanted;
        channel.raise(DisniEvent.of(EventType.RDMA_CM_EVENT_ADDR_RESOLVED, 0, this));
    }

    synchronized void resolveRoute() throws IOException {
        checkResolved();
        context.onCall(Verb.RDMA_RESOLVE_ROUTE);
        if (!failsBy(Verb.RDMA_RESOLVE_ROUTE)) {
            channel.raise(DisniEvent.of(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED, 0, this));
        }
    }

    /** Whether a fault has a call fail with an event, which this adds. */
    private boolean failsBy(Verb verb) throws IOException {
        ConnectionFault fault = context.nic().faults().onConnection(verb);
        if (fault != null) {
            Sentences.verbose(fault::why);
            channel.raise(DisniEvent.of(EventType.values()[fault.event().number()], fault.status(), this));
        }
        return fault != null;
    }

    /** The device is gone, or has another address. */
    void onDevice(EventType type) throws IOException {
        channel.raise(DisniEvent.of(type, 0, this));
    }

    private void checkResolved() {
        if (peer == NOWHERE) {
            throw VerbFailure.of(VerbError.EINVAL, "the id has no destination: call resolveAddr before");
        }
    }

    synchronized IbvQP createQueuePair(DisniDomain domain, IbvQPInitAttr attr) throws IOException {
        if (hasQueuePair()) {
            throw VerbFailure.of(VerbError.EINVAL, "the id has a queue pair: destroy it, or create one for another id");
        }
        DisniQueuePair created = new DisniQueuePair(domain, attr);
        setQp(created);
        return created;
    }

    private DisniQueuePair queuePair() {
        if (qpObj instanceof DisniQueuePair present && present.isOpen()) {
            return present;
        }
        throw VerbFailure.of(VerbError.EINVAL, "the id has no queue pair: call createQP before");
    }

    synchronized void requestConnection(RdmaConnParam asked) throws IOException {
        checkResolved();
        if (connection != null) {
            throw VerbFailure.of(VerbError.EINVAL, "the id is connected already, or was: connect with another");
        }
        ConnectParameters parameters = Parameters.of(asked, context.nic().device().attributes())
            .privateData(NativeMemory.copy(asked.getPrivate_data(), asked.getPrivate_data_len() & 0xFF))
            .sourcePort(port).attachment(this);
        connection = context.nic().connections().connector(channel.events())
            .connect(queuePair().queuePair(), Gid.of(peer.getAddress().getAddress()), peer.getPort(), parameters);
    }

    /** Without private data, as in libdisni. */
    synchronized void acceptRequest(RdmaConnParam asked) {
        if (connection == null) {
            throw VerbFailure.of(VerbError.EINVAL, "the id has no request to accept");
        }
        connection.accept(queuePair().queuePair(), Parameters.of(asked, context.nic().device().attributes()));
    }

    /** Returns 0, or -1 where there is nothing to disconnect, as rdma_disconnect does. */
    synchronized int endConnection() {
        if (connection == null) {
            return -1;
        }
        try {
            connection.disconnect();
            return 0;
        } catch (IllegalArgumentException | IllegalStateException e) {
            Sentences.verbose(e::getMessage);
            return -1;
        }
    }

    /** Whether it has a queue pair that is not destroyed. */
    boolean hasQueuePair() {
        return qpObj != null && qpObj.isOpen();
    }

    synchronized void destroyQueuePair() {
        queuePair().destroy();
    }

    /** Gives the connection up and stops listening; no event follows. */
    synchronized void destroy() {
        if (context != null) {
            context.onCall(Verb.RDMA_DESTROY_ID);
        }
        close();
        if (context != null) {
            context.ids().remove(this);
        }
        if (listener != null) {
            channel.forget(listener);
            listener.close();
        }
        if (connection != null) {
            connection.close();
        }
        if (ownsPort) {
            context.ports().release(PortSpace.TCP, port);
        }
    }

    /** The local address; the unspecified one before it is bound. */
    synchronized SocketAddress source() {
        return context == null ? NOWHERE : new InetSocketAddress(context.address(), port);
    }

    /** The peer's address; the unspecified one where there is none. */
    synchronized SocketAddress destination() {
        return peer;
    }

    @Override
    public String toString() {
        return "id of " + source() + " with " + destination() + (isOpen() ? "" : ", destroyed");
    }
}
