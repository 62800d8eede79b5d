package io.rxe.net.port;

import io.rxe.counters.CounterCells;
import io.rxe.counters.CounterLayout;
import io.rxe.port.CounterSpace;

/** The cells of {@link NetCounter}: written by one loop thread with ordered stores, readable by any thread at any time. */
public final class NetCounters {
    private static final NetCounter[] COUNTERS = NetCounter.values();

    private final CounterCells cells = new CounterCells(COUNTERS.length);

    /** Counters in private memory. */
    public NetCounters() {
        this(null, null);
    }

    /** Counters in a space, or in private memory where it is null or full. */
    public NetCounters(CounterSpace space, CounterSpace.Owner owner) {
        if (space != null) {
            for (NetCounter counter : COUNTERS) {
                cells.place(counter.ordinal(), space, owner, CounterLayout.TYPE_NET, counter.ordinal(), counter.label());
            }
        }
    }

    /** Counts one event; only on the loop's thread. */
    public void count(NetCounter counter) {
        count(counter, 1);
    }

    /** Counts several events; only on the loop's thread. */
    public void count(NetCounter counter, long amount) {
        cells.add(counter.ordinal(), amount);
    }

    /** Raises a high-water mark. */
    public void mark(NetCounter counter, long value) {
        cells.raise(counter.ordinal(), value);
    }

    /** Events counted so far. */
    public long get(NetCounter counter) {
        return cells.get(counter.ordinal());
    }

    /** Moves the counters from their space to private memory with their values. After the last loop has stopped. */
    public void detach() {
        cells.detach();
    }
}
