package io.rxe.qp.congestion;

/**
 * Which share of the bytes is lost, by intervals of a round trip or so, and whether it is that of a queue that overflows. Up to eight
 * packets lost in an interval are chance, on a short path two. A small window never loses more, so that a quarter of what arrived in the
 * last sixteen intervals counts, too; not on a short path, where sockets that overflow lose as many.
 *
 * <p>Owned by the engine thread.
 */
final class LossShare {
    private static final int FEW = 8;
    private static final int FEW_SHORT = 2;
    private static final int MOST_SHORT = 50;
    /** Of the last sixteen intervals. A path that loses one packet of ten by chance must stay below it. */
    private static final int MOST_LONGER = 4;

    private final int most;
    private final DecayingSums recent = new DecayingSums(2);
    private final DecayingSums longer = new DecayingSums(16);
    private long packets;
    private long bytes;

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
        return recent.lostBytes >= 1;
    }

    /** What was lost so far had another cause. */
    void forget() {
        recent.forget();
        longer.forget();
    }

    /**
     * An interval ends.
     *
     * @param arrivedBytes in it.
     * @param isShort      whether hosts delay packets by more than the path does.
     * @return whether so much was lost that a queue overflows.
     */
    boolean end(long arrivedBytes, boolean isShort) {
        recent.add(packets, bytes, arrivedBytes);
        longer.add(packets, bytes, arrivedBytes);
        boolean isOverflow = packets > (isShort ? FEW_SHORT : FEW) && recent.isLostMoreThan(isShort ? MOST_SHORT : most)
            || packets > 0 && !isShort && longer.lostPackets > FEW && longer.isLostMoreThan(MOST_LONGER);
        if (isOverflow) {
            longer.forget();
        }
        packets = 0;
        bytes = 0;
        return isOverflow;
    }

    /** Exponentially decaying sums of what was lost and what arrived, with a time constant in intervals. */
    private static final class DecayingSums {
        private final double kept;
        private double lostPackets;
        private double lostBytes;
        private double arrivedBytes;

        private DecayingSums(int intervals) {
            kept = 1 - 1.0 / intervals;
        }

        private void add(long lostPacketsNow, long lostBytesNow, long arrivedBytesNow) {
            lostPackets = lostPackets * kept + lostPacketsNow;
            lostBytes = lostBytes * kept + lostBytesNow;
            arrivedBytes = arrivedBytes * kept + arrivedBytesNow;
        }

        private boolean isLostMoreThan(int part) {
            return lostBytes > arrivedBytes / part;
        }

        private void forget() {
            lostPackets = 0;
            lostBytes = 0;
            arrivedBytes = 0;
        }
    }
}
