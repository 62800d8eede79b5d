package io.rxe.qp.congestion;

/**
 * The controller {@code delay}: follows how long packets wait in queues. The window opens by doubling until the path shows its limit, then
 * keeps the wait at a {@link DelayTarget}. Once in a round trip, the first line that applies decides:
 *
 * <pre>
 *   a round trip in which ...                                        the window
 *   the queue is that of others who do not drain it                  a packet more, or a third less when any was lost
 *   more than a seventh of what arrived was lost, on a short path
 *     a fiftieth: a queue overflows                                  shrinks to what arrived, by 1/4 to 3/4; drain
 *   even the fastest answer waited longer than twice the target      shrinks to what fits the target, at most to half; drain
 *   even the fastest answer waited longer than the target            by a 32nd, to what fits if a queue was long; {@link LastingWait}
 *   all answers may have waited behind a gap                         see bounds below
 *   the queue pairs did not fill it                                  stays
 *   the limit was not seen yet                                       doubles
 *   else                                                             grows by an eighth; where a queue was long in the last seconds,
 *                                                                    and may be long now or overflowed at this window, by a packet, at
 *                                                                    most by a quarter
 * </pre>
 *
 * <p><b>The wait</b> is that of the fastest of all round trips measured in one round trip, beyond the shortest of the last seconds: jitter
 * does not look like a queue. Nor do threads that run late, as what the hosts may have caused is no wait (rule G8); not beyond 4 ms or the
 * path, where it may hide one. On a short path on which no queue is known, a round trip of which the hosts may have caused more leaves the
 * window as it is. What waits the {@link OtherWay} is none either. The limit is seen when packets wait longer than half the target, or when
 * the window shrinks. After eight round trips of growth, and one in which nearly all of the window arrived, it doubles again if packets
 * wait for a quarter of the target at most.
 *
 * <p>The window grows with each arrival. It stops growing within a round trip as soon as eight samples in a row all waited longer than the
 * target, or than half of it while it doubles. A cut takes a round trip to show. So what was sent before the last cut tells nothing of the
 * wait, and losses that show in the round trip after it belong to the queue that it is to end.
 *
 * <p><b>Drains.</b> After some cuts, and now and then, the window is closed for a round trip: see {@link QueueDrain}. It is a quarter then,
 * half of what the path holds at most, and a packet at most where much of the shortest round trip may be a queue; three packets where the
 * path holds four, and the queue seems to be that of this window alone. On a path of 10 ms and more it is what the path holds: no cost.
 *
 * <p><b>Bounds of round trips.</b> A READ response or an ACK that may have waited behind a gap is only a bound of a round trip. So is an
 * ACK that none of its packets requested. With nothing better, the window goes on growing while the least bound is within twice the target,
 * and never doubles beyond. It is not cut for delay, but for an eighth on a path of 10 ms and more, where twice what the path holds stays.
 *
 * <p><b>Losses.</b> Few losses do not shrink the window, since a loss costs one packet when the receiver keeps the others. {@link
 * LossShare} has the limits. What is lost while the path is silent is no sign of a queue. A buffer of a host overflowed, and no queue,
 * where the window is nearly as long as the buffers, or hosts caused most of the wait: then the window only shrinks.
 *
 * <p><b>Before the first answer</b>, all that leaves may be lost: those who began together did not fit. Once that is the window, or half of
 * it at once, a packet leaves at a time, until one shows a round trip. If it was the window, it does not double then. If more arrives than
 * has left since, nothing was lost, but the timer was shorter than the path: then it is the first window, or what seemed lost, up to two.
 *
 * <p><b>Least and most.</b> The least window is a quarter of a packet, which leaves as one packet in four round trips. The largest is what
 * the buffers of the sockets hold, and twice what the path holds unless that is short.
 *
 * <p><b>Marks.</b> When the peer says that routers marked packets, the window shrinks by an eighth, once in a round trip, but not below
 * what the path holds, or 32 packets if the path holds more.
 *
 * <p><b>Rate.</b> Packets leave at 6/5 of the window in a round trip, so that the window bounds them, and twice as fast while it doubles. A
 * short path is paced only where a queue was long. The rate of READ responses follows from the round trip without the hosts' part, and is
 * four packets in it at least: what a peer spaces longer would seem lost, be requested again and keep the window closed.
 *
 * <p>Bytes as the peer send window counts them; times in nanoseconds. Owned by the engine thread.
 */
