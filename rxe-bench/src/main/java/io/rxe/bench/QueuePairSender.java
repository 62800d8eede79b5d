package io.rxe.bench;

import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.WorkRequest;

/**
 * One queue pair of a bandwidth test, sending from the first side to the second: its prepared requests and its counts. Several
 * outstanding messages may share a slot of memory; their bytes are the same. Owned by the thread that posts.
 */
final class QueuePairSender {
    private final Workload workload;
    private final QueuePairReceiver receiver;
    private final QueuePair queuePair;
    private final SlotMemory memory;
    private final int index;
    private final WorkRequest[] requests;
    private final int depth;
    private final int chunk;
    private int leftInChunk;
    private long posted;
    private long sent;
    private long beginCount;
    private long endCount;
    private boolean isDue;

    /**
     * @param index    number of the queue pair, the id of its requests.
     * @param depth    messages outstanding, a multiple of {@code chunk}.
     * @param chunk    messages posted with one doorbell and one completion.
     * @param receiver its other side if the thread that posts also polls receives: the window then waits for both; otherwise null.
     */
    QueuePairSender(Workload workload, int index, LoopbackPair pair, SlotMemory memory, int depth, int chunk, QueuePairReceiver receiver) {
        this.workload = workload;
        this.memory = memory;
        this.index = index;
        this.receiver = receiver;
        this.depth = depth;
        this.chunk = chunk;
        queuePair = pair.first().queuePair(index);
        requests = new WorkRequest[memory.slots()];
        for (int slot = 0; slot < requests.length; slot++) {
            int offset = memory.offset(index, slot);
            int remoteOffset = workload.isAtomic() ? memory.offset(index, 0) : offset;
            requests[slot] = workload.request(memory.first(), offset, memory.second(), remoteOffset, slot).id(index);
        }
    }

    /**
     * Posts what the window has room for.
     *
     * @param mayBegin whether new chunks may start; a started chunk is always finished, since only its last request is signaled.
     * @return messages posted.
     */
    int fill(boolean mayBegin) {
        int count = 0;
        while (leftInChunk > 0 || mayBegin && hasRoom()) {
            if (leftInChunk == 0) {
                leftInChunk = chunk;
            }
            int slot = (int) (posted % requests.length);
            WorkRequest request = requests[slot];
            if (workload.operation() == Operation.COMPARE_AND_SWAP) {
                // Each swap expects the value of the one before: the final value shows whether each was executed exactly once.
                request.compareAndSwap(request.remoteAddress(), request.remoteKey(), posted, posted + 1)
                    .add(memory.first().region(), memory.offset(index, slot), Workload.ATOMIC_BYTES);
            }
            if (!queuePair.postSendDeferred(request.signaled(leftInChunk == 1))) {
                break;
            }
            leftInChunk--;
            posted++;
            count++;
        }
        if (count > 0) {
            queuePair.ringDoorbell();
        }
        return count;
    }

    /** Whether the send queue was full in the middle of a chunk. */
    boolean isCutShort() {
        return leftInChunk > 0;
    }

    /** Whether it is in the {@link SenderQueue}. */
    boolean isDue() {
        return isDue;
    }

    void due(boolean value) {
        isDue = value;
    }

    private boolean hasRoom() {
        return posted + chunk - completed() <= depth && posted + chunk - sent <= depth;
    }

    /** A signaled send completed, and with it the chunk it closes. */
    void onSent() {
        sent += chunk;
    }

    long posted() {
        return posted;
    }

    long completed() {
        return receiver == null ? sent : receiver.received();
    }

    /** The measured time begins. */
    void markBegin() {
        beginCount = completed();
    }

    /** The measured time ends. */
    void markEnd() {
        endCount = completed();
    }

    /** Messages completed in the measured time. */
    long measured() {
        return endCount - beginCount;
    }

    boolean isIdle() {
        return leftInChunk == 0 && sent == posted && completed() == posted;
    }
}
