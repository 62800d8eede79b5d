package io.rxe.cm;

import io.rxe.cm.mad.CmAttribute;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counters of connection management: for each message as Linux has them (cm_tx_msgs, cm_tx_retries, cm_rx_msgs, cm_rx_duplicates), and
 * one for each {@link CmDropReason}.
 *
 * <p>Written by the engine's thread only, with ordered stores; read from anywhere.
 */
public final class CmCounters {
    /** What is counted of a message. */
    public enum Kind {
        /** Handed to queue pair 1, repetitions included. */
        SENT("cm_tx_msgs"),
        /** Sent again because no answer came. */
        RETRIED("cm_tx_retries"),
        /** Received and well-formed. */
        RECEIVED("cm_rx_msgs"),
        /** Received again. */
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

    public long get(Kind kind, CmAttribute attribute) {
        return cells.get(kind.ordinal() * ATTRIBUTES + attribute.ordinal());
    }

    /** MADs not acted on for a reason. */
    public long get(CmDropReason reason) {
        return cells.get(DROPS + reason.ordinal());
    }
}