public final class DelayControl implements CongestionControl {
    /** Where it starts. */
    public static final int INITIAL_PACKETS = 32;
    /** After this long without an acknowledgement, and four round trips, everything in flight is written off. */
    public static final long STALE_NS = 50_000_000;
    /** Notifications do not shrink it below this. */
    static final int MINIMUM_PACKETS = 2;
    private static final int LEAST_PART = 4;
    private static final int LEAST_RESPONSES = 4;
    /** A round trip without a sample ends after four times the one before it; one with few packets may have none for longer. */
    private static final int LONGEST_ROUND = 4;
    private static final int LONGEST_DRAIN = 12;
    private static final int FEW_PACKETS = 2;
    /** Least window of a drain where the path holds four packets: with one packet in flight the line would be idle most of the time. */
    private static final long DRAINED_PACKETS = 3;
    /** An overflow shrinks the window by a quarter at least, and to a quarter at most. */
    private static final int OVERFLOW_PART = 4;
    /** Where packets surely waited in the network for less than this part of what hosts may have caused, hosts caused it. */
    private static final int HOSTS_PART = 4;
    /** Such a part of what spaced READ responses waited lengthens the target. */
    private static final int SPACED_PART = 4;
    private static final double SLOW_DECREASE = 31 / 32.0;
    private static final double LOSS_DECREASE = 7 / 10.0;
    private static final int NOTIFIED_DECREASE = 8;
    /** After eight round trips of growth without a queue, the path may hold much more: the window doubles again. */
    private static final int ROUNDS_TO_DOUBLE = 8;
    /** A packet more is such a part of the window at most: if each added one to a window of one, a short buffer would overflow at once. */
    private static final int MOST_GROWTH_PART = 4;
    private static final double GAIN = 1.2;
    private static final double DOUBLING_GAIN = 2;

