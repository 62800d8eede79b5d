package io.rxe.qp.congestion;

/**
 * The controller {@code delay}: follows how long packets wait in queues. The window opens by doubling until the path shows its limit, then
 * follows what the path holds. Once in a round trip, the first line that applies decides:
 *
 * <pre>
 *   a round trip in which ...                                        the window
 *   more than a seventh of what arrived was lost: a queue overflows  shrinks to what arrived, at most to half
 *   even the fastest answer waited longer than twice the target,
 *     and two cuts in a row have not shortened round trips           doubles again; the shortest round trip is learned anew
 *   even the fastest answer waited longer than twice the target      shrinks in proportion, at most to half
 *   even the fastest answer waited longer than the target            shrinks by a 32nd
 *   all answers may have waited behind a gap                         never doubles, never shrinks; see below
 *   the queue pairs did not fill it                                  stays
 *   else                                                             doubles, or grows by an eighth once the limit was seen
 * </pre>
 *
 * <p>The wait is that of the fastest of all round trips measured in one round trip, beyond the shortest of the last seconds: jitter does
 * not look like a queue. The target is a quarter of the shortest round trip, but not less than what a busy host takes itself. On a path
 * that is shorter than that, the wait tells nothing: only losses shrink the window, from one in fifty on. The limit is seen when packets
 * wait longer than half the target, or when the window shrinks. After eight round trips of growth, and one in which nearly all of the
 * window arrived, it doubles again if packets wait no longer than a quarter of the target.
 *
 * <p>The window grows with each arrival. It stops growing within a round trip as soon as eight samples in a row all waited longer than the
 * target, or than half of it while it doubles. A cut takes a round trip to show. So what was sent before the last cut tells nothing of the
 * wait. Two cuts that change nothing mean that the path became longer, or that the queue is that of others.
 *
 * <p>When the peer says that routers marked packets, the window shrinks by an eighth, once in a round trip.
 *
 * <p>A READ response that may have waited behind a gap is only an upper bound of a round trip. In a round trip with nothing better, the
 * window is not cut for delay; it goes on growing while the least bound is within twice the target.
 *
 * <p>Few losses do not shrink the window, since a loss costs one packet when the receiver keeps the others; up to eight in a round trip are
 * chance, on a short path four. Delay does not shrink it below what the path holds, or 32 packets if the path holds more. Beyond the
 * buffers of the sockets, it is at most twice what the path holds, and on a short path nothing.
 *
 * <p>On a path of a millisecond and more, packets leave at 6/5 of the window in a round trip, so that the window bounds them, and twice as
 * fast while it doubles. On a shorter one a thread that wakes up late would lose what it did not send.
 *
 * <p>Bytes as the peer send window counts them; times in nanoseconds. Owned by the engine thread.
 */
public final class DelayControl implements CongestionControl {
    /** Where it starts. */
    public static final int INITIAL_PACKETS = 32;
    /** After this long without an acknowledgement, and four round trips, everything in flight is written off. */
    public static final long STALE_NS = 50_000_000;
    /** Where losses stop to shrink it. */
    static final int MINIMUM_PACKETS = 2;
    /** Before the first sample, a round lasts this long. */
    private static final long UNKNOWN_ROUND_NS = 1_000_000;
    /** More than this part of the bytes lost is the loss of a queue that overflows. */
    private static final int MOST_LOST = 7;
    /** A round without a sample ends after four times the round before it. */
    private static final int LONGEST_ROUND = 4;
    /** The fastest of eight round trips tells the queue from jitter. */
    private static final int GROUP = 8;
    private static final int USELESS_CUTS = 2;
    private static final double SLOW_DECREASE = 31 / 32.0;
    private static final int NOTIFIED_DECREASE = 8;
    /** After eight round trips of growth without a queue, the path may hold much more: the window doubles again. */
    private static final int ROUNDS_TO_DOUBLE = 8;
    private static final double GAIN = 1.2;
    private static final double DOUBLING_GAIN = 2;
    private static final long UNLIMITED_NS = Long.MAX_VALUE / 8;
    /** A path as long is paced. */
    private static final long PACED_NS = 1_000_000;

