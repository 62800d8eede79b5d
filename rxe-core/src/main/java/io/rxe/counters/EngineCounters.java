package io.rxe.counters;

import io.rxe.port.CounterSpace;
import io.rxe.wire.DropReason;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The counters of one engine: a cell of eight bytes for each {@link NicCounter}, then one for each {@link DropReason}.
 *
 * <p>The engine's thread counts, and publishes at the end of each poll; any thread may read.
 */
public final class EngineCounters {
    private static final NicCounter[] COUNTERS = NicCounter.values();
    private static final DropReason[] REASONS = DropReason.values();
    private static final int DROPS = COUNTERS.length;

    private final CounterCells cells;
    private final AtomicLong portsDowned = new AtomicLong();

    /** Creates counters in a space, and in private memory what does not fit; null for private memory. */
    public EngineCounters(CounterSpace space, CounterSpace.Owner owner) {
        cells = new CounterCells(DROPS + REASONS.length);
        if (space != null) {
            for (NicCounter counter : COUNTERS) {
                cells.place(counter.ordinal(), space, owner, CounterLayout.TYPE_NIC, counter.ordinal(), counter.label());
            }
            for (DropReason reason : REASONS) {
                if (reason != DropReason.NONE) {
                    cells.place(DROPS + reason.ordinal(), space, owner, CounterLayout.TYPE_DROP, reason.id(), reason.label());
                }
            }
        }
    }

    public void count(NicCounter counter) {
        cells.add(counter.ordinal(), 1);
    }

    public void count(NicCounter counter, long amount) {
        cells.add(counter.ordinal(), amount);
    }

    /** Counts a port that went down. Any thread: the next {@link #publish} shows it. */
    public void countPortDown() {
        portsDowned.incrementAndGet();
    }

    /** Raises a high-water mark. */
    public void mark(NicCounter counter, long value) {
        cells.raise(counter.ordinal(), value);
    }

    /** Counts a packet that was dropped. */
    public void drop(DropReason reason) {
        cells.add(DROPS + reason.ordinal(), 1);
    }

    public long get(NicCounter counter) {
        return cells.get(counter.ordinal());
    }

    /** Packets dropped for a reason. */
    public long get(DropReason reason) {
        return cells.get(DROPS + reason.ordinal());
    }

    /** Writes what was counted to the space, where other processes read it. */
    public void publish() {
        cells.raise(NicCounter.LINK_DOWNED.ordinal(), portsDowned.get());
        cells.publish();
    }

    /** Publishes, and leaves the space. The engine may count no more. */
    public void detach() {
        cells.detach();
    }
}