    private final long bufferBytes;
    private final long mostBytes;
    private final int packetBytes;
    private final long leastWindowBytes;
    private final WindowedMinimum shortest = new WindowedMinimum();
    private final DelayTarget target;
    private final QueueDrain drain = new QueueDrain();
    private final LastingWait lasting = new LastingWait();
    private final RoundTrip round = new RoundTrip();
    private final OtherWay otherWay = new OtherWay(round);
    private long windowBytes;
    private final Withdrawal withdrawal;
    /** When the window was last cut: what was sent before is no sign of another limit. */
    private long cutNs;
    /** Whether the last round trip showed how long packets wait. */
    private boolean isKnown = true;
    private final QueueLosses losses = new QueueLosses();
    private boolean isMeasured;
    /** The slowest sample of late. */
    private long slowestNs;
    private boolean doubling = true;
    private boolean growing = true;
    /** Packets surely wait for less than half of what they may: others that share the path lose nothing when the window grows fast. */
    private boolean isQueueShort = true;
    private boolean isContended;
    /** A queue overflowed since it became contended: others may share it. */
    private boolean isCrowded;
    /** What the window was cut to when a queue overflowed: from here on it grows slowly. */
    private long overflowBytes = Long.MAX_VALUE;
    private boolean isCompeting;
    /** The window before cuts and drains that did not shorten the queue. */
    private long usefulBytes;
    private int roundsOfGrowth;
    /** Round trips in a row in which packets waited much too long. On a short path one may be a thread that did not run. */
    private int longRounds;
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
        this.leastWindowBytes = packetBytes / LEAST_PART;
        this.target = new DelayTarget(shortest, packetBytes);
        this.withdrawal = new Withdrawal(packetBytes);
        this.windowBytes = Math.min(bufferBytes, (long) INITIAL_PACKETS * packetBytes);
    }

    @Override
    public long windowBytes() {
        return Math.max(windowBytes, Math.min(mostBytes, windowBytes + otherWay.bytes()));
    }

    @Override
    public long bytesPerSecond() {
        return bytesPerSecond(round.lastNs(), 0);
    }

    /** Responses that the peer spaced have waited at its host: its rate must not follow from what it caused. */
    @Override
    public long responseBytesPerSecond() {
        return bytesPerSecond(round.lastNetworkNs(), (long) LEAST_RESPONSES * packetBytes);
    }

    private long bytesPerSecond(long lastNs, long leastBytes) {
        if (!isMeasured || target.isShort() && !isContended) {
            return UNPACED;
        }
        // Where dozens share a queue that overflows, the rate alone keeps a closed window of less than a packet.
        boolean isKeptByRate = windowBytes < packetBytes && isCrowded;
        long bytes = drain.isActive() && !isKeptByRate ? Math.max(packetBytes, drain.windowBytes()) : windowBytes;
        double perNs = doubling || !isContended ? (double) bytes / lastNs : otherWay.atMost((double) bytes / lastNs, windowBytes);
        return Math.max(1, (long) (Math.max((double) leastBytes / lastNs, (doubling ? DOUBLING_GAIN : GAIN) * perNs) * 1e9));
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
        return Math.min(LONGEST_ROUND * RoundTrip.MOST_NS, PathMeter.staleNs(shortest.ns()));
    }

    @Override
    public void onFilled() {
        round.filled = true;
    }

    @Override
    public void onSample(long sampleNs, long otherWayNs, long hostsNs, boolean isExact, long nowNs) {
        otherWay.onAcknowledged(otherWayNs);
        sample(sampleNs, otherWayNs, 0, hostsNs, isExact, nowNs);
    }

    /** Of what spaced responses waited, a part counts: all would hide that the path became longer, nothing take jitter for a queue. */
    @Override
    public void onReadSample(long sampleNs, long otherWayNs, long waitedNs, long hostNs, boolean isExact, long nowNs) {
        boolean isSpaced = responseBytesPerSecond() != UNPACED;
        otherWay.onResponse(otherWayNs);
        sample(sampleNs, otherWayNs, isSpaced ? waitedNs : 0, isSpaced ? hostNs : waitedNs + hostNs, isExact, nowNs);
    }

    private void sample(long sampleNs, long otherWayNs, long spacedNs, long hostsNs, boolean isExact, long nowNs) {
        long countedNs = Math.min(hostsNs, target.mostHostsNs());
        shortest.onAnswer(sampleNs, isExact, nowNs);
        target.onSample(spacedNs / SPACED_PART + countedNs);
        long thisWayNs = Math.max(shortest.ns(), sampleNs - otherWayNs);
        long networkNs = Math.max(shortest.ns(), thisWayNs - spacedNs - countedNs);
        if (isExact) {
            target.onArrived(networkNs, nowNs);
        }
        long sentNs = nowNs - sampleNs;
        round.isAnswered |= sentNs >= Math.max(round.startNs, drain.measuresFromNs());
        if (sentNs < Math.max(cutNs, drain.measuresFromNs())) {
            return;
        }
        if (!isExact) {
            round.onBound(networkNs);
        } else if (round.onSample(thisWayNs, networkNs, thisWayNs - spacedNs - hostsNs) && !isCompeting) {
            long targetNs = target.ns(windowBytes, nowNs);
            growing &= round.takeGroupNs() - shortest.ns() <= (doubling ? targetNs / 2 : targetNs);
        }
    }

    /** At most once in a round trip, since a cut takes so long to show. */
    @Override
    public boolean onNotified(long nowNs) {
        if (nowNs - notifiedNs < otherWay.wholeRoundNs()) {
            return false;
        }
        notifiedNs = nowNs;
        stopGrowing();
        long pathPacketsBytes = Math.min((long) INITIAL_PACKETS * packetBytes, pathBytes);
        long leastBytes = Math.min(windowBytes, Math.max((long) MINIMUM_PACKETS * packetBytes, pathPacketsBytes));
        cut(Math.max(leastBytes, windowBytes - windowBytes / NOTIFIED_DECREASE), nowNs);
        return true;
    }

    /** Before the first answer, a loss may be a timer that is shorter than the path, but a path is not much longer. */
    @Override
    public void onLost(long packets, long bytes) {
        if (shortest.ns() != Long.MAX_VALUE) {
            losses.onLost(packets, bytes);
        } else if (withdrawal.onLost(bytes, windowBytes)) {
            windowBytes = Math.min(windowBytes, packetBytes);
        }
    }

    @Override
    public void onSent(long bytes, long nowNs) {
        withdrawal.onSent(bytes);
    }

    @Override
    public void onArrived(long bytes, long nowNs) {
        losses.onArrived(otherWay.wholeRoundNs(), staleNs(), nowNs);
        round.arrivedBytes += bytes;
        if (withdrawal.isLate(bytes)) {
            windowBytes = Math.min(limitBytes(), withdrawal.lateBytes());
        }
        if (growing && !withdrawal.isActive() && round.filled && !drain.isActive()) {
            windowBytes = Math.min(limitBytes(), windowBytes + growth(bytes));
        }
        if (round.isMeasured() && !target.isLong() && !drain.isActive() && drain.takeDue(nowNs)) {
            drain(nowNs);
            // The rest of this one saw the open window.
            round.start(nowNs);
        }
        windowBytes = drain.opens(nowNs) ? drain.windowBytes() : windowBytes;
        int longest = drain.isActive() && drain.windowBytes() < (long) FEW_PACKETS * packetBytes ? LONGEST_DRAIN : LONGEST_ROUND;
        if (round.isAnswered || nowNs - round.startNs >= longest * otherWay.wholeRoundNs()) {
            endRound(nowNs);
        }
    }

    private long growth(long arrivedNow) {
        if (doubling && isKnown) {
            return arrivedNow;
        }
        long aPacket = Math.min(arrivedNow, arrivedNow * packetBytes / windowBytes);
        if (isCompeting) {
            return Math.max(1, aPacket);
        }
        boolean isFast = !isContended || isQueueShort && windowBytes < overflowBytes;
        return isFast ? arrivedNow / 8 : Math.max(1, Math.min(arrivedNow / MOST_GROWTH_PART, aPacket));
    }

    private void endRound(long nowNs) {
        if (round.isMeasured()) {
            isMeasured = true;
            if (withdrawal.end()) {
                isCrowded = true;
                stopDoubling();
                target.onQueue(nowNs);
            }
            round.end();
        }
        if (round.isMeasured() || round.isBounded()) {
            long passedBytes = round.arrivedBytes * shortest.ns() / Math.max(1, nowNs - round.startNs);
            pathBytes = Math.max(losses.isAny() ? pathBytes : pathBytes - pathBytes / 8, passedBytes);
            target.onPath(pathBytes);
        }
        // A pause of the queue pairs is not counted.
        otherWay.onRound(Math.min(nowNs - round.startNs, LONGEST_ROUND * otherWay.wholeRoundNs()));
        slowestNs = Math.max(round.slowestNetworkNs(), slowestNs - (slowestNs - round.slowestNetworkNs()) / 4);
        isContended = target.isContended(nowNs);
        overflowBytes = isContended ? overflowBytes : Long.MAX_VALUE;
        isCrowded &= isContended;
        boolean isAnyLost = losses.isAny();
        boolean isOverflowing = losses.end(round.arrivedBytes, target.isShort(), nowNs);
        if (round.isMeasured()) {
            lasting.onRound(round.fastestNs() - shortest.ns(), isAnyLost);
        }
        if (drain.isActive()) {
            endDrain(nowNs);
        } else {
            takeOtherWay(nowNs);
            follow(isAnyLost, isOverflowing, nowNs);
            isKnown = round.isMeasured();
            drainIfDue(nowNs);
        }
        round.start(nowNs);
    }

    /** What turned out to be the path was in flight beyond the window. */
    private void takeOtherWay(long nowNs) {
        long beyondBytes = otherWay.bytes();
        if (round.isMeasured() && otherWay.takePath(round.fastestNs() - shortest.ns())) {
            windowBytes = Math.min(limitBytes(), windowBytes + beyondBytes);
            onLongerPath(nowNs);
            stopDoubling();
        }
    }

    private void follow(boolean isAnyLost, boolean isOverflowing, long nowNs) {
        if (isCompeting) {
            compete(isAnyLost, nowNs);
        } else if (isOverflowing && round.startNs >= cutNs) {
            overflow(nowNs);
        } else if (round.isMeasured()) {
            followDelay(round.fastestNetworkNs() - shortest.ns(), nowNs);
        } else if (round.isBounded()) {
            growing = round.atMostNs() <= shortest.ns() + 2 * target.ns(windowBytes, nowNs);
            isQueueShort = growing;
            doubling &= growing;
            if (!growing && target.isLong()) {
                windowBytes = Math.min(windowBytes, Math.max(2 * pathBytes, windowBytes - windowBytes / 8));
            }
        }
    }

    private void overflow(long nowNs) {
        boolean isOfBuffers = target.isShort() && windowBytes > bufferBytes / 2;
        boolean isOfHosts = HOSTS_PART * (slowestNs - shortest.ns()) < target.hostsNs();
        long part = windowBytes / OVERFLOW_PART;
        stopGrowing();
        cut(Math.max(part, Math.min(windowBytes - part, round.arrivedBytes)), nowNs);
        if (!isOfBuffers && !isOfHosts) {
            overflowBytes = windowBytes;
            isCrowded = true;
            if (round.isMeasured()) {
                target.onOverflow(slowestNs, nowNs);
            }
            drain(nowNs);
        }
    }

    /** As Reno, but for a first phase of doubling: those who fill the queue have large windows. */
    private void compete(boolean isAnyLost, long nowNs) {
        growing = true;
        isQueueShort = false;
        if (isAnyLost) {
            stopDoubling();
            cut((long) (windowBytes * LOSS_DECREASE), nowNs);
        }
    }

    private void followDelay(long waitNs, long nowNs) {
        long targetNs = target.ns(windowBytes, nowNs);
        long atMostNs = round.fastestNs() - shortest.ns();
        growing = waitNs <= targetNs;
        isQueueShort = atMostNs <= targetNs / 2;
        doubling &= atMostNs <= targetNs || !isContended;
        if (doubling && waitNs > targetNs / 2) {
            stopDoubling();
        }
        if (growing) {
            longRounds = 0;
            boolean isOpen = (isContended ? atMostNs : waitNs) <= targetNs / 4 && round.arrivedBytes >= windowBytes - windowBytes / 8;
            doubling |= round.filled && !doubling && overflowBytes == Long.MAX_VALUE && ++roundsOfGrowth >= ROUNDS_TO_DOUBLE && isOpen;
            return;
        }
        if (target.knowsNoQueue(nowNs) && round.fastestUnboundedNs() - shortest.ns() <= targetNs) {
            return;
        }
        boolean isLong = waitNs / 2 > targetNs;
        longRounds = isLong ? longRounds + 1 : 0;
        if (longRounds == 1 && target.isShort() && !isContended) {
            return;
        }
        stopDoubling();
        long fitting = (long) (windowBytes * (double) (shortest.ns() + targetNs) / (shortest.ns() + waitNs));
        if (!isLong) {
            windowBytes = Math.max(leastWindowBytes, Math.min((long) (windowBytes * SLOW_DECREASE), isContended ? fitting : windowBytes));
            if (lasting.onShrunk(atMostNs, windowBytes, nowNs)) {
                onLongerPath(nowNs);
            }
            return;
        }
        lasting.onShrunk(atMostNs, windowBytes, nowNs);
        target.onQueue(nowNs);
        usefulBytes = drain.wasUseful() ? windowBytes : usefulBytes;
        long ofPath = (long) (pathBytes * (1 + (double) targetNs / shortest.ns()));
        cut(Math.max(windowBytes / 2, Math.min(fitting, ofPath)), nowNs);
        drain(nowNs);
    }

    private void drainIfDue(long nowNs) {
        boolean isSuspected = isContended || losses.isRecent() || drain.isFirst();
        if (!round.isMeasured() || !isSuspected || doubling && !isCompeting) {
            drain.rest();
            return;
        }
        // A long queue keeps the line busy meanwhile.
        long costNs = isQueueLong(nowNs) ? 0 : shortest.ns() + target.hostsNs();
        // A drain that has just begun for another reason takes the place of the regular one.
        if (drain.takeDue(costNs, isCompeting, target.mayHide(nowNs), nowNs) && !drain.isActive()) {
            drain(nowNs);
        }
    }

    /** Whether even the fastest answer of the round trip waited for longer than twice the target. */
    private boolean isQueueLong(long nowNs) {
        return round.fastestNetworkNs() - shortest.ns() > 2 * target.ns(windowBytes, nowNs);
    }

    private void drain(long nowNs) {
        drain.begin(windowBytes, round.lastNs(), otherWay.wholeRoundNs(), target.isDistance(windowBytes), nowNs);
        long fewBytes = drain.isOfNobodyElse() && target.mayKeepFew(nowNs) ? Math.min(DRAINED_PACKETS * packetBytes, pathBytes * 3 / 4) : 0;
        long mostDrainedBytes = Math.min(pathBytes / 2, target.mayBeQueue() ? packetBytes : pathBytes);
        long drainedBytes = Math.max(fewBytes, Math.min(windowBytes / 4, mostDrainedBytes));
        windowBytes = Math.max(leastWindowBytes, Math.min(windowBytes, target.isLong() ? pathBytes : drainedBytes));
    }

    private void endDrain(long nowNs) {
        // The first round trip fills the queue anew.
        cutNs = nowNs + (drain.isOpen() ? 0 : otherWay.wholeRoundNs());
        windowBytes = drain.isOpen() ? windowBytes : drain.windowBytes();
        if (!round.isMeasured()) {
            drain.end();
            return;
        }
        drain.end(round.fastestNetworkNs(), isQueueLong(nowNs));
        isCompeting &= !drain.isOfNobodyElse() && isContended;
        if (!isCompeting && drain.isUseless() && losses.isNoneForLong(nowNs)) {
            onLongerPath(nowNs);
        } else if (!isCompeting && drain.isHopeless()) {
            isCompeting = true;
            beginAnew();
        }
    }

    private void onLongerPath(long nowNs) {
        drain.onLongerPath();
        lasting.end();
        shortest.start();
        shortest.onSample(round.fastestNs(), nowNs);
        beginAnew();
    }

    private void beginAnew() {
        windowBytes = Math.max(windowBytes, usefulBytes);
        growing = true;
        doubling = true;
    }

    private void cut(long toBytes, long nowNs) {
        windowBytes = Math.max(leastWindowBytes, toBytes);
        cutNs = nowNs;
    }

    private void stopGrowing() {
        stopDoubling();
        growing = false;
    }

    private void stopDoubling() {
        doubling = false;
        roundsOfGrowth = 0;
    }

    /** Beyond the buffers only what the path holds may be in flight: what waits in a buffer of the peer that is full is lost. */
    private long limitBytes() {
        return target.isShort() ? bufferBytes : Math.min(mostBytes, bufferBytes + 2 * pathBytes);
    }
}
