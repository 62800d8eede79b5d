package io.rxe.counters;

import io.rxe.port.CounterSpace;
import io.rxe.port.EngineEvent;
import io.rxe.port.PathFigures;
import io.rxe.wire.DropReason;
import io.rxe.wire.Gid;
import java.nio.ByteOrder;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The counters of one queue pair, in a record of a {@link CounterSpace} (see {@link CounterLayout}). Every count also goes to the
 * counters of the engine; without a space, or when it is full, it goes only there.
 *
 * <p>The engine's thread counts, and publishes after each timeslice of the queue pair; other processes read the record.
 */
public final class QueuePairCounters {
    /** Name of the cell that counts drops of all reasons. */
    public static final String DROPPED_LABEL = "dropped_pkts";

    private static final int COUNTS = QueuePairCell.values().length;
    private static final int DROPPED = COUNTS + NicCounter.values().length;
    /** Cells of a record. */
    static final int CELLS = DROPPED + 1;

    private final EngineCounters engine;
    private final EngineEvents events;
    private final int number;
    private final CounterSpace space;
    private final int record;
    /** What the record gets; null without a record. */
    private final CounterValues values;
    private final CounterValues.Target target = this::write;
    /** The record; null for none. */
    private AtomicBuffer cells;

    private QueuePairCounters(EngineCounters engine, EngineEvents events, int number, CounterSpace space, int record) {
        this.engine = engine;
        this.events = events;
        this.number = number;
        this.space = space;
        this.record = record;
        this.values = record == CounterSpace.NONE ? null : new CounterValues(CELLS);
        this.cells = record == CounterSpace.NONE ? null
            : new UnsafeBuffer(space.buffer(), record, CounterLayout.RECORD_LENGTH);
    }

    /**
     * Opens counters in a record of a space, if there is a space and it has room.
     *
     * @param engine    counters of the engine, which count the same.
     * @param events    events of the engine.
     * @param space     null for none.
     * @param number    queue pair number.
     * @param transport 0 RC, 1 UC, 2 UD.
     */
    public static QueuePairCounters open(EngineCounters engine, EngineEvents events, CounterSpace space, CounterSpace.Owner owner,
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

    /** Sets the address and queue pair number of the peer; null and 0 for none. */
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

    /** Counts a dropped packet, here and for the engine, and records the event. */
    public void drop(DropReason reason) {
        engine.drop(reason);
        add(DROPPED, 1);
        events.report(EngineEvent.DROP, number, 0, reason.id());
    }

    /** Records an event of this queue pair; arguments as in {@link io.rxe.port.EngineObserver#onEvent}. */
    public void event(EngineEvent event, int psn, long value) {
        events.report(event, number, psn, value);
    }

    /** Tells the observer of the engine of the path of this queue pair. */
    public void path(PathFigures figures) {
        events.path(number, figures);
    }

    /** Sets a current value of the queue pair. */
    public void show(QueuePairCell cell, long value) {
        if (cells != null) {
            values.show(cell.ordinal(), value);
        }
    }

    /** Raises a high-water mark of the queue pair alone. */
    public void mark(QueuePairCell cell, long value) {
        raise(cell.ordinal(), value);
    }

    /** Whether there is a record. Without one, callers need not compute the values for {@link #show}. */
    public boolean isShown() {
        return cells != null;
    }

    /** Writes what was counted and shown to the record, where other processes read it. */
    public void publish() {
        if (cells != null) {
            values.publish(target);
        }
    }

    /** Releases the record of a destroyed queue pair. Its last values stay there until the record is reused. Engine thread. */
    public void close() {
        if (cells != null) {
            publish();
            cells.putIntRelease(CounterLayout.STATUS_OFFSET, CounterLayout.STATUS_CLOSED);
            cells = null;
            space.closeRecord(record);
        }
    }

    private void add(int cell, long amount) {
        if (cells != null) {
            values.add(cell, amount);
        }
    }

    private void raise(int cell, long value) {
        if (cells != null) {
            values.raise(cell, value);
        }
    }

    private void write(int cell, long value) {
        cells.putLongRelease(CounterLayout.CELLS_OFFSET + cell * Long.BYTES, value);
    }
}