    private final long bufferBytes;
    private final long mostBytes;
    private final int packetBytes;
    private final WindowedMinimum shortest = new WindowedMinimum();
    private long windowBytes;
    private long roundStartNs;
    /** When the window was last cut: what was sent before is no sign of another limit. */
    private long cutNs;
    /** The fastest round trip before the last cut. */
    private long cutRoundTripNs = Long.MAX_VALUE;
    /** Cuts in a row after which round trips stayed as long as before. */
    private int uselessCuts;
    /** A packet that was sent in this round trip has been answered, which ends it. */
    private boolean isAnswered;
    /** Whether the last round trip showed how long packets wait. */
    private boolean isKnown = true;
    private final LossShare losses = new LossShare(MOST_LOST);
    private long roundNs = UNKNOWN_ROUND_NS;
    private long fastestNs = Long.MAX_VALUE;
    private long atMostNs = Long.MAX_VALUE;
    private long groupNs = Long.MAX_VALUE;
    private int samples;
    private long arrivedBytes;
    private boolean filled;
    private boolean doubling = true;
    private boolean growing = true;
    private int roundsOfGrowth;
    /** Bytes that the path itself holds, as far as it was measured. */
    private long pathBytes;
    private long notifiedNs = Long.MIN_VALUE / 2;

    /**
     * @param bufferBytes of the sockets at both ends: what may be in flight although the path holds nothing.
     * @param mostBytes   largest window on any path.
     * @param packetBytes a full packet.
     */
    public DelayControl(long bufferBytes, long mostBytes, int packetBytes) {
        this.bufferBytes = bufferBytes;
        this.mostBytes = Math.max(bufferBytes, mostBytes);
        this.packetBytes = packetBytes;
        this.windowBytes = Math.min(bufferBytes, (long) INITIAL_PACKETS * packetBytes);
    }

    @Override
    public long windowBytes() {
        return windowBytes;
    }

    @Override
    public long bytesPerSecond() {
        if (roundNs == UNKNOWN_ROUND_NS || shortest.ns() < PACED_NS) {
            return UNPACED;
        }
        return Math.max(1, (long) ((doubling ? DOUBLING_GAIN : GAIN) * windowBytes * 1e9 / roundNs));
    }

    @Override
    public long batchNs() {
        return PathMeter.batchNs(shortest.ns());
    }

    @Override
    public long pathBytes() {
        return pathBytes;
    }

    @Override
    public long staleNs() {
        return PathMeter.staleNs(shortest.ns());
    }

    @Override
    public void onFilled() {
        filled = true;
    }

    /** What was sent before the last cut shows the queue that the cut is to end. */
    @Override
    public void onSample(long sampleNs, long hostsNs, boolean isExact, long nowNs) {
        shortest.onSample(sampleNs, nowNs);
        long sentNs = nowNs - sampleNs;
        isAnswered |= sentNs >= roundStartNs;
        if (sentNs < cutNs) {
            return;
        }
        if (!isExact) {
            atMostNs = Math.min(atMostNs, sampleNs);
            return;
        }
        fastestNs = Math.min(fastestNs, sampleNs);
        groupNs = Math.min(groupNs, sampleNs);
        if (++samples % GROUP == 0) {
            long targetNs = targetNs();
            growing &= groupNs - shortest.ns() <= (doubling ? targetNs / 2 : targetNs);
            groupNs = Long.MAX_VALUE;
        }
    }

    /** At most once in a round trip, since a cut takes so long to show. */
    @Override
    public boolean onNotified(long nowNs) {
        if (nowNs - notifiedNs < roundNs) {
            return false;
        }
        notifiedNs = nowNs;
        stopDoubling();
        growing = false;
        cut(windowBytes - windowBytes / NOTIFIED_DECREASE, least(), nowNs);
        return true;
    }

    /** Before the first answer, a loss may be a timer that is shorter than the path. */
    @Override
    public void onLost(long packets, long bytes) {
        if (shortest.ns() != Long.MAX_VALUE) {
            losses.onLost(packets, bytes);
        }
    }

    @Override
    public void onArrived(long bytes, long nowNs) {
        arrivedBytes += bytes;
        if (growing && filled) {
            windowBytes = Math.min(limitBytes(), windowBytes + growth(bytes));
        }
        if (isAnswered || nowNs - roundStartNs >= LONGEST_ROUND * roundNs) {
            endRound(nowNs);
        }
    }

