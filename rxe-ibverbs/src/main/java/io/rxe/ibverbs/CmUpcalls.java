package io.rxe.ibverbs;

import io.rxe.cm.ConnectionService;

/**
 * What the C half calls for the functions of librdmacm. As {@link Upcalls}: each returns a handle or 0, or a negative errno where it
 * fails. Ids and queue pairs are handles, 0 for no queue pair; the rest are addresses.
 */
public final class CmUpcalls {
    private CmUpcalls() {
    }

    private static ConnectionIds ids(int id) {
        return Upcalls.nic(id).connectionIds();
    }

    private static ConnectionId id(int id) {
        return ids(id).get(id);
    }

    /**
     * @param nic number of the NIC.
     * @param id  {@code rdma_cm_id}.
     */
    public static int create(int nic, long id, int portSpace) {
        return Upcalls.control(() -> Upcalls.numbered(nic).connectionIds().create(id, portSpace));
    }

    public static int destroy(int id) {
        return Upcalls.free(() -> ids(id).destroy(id));
    }

    /**
     * Binds the id to the source address in it, which gets the port.
     *
     * @param familyOnly whether any address of one family is none of the other.
     */
    public static int bind(int id, boolean sharesPort, boolean familyOnly) {
        return Upcalls.step(() -> id(id).bind(sharesPort, familyOnly));
    }

    /** Resolves the destination address in the id, whose source address is filled in. */
    public static int resolveAddress(int id, boolean sharesPort) {
        return Upcalls.step(() -> id(id).resolveAddress(sharesPort));
    }

    public static int resolveRoute(int id) {
        return Upcalls.step(() -> id(id).resolveRoute());
    }

    public static int listen(int id, int backlog) {
        return Upcalls.step(() -> id(id).listen(backlog));
    }

    public static int prepareQp(int qp) {
        return Upcalls.step(() -> ConnectionService.prepare(Upcalls.verbs(qp).queuePairs().get(qp).object()));
    }

    /**
     * @param param        {@code rdma_conn_param}, or 0.
     * @param ackTimeout   code of the transport timer, 0 for that of connection management.
     * @param trafficClass of the data.
     * @param srq          not 0 if the queue pair receives from an SRQ.
     */
    public static int connect(int id, int qp, long param, int ackTimeout, int trafficClass, int srq) {
        return Upcalls.step(() -> id(id).connect(qp, new ConnectionParameters(param, srq != 0).ackTimeout(ackTimeout)
            .trafficClass(trafficClass)));
    }

    /** @param param {@code rdma_conn_param}, or 0. */
    public static int accept(int id, int qp, long param) {
        return Upcalls.step(() -> id(id).accept(qp, new ConnectionParameters(param, false)));
    }

    /** @param data the private data. */
    public static int reject(int id, long data, int lengthBytes) {
        return Upcalls.step(() -> id(id).reject(ConnectionParameters.bytes(data, lengthBytes)));
    }

    public static int establish(int id) {
        return Upcalls.step(() -> id(id).establish());
    }

    public static int notifyEstablished(int id) {
        return Upcalls.step(() -> id(id).notifyEstablished());
    }

    public static int disconnect(int id) {
        return Upcalls.step(() -> id(id).disconnect());
    }

    /**
     * @param attr {@code ibv_qp_attr}, which has the state to go to.
     * @param mask {@code int}, which gets the attributes that are set.
     */
    public static int initQpAttr(int id, long attr, long mask) {
        return Upcalls.step(() -> id(id).initQueuePairAttributes(attr, mask));
    }

    /**
     * @param group   {@code sockaddr} of the group.
     * @param context of the program, for the event.
     */
    public static int join(int id, int qp, long group, long context) {
        return Upcalls.step(() -> id(id).join(qp, SocketAddress.gid(group), context));
    }

    /** @param group {@code sockaddr} of the group. */
    public static int leave(int id, int qp, long group) {
        return Upcalls.step(() -> id(id).leave(qp, SocketAddress.gid(group)));
    }
}
