package io.rxe.qp.send;

/**
 * How many bytes all queue pairs of an engine together may have in flight to one peer. It opens by doubling until the path shows its
 * limit, then follows what the path holds:
 *
 * <pre>
 *   a round trip in which ...                                     the window
 *   even the fastest response waited longer than twice the target    shrinks in proportion, to half at the most
 *   a seventh and more of what arrived was lost: a queue overflows   shrinks to what arrived
 *   even the fastest response waited longer than the target          shrinks by a 32nd
 *   the queue pairs did not fill it                                  stays
 *   else                                                             doubles, or grows by an eighth once the limit was seen
 * </pre>
 *
 * <p>The wait is that of the fastest of all round trips measured in one round trip, beyond the shortest of the last seconds: jitter does
 * not look like a queue. The target is a quarter of the shortest round trip, but not less than what a busy host takes itself. Losses
 * alone do not shrink the window, since a loss costs one packet when the receiver keeps the others.
 *
 * <p>Bytes as {@link PeerSendWindow} counts them; times in nanoseconds. Owned by the engine thread.
 */
final class CongestionWindow {
    /** Where it starts. */
    static final int INITIAL_PACKETS = 32;
    /** Where losses stop to shrink it. */
    static final int MINIMUM_PACKETS = 2;
    /** A host delays packets by this much while it runs other threads, however short the path is. */
    static final long HOST_DELAY_NS = 100_000;
    /** Before the first sample, a round lasts this long. */
    private static final long UNKNOWN_ROUND_NS = 1_000_000;
    /** Fewer losses in one round trip are chance. */
    private static final int FEW_LOSSES = 4;
    private static final double SLOW_DECREASE = 31 / 32.0;
    /** After so many round trips of growth without a queue, the path may hold much more: the window doubles again. */
    private static final int ROUNDS_TO_DOUBLE = 8;

    private final long bufferBytes;
    private final long mostBytes;
    private final int packetBytes;
    private final WindowedMinimum shortest = new WindowedMinimum();
    private long windowBytes;
    private long roundStartNs;
    private long roundNs = UNKNOWN_ROUND_NS;
    private long fastestNs = Long.MAX_VALUE;
    private long arrivedBytes;
    private long lostBytes;
    private long losses;
    private boolean filled;
    private boolean doubling = true;
    private boolean growing = true;
    private int roundsOfGrowth;
    /** Bytes that the path itself holds, as far as it was measured. */
    private long pathBytes;

    /**
     * @param bufferBytes of the sockets at both ends: what may be in flight although the path holds nothing.
     * @param mostBytes   largest window on any path.
     * @param packetBytes a full packet.
     */
    CongestionWindow(long bufferBytes, long mostBytes, int packetBytes) {
        this.bufferBytes = bufferBytes;
        this.mostBytes = Math.max(bufferBytes, mostBytes);
        this.packetBytes = packetBytes;
        this.windowBytes = Math.min(bufferBytes, (long) INITIAL_PACKETS * packetBytes);
    }

    long bytes() {
        return windowBytes;
    }

    /** A queue pair had to wait for room, or takes the last of it. */
    void onFilled() {
        filled = true;
    }

    /** A round trip was measured. */
    void onSample(long sampleNs, long nowNs) {
        shortest.onSample(sampleNs, nowNs);
        fastestNs = Math.min(fastestNs, sampleNs);
    }

    /** Packets were lost. */
    void onLost(long packets, long bytes) {
        losses += packets;
        lostBytes += bytes;
    }

    /** After this long without an acknowledgement, what is in flight may be taken for lost. */
    long staleNs() {
        long shortestNs = shortest.ns();
        return shortestNs == Long.MAX_VALUE ? PeerSendWindow.STALE_NS : Math.max(PeerSendWindow.STALE_NS, 4 * shortestNs);
    }

    /** Bytes arrived at the peer, or a response did. */
    void onArrived(long bytes, long nowNs) {
        arrivedBytes += bytes;
        if (nowNs - roundStartNs >= roundNs) {
            endRound(nowNs);
        } else if (growing && filled) {
            windowBytes = Math.min(limitBytes(), windowBytes + (doubling ? bytes : bytes / 8));
        }
    }

    private void endRound(long nowNs) {
        boolean isMeasured = fastestNs != Long.MAX_VALUE;
        if (isMeasured) {
            roundNs = Math.max(1, fastestNs);
            pathBytes = Math.max(pathBytes - pathBytes / 8, arrivedBytes * shortest.ns() / Math.max(1, nowNs - roundStartNs));
        }
        if (losses > FEW_LOSSES && lostBytes > arrivedBytes / 7) {
            stopDoubling();
            growing = false;
            windowBytes = Math.max((long) MINIMUM_PACKETS * packetBytes, Math.min(windowBytes, arrivedBytes));
        } else if (isMeasured) {
            followDelay(fastestNs - shortest.ns(), Math.max(HOST_DELAY_NS, shortest.ns() / 4));
        }
        roundStartNs = nowNs;
        fastestNs = Long.MAX_VALUE;
        arrivedBytes = 0;
        lostBytes = 0;
        losses = 0;
        filled = false;
    }

    private void followDelay(long waitNs, long targetNs) {
        growing = waitNs <= targetNs;
        if (growing) {
            if (filled && !doubling && ++roundsOfGrowth >= ROUNDS_TO_DOUBLE && waitNs <= targetNs / 4) {
                doubling = true;
            }
            return;
        }
        stopDoubling();
        double factor = waitNs <= 2 * targetNs ? SLOW_DECREASE
            : Math.max(0.5, (double) (shortest.ns() + targetNs) / (shortest.ns() + waitNs));
        long least = Math.min(windowBytes, (long) INITIAL_PACKETS * packetBytes);
        windowBytes = Math.max(least, (long) (windowBytes * factor));
    }

    private void stopDoubling() {
        doubling = false;
        roundsOfGrowth = 0;
    }

    /** Beyond the buffers only what the path holds may be in flight: what waits in a buffer of the peer that is full is lost. */
    private long limitBytes() {
        return Math.min(mostBytes, bufferBytes + 2 * pathBytes);
    }
}
