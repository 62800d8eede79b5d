package io.rxe.tools.rdmacm;

import io.rxe.cm.ConnectionTerms;
import io.rxe.verbs.QueuePair;

/** What a program does that drives its queue pair itself, as {@code rping -q}. */
final class SelfDriven {
    /** 655 ms: what rdma_cm sets. */
    private static final int MIN_RNR_TIMER_CODE = 0;

    private SelfDriven() {
    }

    /** From INIT to RTS. */
    static void bringUp(QueuePair queuePair, ConnectionTerms terms) {
        queuePair.modify(terms.toInit());
        queuePair.modify(terms.toReadyToReceive(MIN_RNR_TIMER_CODE));
        queuePair.modify(terms.toReadyToSend());
    }
}
