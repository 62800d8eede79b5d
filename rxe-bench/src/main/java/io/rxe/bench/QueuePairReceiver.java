package io.rxe.bench;

import io.rxe.verbs.QueuePair;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;

/**
 * The receiving side of a {@link QueuePairSender}. A separate object because another thread may own it: fields that one side writes
 * must not share a cache line with fields the other reads for each message. Owned by the thread that polls receives.
 */
final class QueuePairReceiver {
    private final Workload workload;
    private final QueuePair queuePair;
    private final ReceiveRequest[] requests;
    private final int depth;
    private long received;

    /**
     * Posts the first receives.
     *
     * @param index number of the queue pair, part of the id of its requests.
     * @param depth messages outstanding.
     */
    QueuePairReceiver(Workload workload, int index, LoopbackPair pair, SlotMemory memory, int depth) {
        this.workload = workload;
        this.depth = depth;
        queuePair = pair.second().queuePair(index);
        requests = new ReceiveRequest[memory.slots()];
        for (int slot = 0; slot < requests.length; slot++) {
            requests[slot] = workload.receive(memory.second(), memory.offset(index, slot)).id((long) index << Integer.SIZE | slot);
        }
        for (int i = 0; i < depth; i++) {
            post(i % requests.length);
        }
    }

    /** One for each queue pair; none if the workload takes no receives. */
    static QueuePairReceiver[] of(Workload workload, LoopbackPair pair, SlotMemory memory, int queuePairs, int depth) {
        QueuePairReceiver[] all = new QueuePairReceiver[workload.takesReceive() ? queuePairs : 0];
        for (int i = 0; i < all.length; i++) {
            all[i] = new QueuePairReceiver(workload, i, pair, memory, depth);
        }
        return all;
    }

    /** Number of the queue pair whose receive completed. */
    static int index(WorkCompletion completion) {
        return (int) (completion.workRequestId() >>> Integer.SIZE);
    }

    /** A receive of this queue pair completed: counts it and posts it again. */
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
        if (!queuePair.postReceive(requests[slot])) {
            throw new TransferFailure(workload + ": the receive queue is full with " + depth + " posted");
        }
    }
}
