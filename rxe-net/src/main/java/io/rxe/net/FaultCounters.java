package io.rxe.net;

import io.rxe.counters.CounterCells;
import io.rxe.counters.CounterLayout;
import io.rxe.fault.VerbFaults;
import io.rxe.port.CounterSpace;

/** How often each rule of a NIC with faults at its verbs struck, where other processes read it. Any thread. */
final class FaultCounters {
    private final VerbFaults faults;
    private final CounterCells cells;

    /** @param owner the first engine of the NIC. */
    FaultCounters(VerbFaults faults, CounterSpace space, CounterSpace.Owner owner) {
        this.faults = faults;
        this.cells = new CounterCells(faults.counts().size());
        int cell = 0;
        for (String words : faults.counts().keySet()) {
            cells.place(cell, space, owner, CounterLayout.TYPE_FAULT, cell, words);
            cell++;
        }
    }

    /** Writes what was counted to the space. */
    synchronized void publish() {
        raise();
        cells.publish();
    }

    /** Publishes, and leaves the space. */
    synchronized void detach() {
        raise();
        cells.detach();
    }

    private void raise() {
        int cell = 0;
        for (long count : faults.counts().values()) {
            cells.raise(cell++, count);
        }
    }
}
