package io.rxe.tools.perftest;

import io.rxe.bench.CompletionReader;
import io.rxe.verbs.WorkRequest;

/** Keeps every queue pair's send queue full up to the depth, and counts completions. */
final class Sender {
    private static final int INDEX_SHIFT = 48;
    private static final long COUNT_MASK = (1L << INDEX_SHIFT) - 1;

    private final PerftestEndpoint endpoint;
    private final CompletionReader completions;
    private final WorkRequest[][] requests;
    private final int depth;
    private final int completionEvery;
    private final long limit;
    private final long[] posted;
    private final long[] completed;
    private long totalCompleted;
    private long firstPostNs;
    private long lastCompletionNs;
    private boolean begun;

    Sender(PerftestPlan plan, PerftestEndpoint endpoint, int sizeBytes) {
        this.endpoint = endpoint;
        completions = endpoint.sends();
        depth = plan.sendDepth();
        completionEvery = plan.completionEvery();
        limit = plan.amount().isTimed() ? COUNT_MASK : plan.amount().iterations();
        posted = new long[plan.queuePairs()];
        completed = new long[plan.queuePairs()];
        requests = new WorkRequest[plan.queuePairs()][];
        for (int i = 0; i < requests.length; i++) {
            requests[i] = endpoint.requests(i, sizeBytes);
        }
    }

    /** Polls completions and posts as far as there is room. Returns the number of completions and posts. */
    int step() {
        int work = pollCompletions();
        for (int i = 0; i < posted.length; i++) {
            int count = (int) Math.min(limit - posted[i], depth - (posted[i] - completed[i]));
            for (int n = 0; n < count; n++) {
                post(i);
            }
            if (count > 0) {
                endpoint.queuePair(i).ringDoorbell();
                work += count;
            }
        }
        return work;
    }

    private int pollCompletions() {
        int count = completions.poll();
        if (count > 0) {
            lastCompletionNs = System.nanoTime();
        }
        for (int i = 0; i < count; i++) {
            // The id holds the number of requests posted on its queue pair so far; they complete in order.
            long id = completions.at(i).workRequestId();
            int index = (int) (id >>> INDEX_SHIFT);
            totalCompleted += (id & COUNT_MASK) - completed[index];
            completed[index] = id & COUNT_MASK;
        }
        return count;
    }

    private void post(int index) {
        if (!begun) {
            begun = true;
            firstPostNs = System.nanoTime();
        }
        WorkRequest[] own = requests[index];
        WorkRequest request = own[(int) (posted[index] % own.length)];
        posted[index]++;
        boolean isSignaled = posted[index] % completionEvery == 0 || posted[index] == limit;
        endpoint.queuePair(index).postSendDeferred(request.id((long) index << INDEX_SHIFT | posted[index]).signaled(isSignaled));
    }

    boolean hasBegun() {
        return begun;
    }

    /** Whether all messages have completed. */
    boolean isDone() {
        return totalCompleted == limit * posted.length;
    }

    /** Completed messages of all queue pairs. */
    long completed() {
        return totalCompleted;
    }

    /** From the first post to the last completion, in nanoseconds. */
    long elapsedNs() {
        return lastCompletionNs - firstPostNs;
    }
}
