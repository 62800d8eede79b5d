package io.rxe.bench.perftest;

import io.rxe.bench.TransferFailure;
import io.rxe.verbs.ReceiveRequest;

/** Keeps receives posted, as many as there will be messages and no more, and counts what arrives. */
final class ReceivingSide {
    private final TestEndpoint endpoint;
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

    ReceivingSide(PerftestPlan plan, TestEndpoint endpoint, String peer, int sizeBytes) {
        this.endpoint = endpoint;
        this.peer = peer;
        completions = new CompletionBatch(endpoint.receives(), "receive from " + peer,
            new CompletionBatch(endpoint.sends(), plan.verb().title() + " to " + peer));
        expectedBytes = sizeBytes + (plan.isDatagram() ? TestMemory.ROUTING_HEADER_BYTES : 0);
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

    /** Posts the first receives: to be done before the peer learns that it may send. */
    void postFirst() {
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

    /** Takes what arrived and posts as many receives again. Returns how many there were. */
    int step() {
        // Before the poll: a message that comes right after it must not seem to have come in no time.
        long lookNs = clock.hasArrivals() ? 0 : System.nanoTime();
        int count = completions.poll();
        if (count == 0) {
            clock.onEmpty(lookNs);
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

    /** Messages that arrived. */
    long received() {
        return received;
    }

    /** What the messages took to arrive, in nanoseconds. */
    long elapsedNs() {
        return clock.elapsedNs();
    }
}
