package io.rxe.bench;

import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;

/**
 * The receiving side of a {@link Lane}, an object of its own because it may belong to another thread: what one side writes must not lie
 * in the cache line that the other reads for each message. Owned by the thread that takes receives.
 */
final class LaneReceives {
    private final Workload workload;
    private final QueuePair receiver;
    private final ReceiveRequest[] requests;
    private final int depth;
    private long received;

    /**
     * Posts the first receives.
     *
     * @param index number of the lane, part of the id of its requests.
     * @param depth messages outstanding.
     */
    LaneReceives(Workload workload, int index, LoopbackPair pair, SlotMemory memory, int depth) {
        this.workload = workload;
        this.depth = depth;
        receiver = pair.second().queuePair(index);
        requests = new ReceiveRequest[memory.slots()];
        for (int slot = 0; slot < requests.length; slot++) {
            requests[slot] = new ReceiveRequest().id((long) index << Integer.SIZE | slot);
            if (workload.operation() != Operation.RDMA_WRITE_WITH_IMMEDIATE && workload.sizeBytes() > 0) {
                requests[slot].add(memory.second().region(), memory.offset(index, slot), workload.sizeBytes());
            }
        }
        for (int i = 0; i < depth; i++) {
            post(i % requests.length);
        }
    }

    /** The receiving sides of all lanes; none where nothing takes a receive. */
    static LaneReceives[] of(Workload workload, LoopbackPair pair, SlotMemory memory, int lanes, int depth) {
        LaneReceives[] all = new LaneReceives[workload.takesReceive() ? lanes : 0];
        for (int i = 0; i < all.length; i++) {
            all[i] = new LaneReceives(workload, i, pair, memory, depth);
        }
        return all;
    }

    /** The lane whose receive completed. */
    static int lane(WorkCompletion completion) {
        return (int) (completion.workRequestId() >>> Integer.SIZE);
    }

    /** A receive of this lane completed: posts it again. */
    void take(WorkCompletion completion) {
        if (completion.byteLength() != workload.sizeBytes()) {
            throw new TransferFailure(workload + ": a message of " + completion.byteLength() + " bytes arrived");
        }
        received++;
        post((int) completion.workRequestId());
    }

    /** Messages that arrived. */
    long received() {
        return received;
    }

    private void post(int slot) {
        if (!receiver.postReceive(requests[slot])) {
            throw new TransferFailure(workload + ": the receive queue is full with " + depth + " posted");
        }
    }
}
