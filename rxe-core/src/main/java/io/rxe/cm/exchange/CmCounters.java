package io.rxe.cm.exchange;

import io.rxe.cm.mad.CmAttribute;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counters of connection management: four for each message, with the names of Linux (cm_tx_msgs, cm_tx_retries, cm_rx_msgs,
 * cm_rx_duplicates), and one for each {@link CmDropReason}.
 *
 * <p>Written by the engine's thread only, with ordered stores; readable from any thread.
 */
public final class CmCounters {
    /** What is counted of a message. */
    public enum Kind {
        /** Handed to queue pair 1, retransmissions included. */
        SENT("cm_tx_msgs"),
        /** Retransmitted because no reply arrived. */
        RETRIED("cm_tx_retries"),
        /** Received and well-formed. */
        RECEIVED("cm_rx_msgs"),
        /** Duplicates received. */
        DUPLICATE("cm_rx_duplicates");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        /** The kernel's name. */
        public String label() {
            return label;
        }
    }

    private static final int ATTRIBUTES = CmAttribute.values().length;
    private static final int DROPS = Kind.values().length * ATTRIBUTES;

    private final AtomicLongArray cells = new AtomicLongArray(DROPS + CmDropReason.values().length);

    void count(Kind kind, CmAttribute attribute) {
        add(kind.ordinal() * ATTRIBUTES + attribute.ordinal());
    }

    void drop(CmDropReason reason) {
        add(DROPS + reason.ordinal());
    }

    private void add(int cell) {
        cells.lazySet(cell, cells.getPlain(cell) + 1);
    }

    /** Messages counted. */
    public long get(Kind kind, CmAttribute attribute) {
        return cells.get(kind.ordinal() * ATTRIBUTES + attribute.ordinal());
    }

    /** MADs dropped, or replies not sent, for a reason. */
    public long get(CmDropReason reason) {
        return cells.get(DROPS + reason.ordinal());
    }
}
