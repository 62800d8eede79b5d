package io.rxe.counters;

import io.rxe.port.EngineEvent;
import io.rxe.port.EngineObserver;

/**
 * The last events of an engine, for whoever asks what led to a failure; and the place every event passes on its way to the
 * {@link EngineObserver}. Allocates nothing after construction.
 *
 * <p>Owned by the engine thread; {@link #forEach} as well.
 */
public final class EventRing {
    /** Events remembered; a power of two. */
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

    /** Who hears of each event at once. */
    public void observer(EngineObserver newObserver) {
        observer = newObserver;
    }

    /** The engine's time, for the events from now on. */
    public void now(long timeNs) {
        nowNs = timeNs;
    }

    /** Something happened; arguments as in {@link EngineObserver#onEvent}. */
    public void record(EngineEvent event, int qpn, int psn, long value) {
        int slot = (int) count++ & CAPACITY - 1;
        events[slot] = (byte) event.ordinal();
        times[slot] = nowNs;
        numbers[slot] = qpn;
        psns[slot] = psn;
        values[slot] = value;
        observer.onEvent(event, nowNs, qpn, psn, value);
    }

    /** Events since the beginning, also those that are forgotten. */
    public long count() {
        return count;
    }

    /** Tells the events that are remembered, oldest first. */
    public void forEach(EngineObserver reader) {
        for (long index = Math.max(0, count - CAPACITY); index < count; index++) {
            int slot = (int) index & CAPACITY - 1;
            reader.onEvent(EVENTS[events[slot]], times[slot], numbers[slot], psns[slot], values[slot]);
        }
    }
}
