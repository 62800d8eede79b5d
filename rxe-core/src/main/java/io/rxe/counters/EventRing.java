package io.rxe.counters;

import io.rxe.port.EngineEvent;
import io.rxe.port.EngineObserver;

/**
 * The latest events of an engine, to explain a failure. Also passes each event to the {@link EngineObserver}. Allocates nothing after
 * construction.
 *
 * <p>Owned by the engine thread, including {@link #forEach}.
 */
public final class EventRing {
    /** Number of events kept; a power of two. */
    public static final int CAPACITY = 256;

    private static final EngineEvent[] EVENTS = EngineEvent.values();

    private final byte[] events = new byte[CAPACITY];
    private final long[] times = new long[CAPACITY];
    private final int[] numbers = new int[CAPACITY];
    private final int[] psns = new int[CAPACITY];
    private final long[] values = new long[CAPACITY];
    private long count;
    private long nowNs;
    private EngineObserver observer = EngineObserver.NONE;

    /** Sets the observer that is notified of each event. */
    public void observer(EngineObserver newObserver) {
        observer = newObserver;
    }

    /** Sets the time of the events that follow. */
    public void now(long timeNs) {
        nowNs = timeNs;
    }

    /** Records an event; arguments as in {@link EngineObserver#onEvent}. */
    public void record(EngineEvent event, int qpn, int psn, long value) {
        int slot = (int) count++ & CAPACITY - 1;
        events[slot] = (byte) event.ordinal();
        times[slot] = nowNs;
        numbers[slot] = qpn;
        psns[slot] = psn;
        values[slot] = value;
        observer.onEvent(event, nowNs, qpn, psn, value);
    }

    /** Number of events recorded, including those no longer kept. */
    public long count() {
        return count;
    }

    /** Passes the events kept to a reader, oldest first. */
    public void forEach(EngineObserver reader) {
        for (long index = Math.max(0, count - CAPACITY); index < count; index++) {
            int slot = (int) index & CAPACITY - 1;
            reader.onEvent(EVENTS[events[slot]], times[slot], numbers[slot], psns[slot], values[slot]);
        }
    }
}
