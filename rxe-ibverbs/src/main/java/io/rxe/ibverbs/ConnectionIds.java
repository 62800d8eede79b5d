package io.rxe.ibverbs;

import io.rxe.cm.CmConnection;
import io.rxe.cm.CmEvent;
import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectionService;
import io.rxe.cm.Connector;
import io.rxe.cm.Listener;
import io.rxe.cm.PortSpace;
import io.rxe.fault.ConnectionFault;
import io.rxe.fault.TimedFault;
import io.rxe.fault.Verb;
import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.ibverbs.CmLayout.CmId;
import io.rxe.ibverbs.CmLayout.UdParam;
import io.rxe.net.RxeNic;
import io.rxe.net.host.ServiceThread;
import io.rxe.net.process.BoundPorts;
import io.rxe.net.process.Sentences;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.LongConsumer;
import org.agrona.UnsafeApi;

/**
 * The {@code rdma_cm_id}s of the program. A thread of its own takes their events from connection management, which may bring a queue pair
 * to RTS, and adds them to the channels of the program.
 *
 * <p>Any thread. The lock of this class guards the table, the ports and the adding of events, so that no event reaches an id that was
 * destroyed.
 */
final class ConnectionIds {
    private static final int LONGEST_PRIVATE_DATA = 255;

    private final RxeNic nic;
    private final Verbs verbs;
    private final CmEventChannel channel = new CmEventChannel();
    private final Handles<ConnectionId> ids;
    private final Map<Listener, ConnectionId> listeners = new IdentityHashMap<>();
    private final BoundPorts ports = new BoundPorts();
    /** The parameters of the event that is being added. */
    private final long parameters = UnsafeApi.allocateMemory(UdParam.SIZE + LONGEST_PRIVATE_DATA);
    private Connector connector;

    /** @param number of the NIC in the program. */
    ConnectionIds(int number, RxeNic nic, Verbs verbs) {
        this.ids = new Handles<>("rdma_cm_id", number);
        this.nic = nic;
        this.verbs = verbs;
        nic.onVerbsFault(this::onDevice, Upcalls::failScript);
    }

    /** Address of the NIC. */
    Gid gid() {
        return nic.device().gid();
    }

    /** UDP port of the NIC, and of its peers. */
    int udpPort() {
        return nic.device().udpPort();
    }

    /** The queue pair of a handle; null for 0. */
    QueuePair queuePair(int handle) {
        return handle == 0 ? null : programQueuePair(handle).object();
    }

    ProgramQueuePair programQueuePair(int handle) {
        return verbs.queuePairs().get(handle);
    }

    ConnectionId get(int handle) {
        return ids.get(handle);
    }

    synchronized Connector connector() {
        return connector;
    }

    /** @param id {@code rdma_cm_id}. */
    synchronized int create(long id, int portSpace) {
        if (connector == null) {
            Connector made = nic.connections().connector(channel);
            ServiceThread.start("rxe-connections", this::serve);
            // Only now: without the thread no event would arrive, and the next id tries again.
            connector = made;
        }
        ConnectionId created = new ConnectionId(this, space(portSpace));
        created.address(id);
        return ids.add(created);
    }

    /** The C half has refused others. */
    private static PortSpace space(int code) {
        for (PortSpace space : PortSpace.values()) {
            if (space.code() == code) {
                return space;
            }
        }
        throw VerbFailure.of(VerbError.EINVAL, "port space 0x" + Integer.toHexString(code) + " is not supported");
    }

    void destroy(int handle) {
        ConnectionId id = ids.get(handle);
        Listener listener;
        synchronized (this) {
            ids.remove(handle);
            listener = id.onDestroyed();
            listeners.remove(listener);
            if (id.ownPort() != 0) {
                ports.release(id.space(), id.ownPort());
            }
        }
        if (id.isBound()) {
            nic.connections().unbind(id.space(), id.port());
        }
        // No event follows.
        if (listener != null) {
            listener.close();
        }
        CmConnection connection = id.connection();
        if (connection != null) {
            connection.close();
        }
    }

    /** The id of a port that was bound is to listen at it soon, perhaps. */
    void expectListener(PortSpace space, int port) {
        nic.connections().bind(space, port);
    }

    synchronized int takePort(PortSpace space, int port, boolean shared) {
        return ports.take(space, port, shared);
    }

