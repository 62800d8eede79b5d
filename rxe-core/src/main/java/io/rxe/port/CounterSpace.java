package io.rxe.port;

import io.rxe.wire.Gid;
import org.agrona.concurrent.AtomicBuffer;

/**
 * Memory for counters: cells of eight bytes in a buffer that the environment supplies, usually a mapped file, so that other processes
 * can read the counters at any time. Without a space the core keeps its counters in private memory.
 *
 * <p>Any thread may allocate and release. Each cell is written by one engine thread only, with ordered stores.
 */
public interface CounterSpace {
    /** Returned when there is no room. An engine's counter then uses private memory; a queue pair then has no counters of its own. */
    int NONE = -1;

    /**
     * The engine that a counter belongs to.
     *
     * @param device  address of the port.
     * @param udpPort UDP port the device is bound to.
     * @param engine  0 to engines - 1.
     */
    record Owner(Gid device, int udpPort, int engine) {
    }

    /** The buffer that all offsets refer to; the same one for the lifetime of the space. */
    AtomicBuffer buffer();

    /**
     * Allocates a cell for a counter of an engine and sets it to 0.
     *
     * @param typeId family of counters: a {@code TYPE_} constant of {@code io.rxe.counters.CounterLayout}.
     * @param id     number of the counter in its family.
     * @param label  the counter's name, in snake case; for a rule of faults its words.
     * @return offset of the cell, or {@link #NONE}.
     */
    int allocate(Owner owner, int typeId, int id, String label);

    /**
     * Allocates a record for a queue pair and sets it to 0.
     *
     * @return offset of the record, or {@link #NONE} when all records belong to open queue pairs.
     */
    int openRecord(Owner owner);

    /** Releases a record. Its last values stay readable until it is reused; the record released first is reused first. */
    void closeRecord(int offset);
}
