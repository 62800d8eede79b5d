package io.rxe.bench;

import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.WorkRequest;

/**
 * One queue pair of a bandwidth test, sending from the first side to the second: its ready-made requests and its
 * counts. Several outstanding messages may share a slot of memory, their bytes are the same. Owned by the thread that posts.
 */
final class Lane {
    private final Workload workload;
    private final LaneReceives receives;
    private final QueuePair sender;
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
     * @param index    number of the lane, the id of its requests.
     * @param depth    messages outstanding, a multiple of {@code chunk}.
     * @param chunk    messages posted with one doorbell and one completion.
     * @param receives its other side, when the thread that posts also takes the receives: then it waits for them as well; or null.
     */
    Lane(Workload workload, int index, LoopbackPair pair, SlotMemory memory, int depth, int chunk, LaneReceives receives) {
        this.workload = workload;
        this.receives = receives;
        this.depth = depth;
        this.chunk = chunk;
        sender = pair.first().queuePair(index);
        requests = new WorkRequest[memory.slots()];
        for (int slot = 0; slot < requests.length; slot++) {
            requests[slot] = request(memory, index, slot);
        }
    }

    private WorkRequest request(SlotMemory memory, int index, int slot) {
        int offset = memory.offset(index, slot);
        long address = memory.second().address(offset);
        int key = memory.second().region().rKey();
        WorkRequest request = new WorkRequest().id(index);
        if (workload.sizeBytes() > 0) {
            request.add(memory.first().region(), offset, workload.sizeBytes());
        }
        return switch (workload.operation()) {
            case SEND -> request.send();
            case SEND_WITH_IMMEDIATE -> request.sendWithImmediate(slot);
            case RDMA_WRITE -> request.write(address, key);
            case RDMA_WRITE_WITH_IMMEDIATE -> request.writeWithImmediate(address, key, slot);
            case RDMA_READ -> request.read(address, key);
            case COMPARE_AND_SWAP -> request.compareAndSwap(memory.second().address(memory.offset(index, 0)), key, 0, 0);
            case FETCH_AND_ADD -> request.fetchAndAdd(memory.second().address(memory.offset(index, 0)), key, 1);
            default -> throw new IllegalArgumentException(workload + " cannot be measured");
        };
    }

    /**
     * Posts what the window has room for.
     *
     * @param mayBegin whether new chunks may be begun; one that was begun is always ended, since its last request is the signaled one.
     * @return messages posted.
     */
    int fill(boolean mayBegin) {
        int count = 0;
        while (leftInChunk > 0 || mayBegin && hasRoom()) {
            if (leftInChunk == 0) {
                leftInChunk = chunk;
            }
            WorkRequest request = requests[(int) (posted % requests.length)].signaled(leftInChunk == 1);
            if (workload.operation() == Operation.COMPARE_AND_SWAP) {
                // Each swap finds what the one before left: the last value tells whether every one was done once.
                request.compareAndSwap(request.remoteAddress(), request.remoteKey(), posted, posted + 1);
            }
            if (!sender.postSendQuietly(request)) {
                break;
            }
            leftInChunk--;
            posted++;
            count++;
        }
        if (count > 0) {
            sender.ringDoorbell();
        }
        return count;
    }

    /** Whether it could not post everything it may: the send queue was full. */
    boolean isCutShort() {
        return leftInChunk > 0;
    }

    /** Whether it stands in the queue of lanes to fill. */
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

    /** Messages that are through. */
    long completed() {
        return receives == null ? sent : receives.received();
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
