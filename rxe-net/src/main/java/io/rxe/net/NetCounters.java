package io.rxe.net;

import java.util.concurrent.atomic.AtomicLongArray;

/** The cells of {@link NetCounter}: written by one loop thread with ordered stores, readable by anyone at any time. */
public final class NetCounters {
    private final AtomicLongArray cells = new AtomicLongArray(NetCounter.values().length);

    /** Counts one event; only on the loop's thread. */
    public void count(final NetCounter counter) {
        count(counter, 1);
    }

    /** Counts several events; only on the loop's thread. */
    public void count(final NetCounter counter, final long amount) {
        final int cell = counter.ordinal();
        cells.setRelease(cell, cells.getPlain(cell) + amount);
    }

    /** Events counted so far. */
    public long get(final NetCounter counter) {
        return cells.getAcquire(counter.ordinal());
    }
}
