package io.rxe.qp;

import io.rxe.counters.NicCounter;
import io.rxe.counters.QueuePairCell;
import io.rxe.counters.QueuePairCounters;
import io.rxe.port.PathFigures;
import io.rxe.qp.send.RttEstimator;
import io.rxe.qp.send.SendWindow;

/**
 * What an RC queue pair shows of the path to its peer: in its counters after each timeslice, and to the observer of its engine while it
 * works, ten times a second.
 *
 * <p>Owned by the engine thread.
 */
final class PathReport implements PathFigures {
    static final long INTERVAL_NS = 100_000_000;

    private final QueuePairCounters counters;
    private final SendWindow window;
    private final RttEstimator rtt;
    private long marked;
    private long notificationsSent;
    private long notificationsObeyed;
    private boolean measured;
    private long nextNs = Long.MIN_VALUE;

    PathReport(QueuePairCounters counters, SendWindow window, RttEstimator rtt) {
        this.counters = counters;
        this.window = window;
        this.rtt = rtt;
    }

    /** A packet was accepted that a router had marked. */
    void onMarked() {
        marked++;
    }

    /** A CNP left. */
    void onNotificationSent() {
        notificationsSent++;
    }

    /** The peer sent a CNP, which changed something or was of no use. */
    void onNotified(boolean isObeyed) {
        notificationsObeyed += isObeyed ? 1 : 0;
        counters.count(isObeyed ? NicCounter.RP_CNP_HANDLED : NicCounter.RP_CNP_IGNORED);
    }

    /** Tells the observer when it is time to, or when the first round trip of a path was measured. */
    void poll(long nowNs) {
        if (nowNs >= nextNs || rtt.isKnown() != measured) {
            measured = rtt.isKnown();
            nextNs = nowNs + INTERVAL_NS;
            counters.path(this);
        }
    }

    /** Shows window, rate and round trip; what is counted is in counters of their own. */
    void show() {
        counters.show(QueuePairCell.WINDOW, window.packets());
        counters.show(QueuePairCell.WINDOW_BYTES, window.bytes());
        counters.show(QueuePairCell.RATE_BITS_PER_SECOND, window.bitsPerSecond());
        counters.show(QueuePairCell.ROUND_TRIP_NS, rtt.smoothedNs());
        counters.show(QueuePairCell.ROUND_TRIP_MIN_NS, rtt.minimumNs());
    }

    @Override
    public long windowBytes() {
        return window.bytes();
    }

    @Override
    public long bitsPerSecond() {
        return window.bitsPerSecond();
    }

    @Override
    public long roundTripNs() {
        return rtt.smoothedNs();
    }

    @Override
    public long shortestRoundTripNs() {
        return rtt.minimumNs();
    }

    @Override
    public long marked() {
        return marked;
    }

    @Override
    public long notificationsSent() {
        return notificationsSent;
    }

    @Override
    public long notificationsObeyed() {
        return notificationsObeyed;
    }
}