    /** @param backlog 0 or less for the default. */
    synchronized Listener listen(ConnectionId id, int port, int backlog) {
        if (listeners.values().stream().anyMatch(other -> other.space() == id.space() && other.port() == port)) {
            throw VerbFailure.of(VerbError.EADDRINUSE, id.space() + " port " + port + " has a listener already: use another port");
        }
        Listener listener = nic.connections().listen(channel, id.space(), port,
            backlog < 1 ? ConnectionService.DEFAULT_BACKLOG : backlog);
        listeners.put(listener, id);
        return listener;
    }

    private boolean serve() throws InterruptedException {
        CmEvent event;
        try {
            event = channel.await(Long.MAX_VALUE);
        } catch (IllegalStateException e) {
            // The NIC is closed, because the program ends; or it has failed, and an id that waits would wait for ever.
            Sentences.verbose(e::getMessage);
            if (!nic.isClosed()) {
                tellAll(EventParameters.DEVICE_REMOVAL);
            }
            return false;
        }
        if (event != null) {
            try {
                deliver(event);
            } catch (OutOfMemoryError e) {
                HeapReserve.release();
                deliver(event);
            }
        }
        return true;
    }

    private synchronized void deliver(CmEvent event) {
        if (!event.explanation().isEmpty()) {
            Sentences.verbose(() -> event.type() + ": " + event.explanation());
        }
        if (event.type() == CmEvent.Type.CONNECT_REQUEST) {
            deliverRequest(event);
        } else if (event.type() == CmEvent.Type.ALTERNATE_PATH) {
            Sentences.verbose(() -> "a path migration event of status " + event.status() + ": librdmacm has none");
        } else if (event.connection().attachment() instanceof ConnectionId id && !id.isDestroyed()) {
            id.connection(event.connection());
            add(id.address(), 0, EventParameters.number(event.type()), EventParameters.status(event),
                param -> EventParameters.write(event, param));
        }
    }

    private void deliverRequest(CmEvent event) {
        if (event.connection().type() == QueuePairType.XRC_RECV && event.listener().portSpace() != PortSpace.IB) {
            Sentences.verbose(() -> "an XRC request was rejected: programs of librdmacm are served XRC in port space RDMA_PS_IB");
            event.connection().close();
            return;
        }
        ConnectionId listener = listeners.get(event.listener());
        ConnectionId request = new ConnectionId(this, event.listener().portSpace());
        int handle = ids.add(request);
        long id = listener == null ? 0 : CmDowncalls.request(listener.address(), handle);
        if (id == 0) {
            ids.remove(handle);
            event.connection().close();
            return;
        }
        request.address(id);
        request.onRequest(event.connection(), listener.port());
        add(id, listener.address(), EventParameters.number(event.type()), event.status(), param -> EventParameters.write(event, param));
    }

    /** Adds an event that this side makes up: what it reports is done already. */
    synchronized void raise(ConnectionId id, int type, int status, LongConsumer writer) {
        if (!id.isDestroyed()) {
            add(id.address(), 0, type, status, writer);
        }
    }

    /** A call begins, which a fault may refuse. */
    void onCall(Verb verb) {
        nic.faults().onCall(verb, 0);
    }

    /** Whether a fault has a call fail with an event, which this adds. */
    boolean failsBy(ConnectionId id, Verb verb) {
        ConnectionFault fault = nic.faults().onConnection(verb);
        if (fault != null) {
            Sentences.verbose(fault::why);
            raise(id, fault.event().number(), fault.status(), param -> { });
        }
        return fault != null;
    }

    /** The device is gone, or has another address: a fault tells every id. */
    private void onDevice(TimedFault fault) {
        Sentences.verbose(fault::why);
        tellAll(fault.kind() == TimedFault.Kind.DEVICE_REMOVAL ? EventParameters.DEVICE_REMOVAL : EventParameters.ADDR_CHANGE);
    }

    private synchronized void tellAll(int type) {
        ids.forEach(id -> raise(id, type, 0, param -> { }));
    }

    private void add(long id, long listener, int type, int status, LongConsumer writer) {
        UnsafeApi.setMemory(parameters, UdParam.SIZE, (byte) 0);
        writer.accept(parameters);
        CmDowncalls.event(id, listener, type, status, parameters);
    }

    /** Writes source, destination and the GIDs of both. */
    void writeAddresses(long id, int port, Gid peer, int peerPort) {
        SocketAddress.write(id + CmId.SRC_ADDR, gid(), port);
        SocketAddress.write(id + CmId.DST_ADDR, peer, peerPort);
        AhAttributes.gid(id + CmId.SGID, gid());
        AhAttributes.gid(id + CmId.DGID, peer);
    }
}
