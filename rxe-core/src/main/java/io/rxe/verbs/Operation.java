package io.rxe.verbs;

/** The operation of a work request or completion; {@code ibv_wr_opcode} and {@code ibv_wc_opcode} in one. */
public enum Operation {
    SEND,
    SEND_WITH_IMMEDIATE,
    SEND_WITH_INVALIDATE,
    RDMA_WRITE,
    RDMA_WRITE_WITH_IMMEDIATE,
    RDMA_READ,
    COMPARE_AND_SWAP,
    FETCH_AND_ADD,
    /** Writes eight bytes at once; they arrive after all WRITEs before it. */
    ATOMIC_WRITE,
    /** Makes what the WRITEs before it have written visible to all, or persistent. */
    FLUSH,
    /** Binds a memory window; {@code IBV_WR_BIND_MW}. Sends no packet. */
    BIND_MW,
    /** Ends a binding or a registration by key; {@code IBV_WR_LOCAL_INV}. Sends no packet. */
    LOCAL_INV,
    /** Registers an {@link AllocatedRegion}; {@code IB_WR_REG_MR} of the kernel verbs. Sends no packet. */
    REG_MR,
    /** Completions only: a SEND of the peer was received. */
    RECEIVE,
    /** Completions only: an RDMA WRITE with immediate of the peer was received and used a receive request. */
    RECEIVE_RDMA_WITH_IMMEDIATE;

    /** Whether it is a SEND, in any of its three forms. */
    public boolean isSend() {
        return this == SEND || this == SEND_WITH_IMMEDIATE || this == SEND_WITH_INVALIDATE;
    }

    /** Whether it is an RDMA WRITE, with or without immediate data. */
    public boolean isWrite() {
        return this == RDMA_WRITE || this == RDMA_WRITE_WITH_IMMEDIATE;
    }

    /** Whether it is COMPARE_AND_SWAP or FETCH_AND_ADD. */
    public boolean isAtomic() {
        return this == COMPARE_AND_SWAP || this == FETCH_AND_ADD;
    }

    /** Whether its response brings data: READ, COMPARE_AND_SWAP and FETCH_AND_ADD. */
    public boolean bringsData() {
        return this == RDMA_READ || isAtomic();
    }

    /** Whether it has a response of its own, so that max_rd_atomic limits it: READ, the atomics, ATOMIC_WRITE and FLUSH. */
    public boolean isReadOrAtomic() {
        return bringsData() || this == ATOMIC_WRITE || this == FLUSH;
    }

    /** Whether it changes a key of this NIC and sends no packet. */
    public boolean isLocal() {
        return this == BIND_MW || this == LOCAL_INV || this == REG_MR;
    }

    /** Whether it may be posted to a send queue. */
    public boolean isPostable() {
        return this != RECEIVE && this != RECEIVE_RDMA_WITH_IMMEDIATE;
    }
}
