package io.rxe.model;

import java.util.Locale;

/** What the responder of the model does with packets behind a gap. */
enum Receiver {
    /** Drops them, as rdma_rxe does. */
    GO_BACK_N,
    /** Keeps them, and sends NAKs: ours, to a peer that does not know gap reports. */
    SELECTIVE_REPEAT,
    /** Keeps them, and reports what it has: ours, to a peer of ours. */
    GAP_REPORTS;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
