package io.rxe.port;

import io.rxe.wire.Gid;
import org.agrona.concurrent.AtomicBuffer;

/**
 * Where counters live: cells of eight bytes in a buffer that somebody outside supplies, so that other processes can read them while
 * they count. Without one the core keeps its counters in memory of its own.
 *
 * <p>Handing out and taking back may happen on any thread. Each cell is written by one engine thread only, with ordered stores.
 */
public interface CounterSpace {
    /** Answer when there is no room: an engine's counter then lives in private memory, a queue pair's own counters are not kept. */
    int NONE = -1;

    /**
     * Whose counter it is.
     *
     * @param device  address of the port.
     * @param udpPort UDP port the device is bound to.
     * @param engine  0 to engines - 1.
     */
    record Owner(Gid device, int udpPort, int engine) {
    }

    /** What all offsets refer to; the same buffer for the life of the space. */
    AtomicBuffer buffer();

    /**
     * A cell for a counter of an engine, set to 0.
     *
     * @param typeId which family of counters; the enums of {@code io.rxe.counters.CounterLayout}.
     * @param id     which of the family.
     * @param label  the counter's name, in snake case.
     * @return offset of the cell, or {@link #NONE}.
     */
    int allocate(Owner owner, int typeId, int id, String label);

    /**
     * A record for a queue pair, set to 0.
     *
     * @return offset of the record, or {@link #NONE} when as many queue pairs are open as there are records.
     */
    int openRecord(Owner owner);

    /** Gives a record back. Its last values stay readable until it is used again, and the longest unused one is used first. */
    void closeRecord(int offset);
}