    private long growth(long arrivedNow) {
        return doubling && isKnown ? arrivedNow : arrivedNow / 8;
    }

    private void endRound(long nowNs) {
        boolean isMeasured = fastestNs != Long.MAX_VALUE;
        if (isMeasured) {
            roundNs = Math.max(1, fastestNs);
            long passedBytes = arrivedBytes * shortest.ns() / Math.max(1, nowNs - roundStartNs);
            pathBytes = Math.max(losses.isAny() ? pathBytes : pathBytes - pathBytes / 8, passedBytes);
        }
        follow(isMeasured, nowNs);
        roundStartNs = nowNs;
        isAnswered = false;
        fastestNs = Long.MAX_VALUE;
        atMostNs = Long.MAX_VALUE;
        groupNs = Long.MAX_VALUE;
        samples = 0;
        arrivedBytes = 0;
        filled = false;
    }

    private void follow(boolean isMeasured, long nowNs) {
        if (losses.end(arrivedBytes, isShort())) {
            stopDoubling();
            growing = false;
            cut(Math.max(windowBytes / 2, Math.min(windowBytes, arrivedBytes)), (long) MINIMUM_PACKETS * packetBytes, nowNs);
        } else if (isMeasured) {
            followDelay(fastestNs - shortest.ns(), targetNs(), nowNs);
        } else if (atMostNs != Long.MAX_VALUE) {
            growing = atMostNs <= shortest.ns() + 2 * targetNs();
            doubling &= growing;
        }
        isKnown = isMeasured;
    }

    private void followDelay(long waitNs, long targetNs, long nowNs) {
        growing = waitNs <= targetNs;
        if (doubling && waitNs > targetNs / 2) {
            stopDoubling();
        }
        if (growing) {
            uselessCuts = 0;
            cutRoundTripNs = Long.MAX_VALUE;
            boolean isOpen = waitNs <= targetNs / 4 && arrivedBytes >= windowBytes - windowBytes / 8;
            doubling |= filled && !doubling && ++roundsOfGrowth >= ROUNDS_TO_DOUBLE && isOpen;
            return;
        }
        stopDoubling();
        if (waitNs / 2 <= targetNs) {
            windowBytes = Math.max(least(), (long) (windowBytes * SLOW_DECREASE));
            return;
        }
        uselessCuts = fastestNs > cutRoundTripNs - cutRoundTripNs / 8 ? uselessCuts + 1 : 0;
        if (uselessCuts >= USELESS_CUTS) {
            // A queue of ours would have shrunk with the window: the path became longer, or the queue is that of others.
            shortest.start();
            shortest.onSample(fastestNs, nowNs);
            uselessCuts = 0;
            cutRoundTripNs = Long.MAX_VALUE;
            growing = true;
            doubling = true;
            return;
        }
        cutRoundTripNs = fastestNs;
        double factor = Math.max(0.5, (double) (shortest.ns() + targetNs) / (shortest.ns() + waitNs));
        cut((long) (windowBytes * factor), least(), nowNs);
    }

    /** How long packets may wait in queues. */
    private long targetNs() {
        return isShort() ? UNLIMITED_NS : Math.max(PathMeter.HOST_DELAY_NS, shortest.ns() / 4);
    }

    /** Hosts delay packets by more than the path does: their wait tells nothing. */
    private boolean isShort() {
        return shortest.ns() < PathMeter.HOST_DELAY_NS;
    }

    /** Delay alone does not shrink the window below this. */
    private long least() {
        return Math.min(windowBytes, Math.max((long) MINIMUM_PACKETS * packetBytes,
            Math.min((long) INITIAL_PACKETS * packetBytes, pathBytes)));
    }

    private void cut(long to, long leastBytes, long nowNs) {
        windowBytes = Math.max(leastBytes, to);
        cutNs = nowNs;
    }

    private void stopDoubling() {
        doubling = false;
        roundsOfGrowth = 0;
    }

    /** Beyond the buffers only what the path holds may be in flight: what waits in a buffer of the peer that is full is lost. */
    private long limitBytes() {
        return isShort() ? bufferBytes : Math.min(mostBytes, bufferBytes + 2 * pathBytes);
    }
}
