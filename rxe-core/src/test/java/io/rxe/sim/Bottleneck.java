package io.rxe.sim;

import org.agrona.collections.LongArrayQueue;

/** A line of one rate and the queue before it, which drops from its tail. Links that share it compete for both. */
final class Bottleneck {
    /** Instead of a time: the queue has no room. */
    static final long DROPPED = -1;
    private static final int LONGEST_WAIT_US = 100_000;

    /** When the datagrams in the queue leave; kept only where their number is limited. */
    private final LongArrayQueue leaving = new LongArrayQueue(Long.MIN_VALUE);
    private long freeAtNs;
    /** How many datagrams waited for so many microseconds. */
    private final int[] waits = new int[LONGEST_WAIT_US + 1];
    private long datagrams;

    /** Bytes that wait. */
    double queuedBytes(LinkFaults faults, long nowNs) {
        return Math.max(0, freeAtNs - nowNs) * faults.bitsPerSecond / 8e9;
    }

    /** When the last bit of a datagram that arrives now has left, or {@link #DROPPED}. */
    long leavesNs(int bytes, LinkFaults faults, long nowNs) {
        long begin = Math.max(nowNs, freeAtNs);
        if (queuedBytes(faults, nowNs) > faults.queueBytes || isFull(faults.queuePackets, nowNs)) {
            return DROPPED;
        }
        datagrams++;
        waits[(int) Math.min(LONGEST_WAIT_US, (begin - nowNs) / 1000)]++;
        freeAtNs = begin + (long) (bytes * 8e9 / faults.bitsPerSecond);
        if (faults.queuePackets < Integer.MAX_VALUE) {
            leaving.addLong(freeAtNs);
        }
        return freeAtNs;
    }

    /** How long this share of the datagrams that it did not drop waited at most. */
    long waitNs(double share) {
        long rest = (long) (share * datagrams);
        int us = 0;
        while (us < LONGEST_WAIT_US && rest >= waits[us]) {
            rest -= waits[us++];
        }
        return us * 1000L;
    }

    private boolean isFull(int mostPackets, long nowNs) {
        while (!leaving.isEmpty() && leaving.peekLong() <= nowNs) {
            leaving.pollLong();
        }
        return leaving.size() >= mostPackets;
    }
}
