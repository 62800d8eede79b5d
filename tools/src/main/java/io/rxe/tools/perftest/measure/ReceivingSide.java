package io.rxe.tools.perftest.measure;

import io.rxe.bench.TransferFailure;
import io.rxe.tools.perftest.plan.PerftestPlan;
import io.rxe.verbs.ReceiveRequest;

/** Keeps receives posted, never more than messages still to come, and counts arrivals. */
public final class ReceivingSide {
    private final PerftestEndpoint endpoint;
    private final CompletionBatch completions;
    private final ReceiveRequest[] requests;
    private final String peer;
    private final int expectedBytes;
    private final int depth;
    private final long limit;
    private final long total;
    private final long[] posted;
    private final ArrivalClock clock = new ArrivalClock(System.nanoTime());
    private long received;

    public ReceivingSide(PerftestPlan plan, PerftestEndpoint endpoint, String peer, int sizeBytes) {
        this.endpoint = endpoint;
        this.peer = peer;
        completions = new CompletionBatch(endpoint.receives(), "receive from " + peer,
            new CompletionBatch(endpoint.sends(), plan.verb().title() + " to " + peer));
        expectedBytes = sizeBytes + (plan.isDatagram() ? PerftestMemory.GRH_BYTES : 0);
        int queuePairs = plan.queues().queuePairs();
        boolean isShared = plan.queues().sharedReceives();
        depth = plan.queues().receiveDepth();
        total = plan.amount().isTimed() ? Long.MAX_VALUE : plan.totalIterations();
        limit = plan.amount().isTimed() ? Long.MAX_VALUE : isShared ? total : plan.amount().iterations();
        requests = new ReceiveRequest[isShared ? 1 : queuePairs];
        posted = new long[requests.length];
        for (int i = 0; i < requests.length; i++) {
            requests[i] = new ReceiveRequest().id(i).add(endpoint.memory().region(), endpoint.memory().target(i), expectedBytes);
        }
    }

    /** Posts the first receives; call before the peer learns that it may send. */
    public void postFirst() {
        for (int i = 0; i < requests.length; i++) {
            for (int count = 0; count < depth; count++) {
                post(i);
            }
        }
    }

    private void post(int index) {
        if (posted[index] < limit && endpoint.postReceive(index, requests[index])) {
            posted[index]++;
        }
    }

    /** Polls completions and posts as many receives again. Returns the number of messages. */
    int step() {
        // Read before the poll: a message that arrives right after the poll must not seem to take no time.
        long pollNs = clock.hasArrivals() ? 0 : System.nanoTime();
        int count = completions.poll();
        if (count == 0) {
            clock.onEmpty(pollNs);
            return 0;
        }
        clock.onArrival(System.nanoTime());
        for (int i = 0; i < count; i++) {
            if (completions.at(i).byteLength() != expectedBytes) {
                throw new TransferFailure("a message from " + peer + " has " + completions.at(i).byteLength() + " bytes instead of "
                    + expectedBytes + ": use the same -s at both ends");
            }
            post((int) completions.at(i).workRequestId());
        }
        received += count;
        return count;
    }

    boolean isDone() {
        return received >= total;
    }

    /** Messages received so far. */
    long received() {
        return received;
    }

    /** Time the messages took to arrive, in nanoseconds. */
    long elapsedNs() {
        return clock.elapsedNs();
    }
}
