package io.rxe.fault;

import java.util.Locale;

/** A call that can be made to fail, with the name of its man page: {@code ibv_reg_mr} is {@code reg_mr}. Those that free never fail. */
public enum Verb {
    ALLOC_PD, OPEN_XRCD, REG_MR, REREG_MR, ALLOC_MW, CREATE_CQ, RESIZE_CQ, CREATE_SRQ, MODIFY_SRQ, CREATE_QP, MODIFY_QP, QUERY_QP,
    CREATE_AH, ATTACH_MCAST, POST_SEND, POST_RECV, POST_SRQ_RECV, POLL_CQ, REQ_NOTIFY_CQ,
    RDMA_CREATE_ID, RDMA_BIND_ADDR, RDMA_RESOLVE_ADDR, RDMA_RESOLVE_ROUTE, RDMA_LISTEN, RDMA_CONNECT, RDMA_ACCEPT, RDMA_DISCONNECT,
    RDMA_JOIN_MULTICAST;

    /** The word of a fault specification. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
