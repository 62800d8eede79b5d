package io.rxe.bench.perftest;

import io.rxe.verbs.QueuePairType;

/**
 * Everything a test was asked to do.
 *
 * @param kind            which test.
 * @param isServer        waits for the other side; otherwise the client.
 * @param isBidirectional both sides send (bandwidth only).
 * @param isCompareAndSwap atomics compare and swap instead of adding.
 * @param amount          how much.
 * @param queues          through which queues.
 * @param path            over which path.
 * @param hasPeak         whether to look for the best stretch of a bandwidth test; only in runs of up to 20000 messages.
 * @param stallNs         longest time without any progress, in nanoseconds.
 * @param seed            data and PSNs follow from it.
 */
public record PerftestPlan(PerftestKind kind, boolean isServer, boolean isBidirectional, boolean isCompareAndSwap, TestAmount amount,
                           TestQueues queues, TestPath path, boolean hasPeak, long stallNs, long seed) {
    /** Most messages of a test that looks for its peak. */
    public static final int MAX_PEAK_ITERATIONS = 20_000;
    /** Messages beyond this size complete one by one unless told otherwise. */
    public static final int LARGE_MESSAGE_BYTES = 8192;
    /** One completion in so many smaller messages. */
    public static final int DEFAULT_COMPLETION_EVERY = 100;

    /** @throws IllegalArgumentException for a combination that cannot run. */
    public PerftestPlan {
        if (queues.postList() > 1 && queues.postList() % queues.completionEvery() != 0) {
            throw new IllegalArgumentException("post_list (-l) " + queues.postList() + " is no multiple of cq-mod (-Q) "
                + queues.completionEvery() + ": leave -Q out");
        }
        if (queues.completionEvery() > queues.sendDepth()) {
            throw new IllegalArgumentException("cq-mod (-Q) " + queues.completionEvery() + " > tx-depth (-t) " + queues.sendDepth()
                + ": nothing would ever complete; lower -Q or raise -t");
        }
        if (!kind.runsOn(path.transport())) {
            throw new IllegalArgumentException(kind.command() + " cannot run over " + path.transport() + ": " + (kind.verb()
                == TestVerb.WRITE ? "use -c RC or UC" : "use -c RC"));
        }
        if (isBidirectional && kind.isLatency()) {
            throw new IllegalArgumentException("a latency test has no -b: messages go both ways anyhow");
        }
        if (queues.queuePairs() > 1 && kind.isLatency()) {
            throw new IllegalArgumentException("queue pairs (-q) " + queues.queuePairs() + " > 1: a latency test has one message"
                + " under way; leave -q out");
        }
        if (amount.isTimed() && amount.allSizes()) {
            throw new IllegalArgumentException("-a and -D exclude each other: give a size with -s, or a count with -n");
        }
        if (queues.sharedReceives() && queues.receiveDepth() < queues.queuePairs()) {
            throw new IllegalArgumentException("rx-depth (-r) " + queues.receiveDepth() + " < queue pairs (-q) " + queues.queuePairs()
                + ": with --use-srq all of them share the receives; raise -r");
        }
    }

    TestVerb verb() {
        return kind.verb();
    }

    boolean isClient() {
        return !isServer;
    }

    boolean isDatagram() {
        return path.transport() == QueuePairType.UD;
    }

    /** Whether this side posts requests. */
    boolean sends() {
        return isClient() || isBidirectional || kind.isLatency() && !verb().isReadOrAtomic();
    }

    /** Whether this side posts receives. */
    boolean receives() {
        return verb() == TestVerb.SEND && (isServer || isBidirectional || kind.isLatency());
    }

    /** Messages of all queue pairs; of no meaning in a timed run. */
    long totalIterations() {
        return (long) amount.iterations() * queues.queuePairs();
    }

    /** The heading's name of the verb. */
    String verbTitle() {
        return verb() == TestVerb.ATOMIC ? "Atomic " + (isCompareAndSwap ? "CMP_AND_SWAP" : "FETCH_AND_ADD") : verb().title();
    }

    PerftestPlan withAmount(TestAmount other) {
        return new PerftestPlan(kind, isServer, isBidirectional, isCompareAndSwap, other, queues, path, hasPeak, stallNs, seed);
    }

    PerftestPlan withPath(TestPath other) {
        return new PerftestPlan(kind, isServer, isBidirectional, isCompareAndSwap, amount, queues, other, hasPeak, stallNs, seed);
    }
}
