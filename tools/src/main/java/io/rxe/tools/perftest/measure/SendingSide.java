package io.rxe.tools.perftest.measure;

import io.rxe.tools.perftest.handshake.PerftestHandshake;
import io.rxe.tools.perftest.plan.PerftestPlan;
import io.rxe.tools.perftest.plan.PerftestQueues;

/** Keeps every queue pair's send queue full up to the depth, and counts completions. */
public final class SendingSide {
    private static final int INDEX_SHIFT = 48;
    private static final long COUNT_MASK = (1L << INDEX_SHIFT) - 1;

    private final PerftestEndpoint endpoint;
    private final PerftestQueues queues;
    private final CompletionBatch completions;
    private final RequestTemplates[] templates;
    private final PeakFinder peak;
    private final long limit;
    private final long[] posted;
    private final long[] completed;
    private long totalPosted;
    private long totalCompleted;
    private long firstPostNs;
    private long lastCompletionNs;

    /** @param peak records every post and completion, or null. */
    public SendingSide(PerftestPlan plan, PerftestEndpoint endpoint, PerftestHandshake handshake, int sizeBytes, PeakFinder peak) {
        this.endpoint = endpoint;
        this.peak = peak;
        queues = plan.queues();
        completions = new CompletionBatch(endpoint.sends(), plan.verb().title() + " to " + handshake.peer());
        limit = plan.amount().isTimed() ? COUNT_MASK : plan.amount().iterations();
        posted = new long[queues.queuePairs()];
        completed = new long[queues.queuePairs()];
        templates = new RequestTemplates[queues.queuePairs()];
        for (int i = 0; i < templates.length; i++) {
            templates[i] = new RequestTemplates(plan, endpoint, handshake, i, sizeBytes);
        }
    }

    /** Polls completions and posts as far as there is room. Returns the number of completions and posts. */
    int step() {
        int work = pollCompletions();
        for (int i = 0; i < posted.length; i++) {
            work += fill(i);
        }
        return work;
    }

    private int pollCompletions() {
        int count = completions.poll();
        if (count == 0) {
            return 0;
        }
        lastCompletionNs = System.nanoTime();
        for (int i = 0; i < count; i++) {
            // The id holds the number of requests posted on its queue pair so far; they complete in order.
            long id = completions.at(i).workRequestId();
            int index = (int) (id >>> INDEX_SHIFT);
            totalCompleted += (id & COUNT_MASK) - completed[index];
            completed[index] = id & COUNT_MASK;
            if (peak != null) {
                peak.onCompleted(lastCompletionNs, totalCompleted);
            }
        }
        return count;
    }

    private int fill(int index) {
        int work = 0;
        while (posted[index] < limit && posted[index] - completed[index] + queues.postList() <= queues.sendDepth()) {
            long end = Math.min(limit, posted[index] + queues.postList());
            while (posted[index] < end) {
                post(index);
                work++;
            }
            endpoint.queuePair(index).ringDoorbell();
        }
        return work;
    }

    private void post(int index) {
        long count = posted[index] + 1;
        boolean isSignaled = count % queues.completionEvery() == 0 || count == limit;
        if (totalPosted == 0) {
            firstPostNs = System.nanoTime();
        }
        if (peak != null) {
            peak.onPosted(System.nanoTime());
        }
        endpoint.queuePair(index).postSendDeferred(templates[index].of(posted[index]).id((long) index << INDEX_SHIFT | count)
            .signaled(isSignaled));
        posted[index] = count;
        totalPosted++;
    }

    boolean hasBegun() {
        return totalPosted > 0;
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
