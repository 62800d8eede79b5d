package io.rxe.tools.perftest;

import io.rxe.bench.CompletionReader;
import io.rxe.bench.TransferFailure;
import io.rxe.verbs.ReceiveRequest;

/** Keeps receives posted, never more than messages still to come, and counts arrivals. */
final class Receiver {
    private final PerftestEndpoint endpoint;
    private final CompletionReader completions;
    private final ReceiveRequest[] requests;
    private final String peer;
    private final int expectedBytes;
    private final long limit;
    private final long total;
    private final long[] posted;
    private final ArrivalClock clock = new ArrivalClock(System.nanoTime());
    private long received;

    /** Posts the first receives: the peer may send as soon as both sides have synchronized. */
    Receiver(PerftestPlan plan, PerftestEndpoint endpoint, String peer, int sizeBytes) {
        this.endpoint = endpoint;
        this.peer = peer;
        completions = endpoint.receives();
        expectedBytes = sizeBytes + (plan.isDatagram() ? PerftestMemory.GRH_BYTES : 0);
        total = plan.totalIterations();
        limit = plan.amount().isTimed() ? Long.MAX_VALUE : plan.amount().iterations();
        requests = new ReceiveRequest[plan.queuePairs()];
        posted = new long[plan.queuePairs()];
        for (int i = 0; i < requests.length; i++) {
            requests[i] = new ReceiveRequest().id(i).add(endpoint.memory().region(), endpoint.memory().target(i), expectedBytes);
            for (int count = 0; count < plan.receiveDepth(); count++) {
                post(i);
            }
        }
    }

    private void post(int index) {
        if (posted[index] < limit && endpoint.queuePair(index).postReceive(requests[index])) {
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
