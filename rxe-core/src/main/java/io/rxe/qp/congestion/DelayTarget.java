package io.rxe.qp.congestion;

/**
 * How long packets may wait in queues, beyond the shortest round trip of the last seconds:
 *
 * <pre>
 *   the longest of   250 us, or as long as the path takes for 4/3 of a packet, 500 us at most, and twice that / sqrt(packets) more
 *                    a quarter of the shortest round trip, from 100 us on
 *                    as long as the hosts delayed packets of late, 2 ms or half of the path at most: a queue keeps the line busy
 *                    while their threads do not run
 *   but at most      3/4 of the longest that packets waited of late, where a queue overflowed in the last 10 s
 *                    and where that leaves no room for 1.9 times those 250 us, these are fewer
 * </pre>
 *
 * <p>Small windows are allowed a longer wait, so that they catch up with large ones that share the queue. Times in nanoseconds. Owned by
 * the engine thread.
 */
final class DelayTarget {
    private static final long BASE_NS = 250_000;
    /** A slow line is idle at times where less than a packet and a third may wait. */
    private static final long MOST_PACKETS_NS = 2 * BASE_NS;
    /**
     * Host delay (rule G8) is an upper bound. Where it exceeds a tick of the scheduler and the path, a queue is more likely: a receiver
     * that has just started finds its sockets empty at no time for 100 ms, which would hide any queue that its peer fills.
     */
    private static final long MOST_HOSTS_NS = 4_000_000;
    private static final int FEW_PACKETS_GAIN = 2;
    /** With room for 1.9 times the usual wait it is kept. */
    private static final double ROOM_PART = 1 / (1.9 * 1.9);
    private static final long LONG_PATH_NS = 10_000_000;
    /** A longer round trip is no queue that those who keep to a target leave to who begins beside them. */
    private static final long DISTANCE_NS = 8 * BASE_NS;
    /** The peak of what the hosts delay decays by such a part with each sample. */
    private static final int DECAY = 64;
    /** An overflow with a shorter wait counts for such a part: who has few packets in a full queue may lose all that waited long. */
    private static final int SHORTER_PART = 32;

    private final WindowedMinimum shortest;
    private final int packetBytes;
    /** How long the path takes for a packet, at the rate of those that arrive; 0 before the first. */
    private long packetNs;
    /** The peak of what hosts made of the latest round trips; it decays. */
    private long hostsNs;
    /** The longest round trip of late: all who share a queue see about the same when it overflows. */
    private final WindowedMaximum longest = new WindowedMaximum();
    private long latestNs;
    private long overflowSeenNs = Long.MIN_VALUE / 2;
    private long queueSeenNs = Long.MIN_VALUE / 2;

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
        return shortest.ns() < PathMeter.HOST_DELAY_NS;
    }

    /** Whether a round trip with less in flight would cost much. */
    boolean isLong() {
        return shortest.ns() >= LONG_PATH_NS;
    }

    /** Whether all who share the path see that it is no queue, and so large a window that some of it arrives at any time. */
    boolean isDistance(long windowBytes) {
        return shortest.ns() >= DISTANCE_NS && windowBytes >= (long) QueueDrain.LAST_PART * packetBytes;
    }

    /** Whether the shortest round trip is so long that most of it may be a queue; longer ones are more likely a distance. */
    boolean mayBeQueue() {
        return shortest.ns() > 2 * BASE_NS && shortest.ns() < 4 * BASE_NS;
    }

    /** Whether a part of it may be one that is too long. */
    boolean mayHide(long nowNs) {
        return mayBeQueue() || shortest.ns() < 4 * BASE_NS && isContended(nowNs);
    }

    /** Whether a few packets in a queue do no harm: it did not overflow lately, and the path is no short one that many may share. */
    boolean mayKeepFew(long nowNs) {
        return !isShort() && !hasOverflowed(nowNs);
    }

    /** How long packets may wait while the window is so large. */
    long ns(long windowBytes, long nowNs) {
        double packets = Math.max(1, (double) windowBytes / packetBytes);
        long mostNs = hasOverflowed(nowNs) ? Math.max(PathMeter.HOST_DELAY_NS, (longest.ns() - shortest.ns()) * 3 / 4) : Long.MAX_VALUE;
        long ofPacketNs = isShort() ? 0 : Math.min(MOST_PACKETS_NS, packetNs * 4 / 3);
        long baseNs = baseNs(Math.max(BASE_NS, ofPacketNs), mostNs);
        long usualNs = (long) (baseNs * (1 + FEW_PACKETS_GAIN / Math.sqrt(packets)));
        return Math.min(mostNs, Math.max(Math.max(usualNs, Math.min(hostsNs, mostHostsNs() / 2)), isShort() ? 0 : shortest.ns() / 4));
    }

    /**
     * Where a queue that overflowed has room for the usual wait, that stays: who has not seen it overflow aims at the same. A short one is
     * kept for the longer waits of small windows.
     */
    private static long baseNs(long usualNs, long mostNs) {
        long ofRoomNs = (long) (ROOM_PART * mostNs / usualNs * mostNs);
        return Math.min(usualNs, Math.max(mostNs / (1 + FEW_PACKETS_GAIN), ofRoomNs));
    }

    /** The path itself holds so much. */
    void onPath(long pathBytes) {
        packetNs = pathBytes > 0 ? (long) (shortest.ns() * ((double) packetBytes / pathBytes)) : 0;
    }

    /** The hosts at both ends may have caused so much of a round trip. */
    void onSample(long ofHostsNs) {
        hostsNs = Math.max(ofHostsNs, hostsNs - (hostsNs - ofHostsNs) / DECAY);
    }

    /** So much of a round trip counts as the hosts' at most. */
    long mostHostsNs() {
        return Math.max(MOST_HOSTS_NS, shortest.ns());
    }

    /** Whether the path is short, and no queue overflowed: then what is beyond that is more likely a thread that did not run. */
    boolean knowsNoQueue(long nowNs) {
        return isShort() && !hasOverflowed(nowNs);
    }

    /** How long the hosts delayed round trips of late. */
    long hostsNs() {
        return hostsNs;
    }

    /** A queue overflowed when round trips took so long, as far as was seen. */
    void onOverflow(long roundTripNs, long nowNs) {
        longest.approach(roundTripNs, SHORTER_PART);
        overflowSeenNs = nowNs;
        queueSeenNs = nowNs;
    }

    /** A packet arrived after so long. When two in a row did, a queue has room for that; one may have met a thread that was late. */
    void onArrived(long roundTripNs, long nowNs) {
        longest.onSample(Math.min(roundTripNs, latestNs), nowNs, hasOverflowed(nowNs) ? Long.MAX_VALUE : WindowedMinimum.WINDOW_NS);
        latestNs = roundTripNs;
    }

    /** Packets waited for longer than allowed. */
    void onQueue(long nowNs) {
        queueSeenNs = nowNs;
    }

    /** Whether a queue overflowed in the last seconds. */
    private boolean hasOverflowed(long nowNs) {
        return nowNs - overflowSeenNs < WindowedMinimum.WINDOW_NS;
    }

    /** Whether a queue was long in the last seconds: the path has a bottleneck, and others may share it. */
    boolean isContended(long nowNs) {
        return nowNs - queueSeenNs < WindowedMinimum.WINDOW_NS;
    }
}
