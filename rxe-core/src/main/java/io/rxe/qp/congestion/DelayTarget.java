package io.rxe.qp.congestion;

/**
 * How long packets may wait beyond the shortest round trip of the last seconds. Where no queue overflows, the wait may be that of hosts
 * that run other threads:
 *
 * <pre>
 *                        no queue overflowed in the last 10 s     one did: the least of
 *   path below 100 us    for ever: the wait tells nothing         3/4 of how long packets waited then
 *   longer path          a quarter of it, at least 100 us         250 us and 500 us / sqrt(packets), or a quarter of the path if longer
 * </pre>
 *
 * <p>Where a queue overflows, small windows are allowed a longer wait, so that they catch up with large ones. Times in nanoseconds. Owned
 * by the engine thread.
 */
final class DelayTarget {
    /** A host delays packets by this much while it runs other threads, however short the path is. */
    static final long HOST_DELAY_NS = 100_000;
    private static final long UNLIMITED_NS = Long.MAX_VALUE / 8;
    private static final long BASE_NS = 250_000;
    private static final int FEW_PACKETS_GAIN = 2;

    private final WindowedMinimum shortest;
    private final int packetBytes;
    private long overflowNs;
    private long overflowSeenNs = Long.MIN_VALUE / 2;

    /**
     * @param shortest    the shortest round trip of late.
     * @param packetBytes a full packet.
     */
    DelayTarget(WindowedMinimum shortest, int packetBytes) {
        this.shortest = shortest;
        this.packetBytes = packetBytes;
    }

    /** Whether the path is so short that hosts delay packets by more than it does. */
    boolean isShort() {
        return shortest.ns() < HOST_DELAY_NS;
    }

    long ns(long windowBytes, long nowNs) {
        if (!hasOverflowed(nowNs)) {
            return isShort() ? UNLIMITED_NS : Math.max(HOST_DELAY_NS, shortest.ns() / 4);
        }
        double packets = Math.max(1, (double) windowBytes / packetBytes);
        long usualNs = (long) (BASE_NS * (1 + FEW_PACKETS_GAIN / Math.sqrt(packets)));
        return Math.min(Math.max(usualNs, isShort() ? 0 : shortest.ns() / 4), overflowNs);
    }

    /** A queue overflowed when packets waited for so long. */
    void onOverflow(long waitNs, long nowNs) {
        if (waitNs > HOST_DELAY_NS) {
            long ns = Math.max(HOST_DELAY_NS, waitNs * 3 / 4);
            overflowNs = hasOverflowed(nowNs) ? Math.min(overflowNs, ns) : ns;
            overflowSeenNs = nowNs;
        }
    }

    /** Whether a queue overflowed in the last seconds: the path has a bottleneck, and others may share it. */
    boolean hasOverflowed(long nowNs) {
        return nowNs - overflowSeenNs < WindowedMinimum.WINDOW_NS;
    }
}
