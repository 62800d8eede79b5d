package io.rxe.verbs;

/** The operation of a work request or completion; {@code ibv_wr_opcode} and {@code ibv_wc_opcode} in one. */
public enum Operation {
    SEND(0, Is.SEND),
    SEND_WITH_IMMEDIATE(0, Is.SEND),
    SEND_WITH_INVALIDATE(0, Is.SEND),
    RDMA_WRITE(1, Is.WRITE),
    RDMA_WRITE_WITH_IMMEDIATE(1, Is.WRITE),
    RDMA_READ(2, Is.RESPONDED | Is.DATA),
    COMPARE_AND_SWAP(3, Is.RESPONDED | Is.DATA | Is.ATOMIC),
    FETCH_AND_ADD(4, Is.RESPONDED | Is.DATA | Is.ATOMIC),
    /** Writes eight bytes at once; they arrive after all WRITEs before it. */
    ATOMIC_WRITE(9, Is.RESPONDED),
    /** Makes what the WRITEs before it have written visible to all, or persistent. */
    FLUSH(8, Is.RESPONDED),
    /** Binds a memory window; {@code IBV_WR_BIND_MW}. Sends no packet. */
    BIND_MW(5, Is.LOCAL),
    /** Ends a binding or a registration by key; {@code IBV_WR_LOCAL_INV}. Sends no packet. */
    LOCAL_INV(6, Is.LOCAL),
    /** Registers an {@link AllocatedRegion}; {@code IB_WR_REG_MR} of the kernel verbs. Sends no packet. */
    REG_MR(0, Is.LOCAL),
    /** Completions only: a SEND of the peer was received. */
    RECEIVE(128, Is.COMPLETION),
    /** Completions only: an RDMA WRITE with immediate of the peer was received and used a receive request. */
    RECEIVE_RDMA_WITH_IMMEDIATE(129, Is.COMPLETION);

    /** What an operation is, one bit each. A bit is one load; these questions come several times for each packet. */
    private static final class Is {
        static final int SEND = 1;
        static final int WRITE = 2;
        static final int ATOMIC = 4;
        static final int DATA = 8;
        static final int RESPONDED = 16;
        static final int LOCAL = 32;
        static final int COMPLETION = 64;
    }

    private final int completionCode;
    private final int bits;

    Operation(int completionCode, int bits) {
        this.completionCode = completionCode;
        this.bits = bits;
    }

    /** The number of {@code ibv_wc_opcode}; 0 for REG_MR, which has none. */
    public int completionCode() {
        return completionCode;
    }

    private boolean is(int bit) {
        return (bits & bit) != 0;
    }

    /** Whether it is a SEND, in any of its three forms. */
    public boolean isSend() {
        return is(Is.SEND);
    }

    /** Whether it is an RDMA WRITE, with or without immediate data. */
    public boolean isWrite() {
        return is(Is.WRITE);
    }

    /** Whether it is COMPARE_AND_SWAP or FETCH_AND_ADD. */
    public boolean isAtomic() {
        return is(Is.ATOMIC);
    }

    /** Whether its response brings data: READ, COMPARE_AND_SWAP and FETCH_AND_ADD. */
    public boolean bringsData() {
        return is(Is.DATA);
    }

    /** Whether it has a response of its own, so that max_rd_atomic limits it: READ, the atomics, ATOMIC_WRITE and FLUSH. */
    public boolean isReadOrAtomic() {
        return is(Is.RESPONDED);
    }

    /** Whether it changes a key of this NIC and sends no packet. */
    public boolean isLocal() {
        return is(Is.LOCAL);
    }

    /** Whether it may be posted to a send queue. */
    public boolean isPostable() {
        return !is(Is.COMPLETION);
    }
}
