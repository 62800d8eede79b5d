package io.rxe.counters;

import io.rxe.port.CounterSpace;
import io.rxe.port.EngineEvent;
import io.rxe.wire.DropReason;
import io.rxe.wire.Gid;
import java.nio.ByteOrder;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The counters of one queue pair: what is counted here is counted for its engine as well. They lie in a record of a
 * {@link CounterSpace} (see {@link CounterLayout}). Without one, or when it is full, only the engine's count goes up: nobody could see
 * the queue pair's own.
 *
 * <p>Written by the engine's thread only, with ordered stores; readable from anywhere.
 */
public final class QueuePairCounters {
    /** Name of the cell that holds the drops of all reasons together. */
    public static final String DROPPED_LABEL = "dropped_pkts";

    private static final int COUNTS = QueuePairCell.values().length;
    private static final int DROPPED = COUNTS + NicCounter.values().length;
    /** Cells of a record. */
    static final int CELLS = DROPPED + 1;

    private final EngineCounters engine;
    private final EventRing events;
    private final int number;
    private final CounterSpace space;
    private final int record;
    /** The record alone; null without one. */
    private AtomicBuffer cells;

    private QueuePairCounters(EngineCounters engine, EventRing events, int number, CounterSpace space, int record) {
        this.engine = engine;
        this.events = events;
        this.number = number;
        this.space = space;
        this.record = record;
        this.cells = record == CounterSpace.NONE ? null
            : new UnsafeBuffer(space.buffer(), record, CounterLayout.RECORD_LENGTH);
    }

    /**
     * Counters in a record of a space, if there is one and it has room.
     *
     * @param engine    counts the same.
     * @param events    of the engine.
     * @param number    queue pair number.
     * @param transport 0 RC, 1 UC, 2 UD.
     */
    public static QueuePairCounters open(EngineCounters engine, EventRing events, CounterSpace space, CounterSpace.Owner owner,
                                         int number, int transport) {
        int record = space == null ? CounterSpace.NONE : space.openRecord(owner);
        QueuePairCounters counters = new QueuePairCounters(engine, events, number, space, record);
        if (counters.cells != null) {
            counters.identify(owner, transport);
        }
        return counters;
    }

    private void identify(CounterSpace.Owner owner, int transport) {
        cells.putInt(CounterLayout.NUMBER_OFFSET, number);
        cells.putInt(CounterLayout.TRANSPORT_OFFSET, transport);
        putGid(CounterLayout.DEVICE_OFFSET, owner.device());
        cells.putInt(CounterLayout.UDP_PORT_OFFSET, owner.udpPort());
        cells.putInt(CounterLayout.ENGINE_OFFSET, owner.engine());
        cells.putIntRelease(CounterLayout.STATUS_OFFSET, CounterLayout.STATUS_OPEN);
    }

    /** Who the peer is; null for none. */
    public void peer(Gid address, int peerNumber) {
        if (cells != null) {
            putGid(CounterLayout.PEER_OFFSET, address);
            cells.putIntRelease(CounterLayout.PEER_NUMBER_OFFSET, peerNumber);
        }
    }

    private void putGid(int field, Gid gid) {
        cells.putLong(field, gid == null ? 0 : gid.high(), ByteOrder.BIG_ENDIAN);
        cells.putLong(field + Long.BYTES, gid == null ? 0 : gid.low(), ByteOrder.BIG_ENDIAN);
    }

    /** Counts one, here and for the engine. */
    public void count(NicCounter counter) {
        count(counter, 1);
    }

    /** Counts several, here and for the engine. */
    public void count(NicCounter counter, long amount) {
        engine.count(counter, amount);
        add(COUNTS + counter.ordinal(), amount);
    }

    /** Raises a high-water mark, here and for the engine. */
    public void mark(NicCounter counter, long value) {
        engine.mark(counter, value);
        raise(COUNTS + counter.ordinal(), value);
    }

    /** Counts a packet of this queue pair that was dropped. */
    public void drop(DropReason reason) {
        engine.drop(reason);
        add(DROPPED, 1);
        events.record(EngineEvent.DROP, number, 0, reason.id());
    }

    /** Something out of the ordinary happened to this queue pair; arguments as in {@link io.rxe.port.EngineObserver#onEvent}. */
    public void event(EngineEvent event, int psn, long value) {
        events.record(event, number, psn, value);
    }

    /** Shows where the queue pair stands. */
    public void show(QueuePairCell cell, long value) {
        if (cells != null) {
            cells.putLongRelease(offset(cell.ordinal()), value);
        }
    }

    /** Raises a high-water mark of the queue pair alone. */
    public void mark(QueuePairCell cell, long value) {
        raise(cell.ordinal(), value);
    }

    /** The engine's counters, in which these are contained. */
    public EngineCounters engine() {
        return engine;
    }

    /** Whether there is a record to write to: otherwise it is not worth asking where the queue pair stands. */
    public boolean isShown() {
        return cells != null;
    }

    /** The queue pair is gone: its last values stay in the record, until that serves another one. Engine thread. */
    public void close() {
        if (cells != null) {
            cells.putIntRelease(CounterLayout.STATUS_OFFSET, CounterLayout.STATUS_CLOSED);
            cells = null;
            space.closeRecord(record);
        }
    }

    private void add(int cell, long amount) {
        if (cells != null) {
            int offset = offset(cell);
            cells.putLongRelease(offset, cells.getLong(offset) + amount);
        }
    }

    private void raise(int cell, long value) {
        if (cells != null && value > cells.getLong(offset(cell))) {
            cells.putLongRelease(offset(cell), value);
        }
    }

    private static int offset(int cell) {
        return CounterLayout.CELLS_OFFSET + cell * Long.BYTES;
    }
}
