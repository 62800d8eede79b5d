package io.rxe.tools.perftest.plan;

import io.rxe.verbs.QueuePairType;

/**
 * All parameters of a test.
 *
 * @param kind            which test.
 * @param isServer        whether this is the server, which waits for the client.
 * @param isBidirectional whether both sides send (bandwidth only).
 * @param isCompareAndSwap whether atomics compare and swap instead of adding.
 * @param amount          number and size of messages.
 * @param queues          queue pairs and depths.
 * @param path            transport and path.
 * @param hasPeak         whether a bandwidth test measures its peak; only in runs of up to 20000 messages.
 * @param stallNs         longest time without any progress, in nanoseconds.
 * @param seed            determines data and PSNs.
 */
public record PerftestPlan(PerftestKind kind, boolean isServer, boolean isBidirectional, boolean isCompareAndSwap, PerftestAmount amount,
                           PerftestQueues queues, PerftestPath path, boolean hasPeak, long stallNs, long seed) {
    /** Most messages of a test that measures its peak. */
    public static final int MAX_PEAK_ITERATIONS = 20_000;
    /** By default every message longer than this is signaled. */
    public static final int LARGE_MESSAGE_BYTES = 8192;
    /** Default number of shorter messages for one completion. */
    public static final int DEFAULT_COMPLETION_EVERY = 100;

    /** @throws IllegalArgumentException for a combination that cannot run. */
    public PerftestPlan {
        if (queues.postList() > 1 && queues.postList() % queues.completionEvery() != 0) {
            throw new IllegalArgumentException("post_list (-l) " + queues.postList() + " is no multiple of cq-mod (-Q) "
                + queues.completionEvery() + ": leave -Q out");
        }
        if (queues.completionEvery() > queues.sendDepth()) {
            throw new IllegalArgumentException("cq-mod (-Q) " + queues.completionEvery() + " > tx-depth (-t) " + queues.sendDepth()
                + ": no request would complete; lower -Q or raise -t");
        }
        if (!kind.runsOn(path.transport())) {
            throw new IllegalArgumentException(kind.command() + " cannot run over " + path.transport() + ": " + (kind.verb()
                == PerftestVerb.WRITE ? "use -c RC or UC" : "use -c RC"));
        }
        if (isBidirectional && kind.isLatency()) {
            throw new IllegalArgumentException("a latency test has no -b: its messages go both ways already");
        }
        if (queues.queuePairs() > 1 && kind.isLatency()) {
            throw new IllegalArgumentException("queue pairs (-q) " + queues.queuePairs() + " > 1: a latency test has one message"
                + " in flight; leave -q out");
        }
        if (amount.isTimed() && amount.allSizes()) {
            throw new IllegalArgumentException("-a and -D exclude each other: give a size with -s, or a count with -n");
        }
        if (queues.sharedReceives() && queues.receiveDepth() < queues.queuePairs()) {
            throw new IllegalArgumentException("rx-depth (-r) " + queues.receiveDepth() + " < queue pairs (-q) " + queues.queuePairs()
                + ": with --use-srq they share the receives; raise -r");
        }
    }

    public PerftestVerb verb() {
        return kind.verb();
    }

    public boolean isClient() {
        return !isServer;
    }

    public boolean isDatagram() {
        return path.transport() == QueuePairType.UD;
    }

    /** Whether this side posts requests. */
    public boolean sends() {
        return isClient() || isBidirectional || kind.isLatency() && !verb().isReadOrAtomic();
    }

    /** Whether this side posts receives. */
    public boolean receives() {
        return verb() == PerftestVerb.SEND && (isServer || isBidirectional || kind.isLatency());
    }

    /** Messages of all queue pairs; meaningless in a timed run. */
    public long totalIterations() {
        return (long) amount.iterations() * queues.queuePairs();
    }

    /** Name of the verb in the heading. */
    public String verbTitle() {
        return verb() == PerftestVerb.ATOMIC ? "Atomic " + (isCompareAndSwap ? "CMP_AND_SWAP" : "FETCH_AND_ADD") : verb().title();
    }

    public PerftestPlan withAmount(PerftestAmount other) {
        return new PerftestPlan(kind, isServer, isBidirectional, isCompareAndSwap, other, queues, path, hasPeak, stallNs, seed);
    }

    public PerftestPlan withPath(PerftestPath other) {
        return new PerftestPlan(kind, isServer, isBidirectional, isCompareAndSwap, amount, queues, other, hasPeak, stallNs, seed);
    }
}
