package io.rxe.qp.congestion;

/**
 * Which share of the bytes is lost, by intervals of a round trip or so, and whether it is that of a queue that overflows. Few packets lost
 * in an interval are chance.
 *
 * <p>Owned by the engine thread.
 */
final class LossShare {
    private static final int FEW = 8;
    private static final int FEW_SHORT = 2;
    private static final int MOST_SHORT = 50;

    private final int most;
    private long packets;
    private long bytes;
    private long recentArrivedBytes;
    private long recentLostBytes;

    /** @param most an overflow loses more than one byte in this many; on a short path, one in {@value #MOST_SHORT}. */
    LossShare(int most) {
        this.most = most;
    }

    /** Packets were lost. */
    void onLost(long lostPackets, long lostBytes) {
        packets += lostPackets;
        bytes += lostBytes;
    }

    /** Whether anything was lost in this interval. */
    boolean isAny() {
        return packets > 0;
    }

    /** Whether anything was lost in one of the last intervals. */
    boolean isRecent() {
        return recentLostBytes > 0;
    }

    /** What was lost so far had another cause. */
    void forget() {
        recentLostBytes = 0;
    }

    /**
     * An interval ends.
     *
     * @param arrivedBytes in it.
     * @param isShort      whether hosts delay packets by more than the path does.
     * @return whether so much was lost that a queue overflows.
     */
    boolean end(long arrivedBytes, boolean isShort) {
        recentArrivedBytes = recentArrivedBytes / 2 + arrivedBytes;
        recentLostBytes = recentLostBytes / 2 + bytes;
        boolean isOverflow = packets > (isShort ? FEW_SHORT : FEW) && recentLostBytes > recentArrivedBytes / (isShort ? MOST_SHORT : most);
        packets = 0;
        bytes = 0;
        return isOverflow;
    }
}
