package io.rxe.net.port;

import io.rxe.counters.CounterCells;
import io.rxe.counters.CounterLayout;
import io.rxe.port.CounterSpace;

/** The counters of {@link NetCounter}: the owner of the engine counts, and publishes once an iteration; any thread may read. */
public final class NetCounters {
    private static final NetCounter[] COUNTERS = NetCounter.values();

    private final CounterCells cells = new CounterCells(COUNTERS.length);

    /** Counters in a space, or in private memory where it is null or full. */
    public NetCounters(CounterSpace space, CounterSpace.Owner owner) {
        if (space != null) {
            for (NetCounter counter : COUNTERS) {
                cells.place(counter.ordinal(), space, owner, CounterLayout.TYPE_NET, counter.ordinal(), counter.label());
            }
        }
    }

    /** Counts one event; only the owner of the engine calls. */
    public void count(NetCounter counter) {
        count(counter, 1);
    }

    /** Counts several events; only the owner of the engine calls. */
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

    /** Writes what was counted to the space, where other processes read it; only the owner of the engine calls. */
    public void publish() {
        cells.publish();
    }

    /** Publishes, and leaves the space. After the loop has stopped. */
    public void detach() {
        cells.detach();
    }
}
