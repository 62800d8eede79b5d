package io.rxe.fault;

import java.util.Locale;

/**
 * A call that can be made to fail, with the name of its man page: {@code ibv_reg_mr} is {@code reg_mr}. One that frees leaves what it is
 * about as it was, to be freed later.
 */
public enum Verb {
    ALLOC_PD, OPEN_XRCD, REG_MR, REREG_MR, ALLOC_MW, CREATE_CQ, RESIZE_CQ, CREATE_SRQ, MODIFY_SRQ, CREATE_QP, MODIFY_QP, QUERY_QP,
    CREATE_AH, ATTACH_MCAST, POST_SEND, POST_RECV, POST_SRQ_RECV, POLL_CQ, REQ_NOTIFY_CQ,
    DEALLOC_PD, CLOSE_XRCD, DEREG_MR, DEALLOC_MW, DESTROY_CQ, DESTROY_SRQ, DESTROY_QP, DESTROY_AH, DETACH_MCAST, DESTROY_COMP_CHANNEL,
    CLOSE_DEVICE,
    RDMA_CREATE_ID, RDMA_BIND_ADDR, RDMA_RESOLVE_ADDR, RDMA_RESOLVE_ROUTE, RDMA_LISTEN, RDMA_CONNECT, RDMA_ACCEPT, RDMA_DISCONNECT,
    RDMA_JOIN_MULTICAST, RDMA_LEAVE_MULTICAST, RDMA_DESTROY_ID;

    /** The word of a fault specification. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
