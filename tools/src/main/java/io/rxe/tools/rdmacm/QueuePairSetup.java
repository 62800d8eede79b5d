package io.rxe.tools.rdmacm;

import io.rxe.cm.exchange.ConnectionTerms;
import io.rxe.verbs.QueuePair;

/** Brings a queue pair to RTS without connection management, as {@code rping -q}. */
final class QueuePairSetup {
    /** 655 ms, as rdma_cm sets. */
    private static final int MIN_RNR_TIMER_CODE = 0;

    private QueuePairSetup() {
    }

    /** Brings the queue pair to RTS. */
    static void toReadyToSend(QueuePair queuePair, ConnectionTerms terms) {
        queuePair.modify(terms.toInit());
        queuePair.modify(terms.toReadyToReceive(MIN_RNR_TIMER_CODE));
        queuePair.modify(terms.toReadyToSend().keepAliveNs(ConnectOptions.KEEP_ALIVE_NS));
    }
}
