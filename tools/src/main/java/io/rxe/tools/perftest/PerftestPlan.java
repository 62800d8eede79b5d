package io.rxe.tools.perftest;

import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import java.util.List;
import java.util.stream.Stream;

/**
 * All parameters of a test on one side.
 *
 * @param kind            which test.
 * @param isServer        whether this is the server, which waits for the client.
 * @param isBidirectional whether both sides send (bandwidth only).
 * @param transport       RC, UC or UD.
 * @param amount          how much to send.
 * @param queuePairs      queue pairs on each side, 1 to {@link #MAX_QUEUE_PAIRS}.
 * @param sendDepth       requests a queue pair keeps outstanding.
 * @param receiveDepth    receives a queue pair keeps posted (SEND only).
 * @param pathMtu         largest path MTU to offer; the smaller offer of both sides is used.
 * @param outstandingReads responder resources offered to the peer: READs it may have outstanding.
 * @param timeoutCode     local ACK timeout, 4.096 us x 2^n; 0 to 31.
 * @param peerUdpPort     UDP port of the peer's NIC.
 * @param stallNs         longest time without any progress, in nanoseconds.
 * @param seed            determines data and PSNs.
 * @param partitionKeyIndex of the P_Key of the queue pairs.
 */
record PerftestPlan(PerftestKind kind, boolean isServer, boolean isBidirectional, QueuePairType transport, Amount amount, int queuePairs,
                    int sendDepth, int receiveDepth, PathMtu pathMtu, int outstandingReads, int timeoutCode, int peerUdpPort, long stallNs,
                    long seed, int partitionKeyIndex) {
    /** Most queue pairs on each side. */
    static final int MAX_QUEUE_PAIRS = 4096;
    /** Largest message of a run over all sizes: 8 MiB. */
    static final int LARGEST_OF_ALL_BYTES = 1 << 23;
    /** As the original: every message longer than this is signaled, unless the test runs all sizes. */
    private static final int LARGE_MESSAGE_BYTES = 8192;
    private static final int DEFAULT_COMPLETION_EVERY = 100;
    private static final int MAX_SIZE_BYTES = 1 << 30;

    /**
     * Number and size of the messages.
     *
     * @param iterations      messages of each queue pair, 5 to 100,000,000; ignored with a duration.
     * @param durationSeconds time to run instead of a number of messages, or 0.
     * @param sizeBytes       size of a message; with {@code allSizes} the largest.
     * @param allSizes        runs every power of two from 2 bytes to {@code sizeBytes}, one after the other.
     */
    record Amount(int iterations, int durationSeconds, int sizeBytes, boolean allSizes) {
        /** @throws IllegalArgumentException for a value out of range. */
        Amount {
            check("iterations (-n)", iterations, 5, 100_000_000);
            check("duration in seconds (-D)", durationSeconds, 0, 86_400);
            check("message size (-s)", sizeBytes, 1, MAX_SIZE_BYTES);
            if (durationSeconds > 0 && allSizes) {
                throw new IllegalArgumentException("-a and -D exclude each other: give a size with -s, or a count with -n");
            }
        }

        boolean isTimed() {
            return durationSeconds > 0;
        }

        /** The sizes to run, ascending. */
        List<Integer> sizes() {
            return allSizes ? Stream.iterate(2, size -> size <= sizeBytes, size -> 2 * size).toList() : List.of(sizeBytes);
        }
    }

    /** @throws IllegalArgumentException for a value out of range, or a combination that cannot run. */
    PerftestPlan {
        check("queue pairs (-q)", queuePairs, 1, MAX_QUEUE_PAIRS);
        check("tx-depth (-t)", sendDepth, 1, QueuePairConfig.MAX_REQUESTS);
        check("rx-depth (-r)", receiveDepth, 1, QueuePairConfig.MAX_REQUESTS);
        check("QP timeout (-u)", timeoutCode, 0, 31);
        check("peer UDP port (--peer-udp-port)", peerUdpPort, 1, 65535);
        if (!kind.verb().runsOn(transport)) {
            throw new IllegalArgumentException(kind.program() + " cannot run over " + transport + ": "
                + (kind.verb() == PerftestVerb.WRITE ? "use -c RC or UC" : "use -c RC"));
        }
        if (isBidirectional && kind.isLatency()) {
            throw new IllegalArgumentException("a latency test has no -b: its messages go both ways already");
        }
        if (queuePairs > 1 && kind.isLatency()) {
            throw new IllegalArgumentException("queue pairs (-q) " + queuePairs + " > 1: a latency test has one message in flight;"
                + " leave -q out");
        }
    }

    private static void check(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " " + value + " is not in " + least + ".." + most);
        }
    }

    PerftestVerb verb() {
        return kind.verb();
    }

    boolean isDatagram() {
        return transport == QueuePairType.UD;
    }

    /** Whether this side posts requests. */
    boolean sends() {
        return !isServer || isBidirectional || kind.isLatency() && verb() != PerftestVerb.READ;
    }

    /** Whether this side posts receives. */
    boolean receives() {
        return verb() == PerftestVerb.SEND && (isServer || isBidirectional || kind.isLatency());
    }

    /** Requests for one completion, as the original moderates them. */
    int completionEvery() {
        return !amount.allSizes() && amount.sizeBytes() > LARGE_MESSAGE_BYTES ? 1 : Math.min(DEFAULT_COMPLETION_EVERY, sendDepth);
    }

    /** Messages of all queue pairs; without limit in a timed run. */
    long totalIterations() {
        return amount.isTimed() ? Long.MAX_VALUE : (long) amount.iterations() * queuePairs;
    }

    /** The plan with the path MTU that both sides agreed on; a datagram is one packet, so it limits the size. */
    PerftestPlan agreed(PathMtu mtu) {
        Amount fitting = isDatagram() && amount.sizeBytes() > mtu.bytes()
            ? new Amount(amount.iterations(), amount.durationSeconds(), mtu.bytes(), amount.allSizes()) : amount;
        return new PerftestPlan(kind, isServer, isBidirectional, transport, fitting, queuePairs, sendDepth, receiveDepth, mtu,
            outstandingReads, timeoutCode, peerUdpPort, stallNs, seed, partitionKeyIndex);
    }
}
