package io.rxe.ibverbs;

import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.ibverbs.Layout.SrqAttr;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.SharedReceiveQueueAttributes;
import org.agrona.UnsafeApi;

final class ProgramSharedReceiveQueue extends ProgramResource<SharedReceiveQueue> {
    private static final int MAX_WR = 1;
    private static final int LIMIT = 1 << 1;

    private final Receives receives;
    private final int maxElements;

    ProgramSharedReceiveQueue(SharedReceiveQueue queue, int maxElements, ProgramResource<?>... needs) {
        super(queue, needs);
        this.receives = new Receives(queue::beginReceives);
        this.maxElements = maxElements;
    }

    int postReceive(long wr, long bad) {
        return receives.post(wr, bad);
    }

    /** @param mask {@code ibv_srq_attr_mask}. */
    void modify(long attr, int mask) {
        if ((mask & ~(MAX_WR | LIMIT)) != 0) {
            throw VerbFailure.of(VerbError.EINVAL, "ibv_modify_srq with mask 0x" + Integer.toHexString(mask)
                + ": it has IBV_SRQ_MAX_WR and IBV_SRQ_LIMIT");
        }
        int limit = UnsafeApi.getInt(attr + SrqAttr.SRQ_LIMIT);
        int capacity = UnsafeApi.getInt(attr + SrqAttr.MAX_WR);
        // Both are set or none.
        if (mask == (MAX_WR | LIMIT) && Integer.compareUnsigned(limit, capacity) > 0) {
            throw VerbFailure.of(VerbError.EINVAL, "srq_limit " + Integer.toUnsignedString(limit) + " is more than max_wr "
                + Integer.toUnsignedString(capacity) + ": choose a smaller one");
        }
        if ((mask & MAX_WR) != 0) {
            object().resize(capacity);
        }
        if ((mask & LIMIT) != 0) {
            object().armLimit(limit);
        }
    }

    void query(long attr) {
        SharedReceiveQueueAttributes found = object().query();
        UnsafeApi.putInt(attr + SrqAttr.MAX_WR, found.maxRequests());
        UnsafeApi.putInt(attr + SrqAttr.MAX_SGE, maxElements);
        UnsafeApi.putInt(attr + SrqAttr.SRQ_LIMIT, found.limit());
    }
}
