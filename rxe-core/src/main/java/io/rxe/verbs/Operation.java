package io.rxe.verbs;

/** What a work request asks for, and what a completion reports. */
public enum Operation {
    SEND,
    SEND_WITH_IMMEDIATE,
    SEND_WITH_INVALIDATE,
    RDMA_WRITE,
    RDMA_WRITE_WITH_IMMEDIATE,
    RDMA_READ,
    COMPARE_AND_SWAP,
    FETCH_AND_ADD,
    /** Completions only: a SEND of the peer arrived. */
    RECEIVE,
    /** Completions only: an RDMA WRITE with immediate of the peer arrived and took a receive request. */
    RECEIVE_RDMA_WITH_IMMEDIATE;

    /** SEND in any of its three forms. */
    public boolean isSend() {
        return this == SEND || this == SEND_WITH_IMMEDIATE || this == SEND_WITH_INVALIDATE;
    }

    /** RDMA WRITE with or without immediate data. */
    public boolean isWrite() {
        return this == RDMA_WRITE || this == RDMA_WRITE_WITH_IMMEDIATE;
    }

    /** COMPARE_AND_SWAP or FETCH_AND_ADD. */
    public boolean isAtomic() {
        return this == COMPARE_AND_SWAP || this == FETCH_AND_ADD;
    }

    /** Answered with data, and so bounded by max_rd_atomic: READ and the atomics. */
    public boolean isReadOrAtomic() {
        return this == RDMA_READ || isAtomic();
    }

    /** Whether the application may post it to a send queue. */
    public boolean isPostable() {
        return this != RECEIVE && this != RECEIVE_RDMA_WITH_IMMEDIATE;
    }
}
