package io.rxe.net.drive;

import io.netty.channel.IoEventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.rxe.net.port.SystemClock;
import java.util.concurrent.TimeUnit;

/**
 * Wakes a sleeping loop at a deadline. A wake-up that is too early does no harm, so a later deadline does not replace an earlier one.
 * Belongs to the event loop's thread, except where noted.
 */
final class LoopTimer {
    private static final long NEVER = Long.MAX_VALUE;

    private final IoEventLoop loop;
    private final Runnable onExpiry;
    private final Runnable task = this::expire;
    private ScheduledFuture<?> scheduled;
    /** Written by the event loop's thread. */
    private volatile long deadlineNs = NEVER;

    LoopTimer(IoEventLoop loop, Runnable onExpiry) {
        this.loop = loop;
        this.onExpiry = onExpiry;
    }

    /** Wakes the loop at a time of {@link SystemClock} or earlier; {@link Long#MAX_VALUE} sets no timer. */
    void wakeBy(long wantedNs) {
        if (wantedNs >= deadlineNs && !isOverdue()) {
            return;
        }
        if (scheduled != null) {
            scheduled.cancel(false);
        }
        // In this order: where scheduling throws, the next call tries again.
        deadlineNs = NEVER;
        if (wantedNs != NEVER) {
            scheduled = loop.schedule(task, Math.max(0, wantedNs - SystemClock.nowNs()), TimeUnit.NANOSECONDS);
            deadlineNs = wantedNs;
        }
    }

    /** Whether the deadline has passed: where memory is used up, the event loop forgets a timer that it cannot queue. Any thread. */
    boolean isOverdue() {
        return deadlineNs <= SystemClock.nowNs();
    }

    private void expire() {
        scheduled = null;
        deadlineNs = NEVER;
        onExpiry.run();
    }
}
