package io.rxe.verbs;

/** States of a queue pair; {@code ibv_qp_state}. The allowed transitions are in {@code io.rxe.qp.TransitionTable}. */
public enum QueuePairState {
    /** New or reset: nothing may be posted, all packets are dropped. */
    RESET,
    /** Receives may be posted; all packets are dropped. */
    INIT,
    /** Ready to receive: requests of the peer are executed. */
    RTR,
    /** Ready to send: fully operational. */
    RTS,
    /** Send queue drained: messages already started are completed, no new one is started. */
    SQD,
    /** Send queue error (UC and UD only): sends are flushed, receives continue. */
    SQE,
    /** All requests complete with WR_FLUSH_ERR, all packets are dropped. */
    ERROR;

    /** Whether requests of the peer are executed in this state (rules Q1, Q12). */
    public boolean canReceive() {
        return this == RTR || this == RTS || this == SQD || this == SQE;
    }

    /** Whether requests may be outstanding in this state, so that responses of the peer are processed. */
    public boolean canSend() {
        return this == RTS || this == SQD;
    }
}
