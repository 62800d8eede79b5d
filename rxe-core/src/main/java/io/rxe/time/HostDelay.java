package io.rxe.time;

/**
 * How long this host may have delayed packets, since no thread runs at all times: at most so long. What a round trip is longer than that,
 * the network or the peer made.
 *
 * <pre>
 *   sent      a packet gets its time when an iteration begins, and leaves before that iteration ends
 *   received  a datagram waits in the socket since it was last found empty, or for a shorter time; where it wakes a thread that sleeps,
 *             for as long as that takes
 * </pre>
 *
 * <p>Times in nanoseconds. Owned by the engine thread.
 */
public final class HostDelay {
    /** Iterations that took long are remembered; a power of two. */
    private static final int ITERATIONS = 32;

    private final long[] begunNs = new long[ITERATIONS];
    private final long[] endedNs = new long[ITERATIONS];
    private long count;
    private long unseenNs;

    /** What arrives from now on waited in the sockets for this long at most. */
    public void onReceive(long longestWaitNs) {
        unseenNs = longestWaitNs;
    }

    /** Packets that were sent at one time may have left as late as the other. */
    public void onLongIteration(long fromNs, long toNs) {
        int index = (int) count++ & ITERATIONS - 1;
        begunNs[index] = fromNs;
        endedNs[index] = toNs;
    }

    /** How long what arrived last may have waited. */
    public long unseenNs() {
        return unseenNs;
    }

    /** How long this host may have delayed a packet that was sent at a time, and the response to it that arrived just now. */
    public long ofRoundTripNs(long sentNs) {
        for (long i = count - 1; i >= Math.max(0, count - ITERATIONS); i--) {
            int index = (int) i & ITERATIONS - 1;
            if (endedNs[index] <= sentNs) {
                break;
            }
            if (begunNs[index] <= sentNs) {
                return unseenNs + endedNs[index] - sentNs;
            }
        }
        return unseenNs;
    }
}
