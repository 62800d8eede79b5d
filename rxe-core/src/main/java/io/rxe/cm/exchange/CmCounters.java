package io.rxe.cm.exchange;

import io.rxe.cm.mad.CmAttribute;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counters of connection management: four for each message, as Linux has them, and one for each {@link CmDropReason}.
 *
 * <p>Written by the engine's thread only, with ordered stores; readable from any thread.
 */
public final class CmCounters {
    /** What is counted of a message. */
    public enum Kind {
        /** Handed to queue pair 1, retransmissions included: cm_tx_msgs of Linux. */
        SENT,
        /** Retransmitted because no reply arrived: cm_tx_retries. */
        RETRIED,
        /** Received and well-formed: cm_rx_msgs. */
        RECEIVED,
        /** Duplicates received: cm_rx_duplicates. */
        DUPLICATE
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
