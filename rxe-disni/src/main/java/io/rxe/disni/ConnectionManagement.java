package io.rxe.disni;

import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.rxe.fault.Verb;
import java.io.IOException;
import java.net.SocketAddress;

/** Connection management. Any thread; only {@link #getCmEvent} waits. Errors have the words of DiSNI and libdisni. */
final class ConnectionManagement extends RdmaCm {
    private final LocalNic nic;

    ConnectionManagement(LocalNic nic) {
        this.nic = nic;
    }

    @Override
    public RdmaEventChannel createEventChannel() throws IOException {
        Failure.step("j2c::createEventChannel: rdma_create_event_channel failed", () -> nic.onCall(Verb.RDMA_CREATE_EVENT_CHANNEL));
        return new DisniEventChannel();
    }

    /** Of the port space TCP, whichever is asked for. */
    @Override
    public RdmaCmId createId(RdmaEventChannel cmChannel, short portSpace) throws IOException {
        Failure.requireOpen(cmChannel.isOpen(), "Trying to create ID with closed channel.");
        Failure.step("j2c::createId: rdma_create_id failed", () -> nic.onCall(Verb.RDMA_CREATE_ID));
        return new DisniId((DisniEventChannel) cmChannel);
    }

    @Override
    public IbvQP createQP(RdmaCmId id, IbvPd pd, IbvQPInitAttr attr) throws IOException {
        Failure.requireOpen(id.isOpen(), "Trying to create QP with closed ID");
        Failure.requireOpen(pd.isOpen(), "Trying to create QP with closed PD");
        Failure.requireOpen(attr.getSend_cq().isOpen(), "Trying to create a QP with closed send CQ");
        Failure.requireOpen(attr.getRecv_cq().isOpen(), "Trying to create a QP with closed receive CQ");
        return Failure.named("j2c::createQP: rdma_create_qp failed", () -> ((DisniId) id).createQueuePair((DisniDomain) pd, attr));
    }

    @Override
    public void bindAddr(RdmaCmId id, SocketAddress address) throws IOException {
        Failure.requireOpen(id.isOpen(), "Trying to bind() using a closed ID");
        Failure.step("j2c::bind: rdma_bind_addr failed", () -> ((DisniId) id).bind(nic, address));
    }

    @Override
    public void listen(RdmaCmId id, int backlog) throws IOException {
        Failure.requireOpen(id.isOpen(), "Trying to listen on closed ID");
        Failure.step("j2c::listen: rdma_listen failed", () -> ((DisniId) id).listen(nic, backlog));
    }

    /** @param source ignored, as in libdisni. */
    @Override
    public void resolveAddr(RdmaCmId id, SocketAddress source, SocketAddress destination, int timeout) throws IOException {
        Failure.requireOpen(id.isOpen(), "Trying to resolve address with closed ID");
        Failure.step("j2c::resolveAddr: rdma_resolve_addr failed", () -> ((DisniId) id).resolveAddress(nic, destination));
    }

    @Override
    public void resolveRoute(RdmaCmId id, int timeout) throws IOException {
        Failure.requireOpen(id.isOpen(), "Trying to resolve route with closed ID");
        Failure.step("j2c::resolveRoute: rdma_resolve_route failed", ((DisniId) id)::resolveRoute);
    }

    @Override
    public RdmaCmEvent getCmEvent(RdmaEventChannel cmChannel, int timeout) throws IOException {
        Failure.requireOpen(cmChannel.isOpen(), "Trying to get CM event on closed channel.");
        Failure.step("j2c::getCmEvent: rdma_get_cm_event failed", () -> nic.onCall(Verb.RDMA_GET_CM_EVENT));
        return ((DisniEventChannel) cmChannel).next(timeout);
    }

    @Override
    public void connect(RdmaCmId id, RdmaConnParam parameters) throws IOException {
        Failure.requireOpen(id.isOpen(), "Trying to call connect() with closed ID");
        Failure.step("j2c::connect: rdma_connect failed", () -> ((DisniId) id).requestConnection(parameters));
    }

    @Override
    public void accept(RdmaCmId id, RdmaConnParam parameters) throws IOException {
        Failure.requireOpen(id.isOpen(), "Trying to call accept() with closed ID");
        Failure.step("j2c::accept: rdma_accept failed", () -> ((DisniId) id).acceptRequest(parameters));
    }

    /** Nothing waits for acknowledgements here. */
    @Override
    public int ackCmEvent(RdmaCmEvent event) {
        return 0;
    }

    @Override
    public int disconnect(RdmaCmId id) throws IOException {
        Failure.requireOpen(id.isOpen(), "Trying to disconnect with closed ID");
        return ((DisniId) id).endConnection();
    }

    @Override
    public int destroyEventChannel(RdmaEventChannel cmChannel) throws IOException {
        Failure.requireOpen(cmChannel.isOpen(), "Trying to destroy an already destroyed channel.");
        ((DisniEventChannel) cmChannel).destroy();
        return 0;
    }

    @Override
    public int destroyCmId(RdmaCmId id) throws IOException {
        Failure.requireOpen(id.isOpen(), "Trying to destroy an already destroyed ID");
        Failure.step("j2c::destroyId: rdma_destroy_id failed", ((DisniId) id)::destroy);
        return 0;
    }

    @Override
    public int destroyQP(RdmaCmId id) throws IOException {
        Failure.requireOpen(id.isOpen(), "Trying to destroy QP with closed ID.");
        Failure.requireOpen(((DisniId) id).hasQueuePair(), "Trying to destroy an already destroyed QP.");
        Failure.step("j2c::destroyQP: ibv_destroy_qp failed", ((DisniId) id)::destroyQueuePair);
        return 0;
    }

    @Override
    public SocketAddress getSrcAddr(RdmaCmId id) throws IOException {
        Failure.requireOpen(id.isOpen(), "Trying to get source address with closed ID");
        return ((DisniId) id).source();
    }

    @Override
    public SocketAddress getDstAddr(RdmaCmId id) throws IOException {
        Failure.requireOpen(id.isOpen(), "Trying to get destination address with closed ID");
        return ((DisniId) id).destination();
    }

    /** Destroys the queue pair and the id. */
    @Override
    public int destroyEp(RdmaCmId id) throws IOException {
        Failure.requireOpen(id.isOpen(), "Trying to destroy an endpoint with closed ID");
        DisniId present = (DisniId) id;
        if (present.hasQueuePair()) {
            destroyQP(id);
        }
        destroyCmId(id);
        return 0;
    }
}
