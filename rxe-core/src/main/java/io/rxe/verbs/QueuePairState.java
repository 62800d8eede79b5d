package io.rxe.verbs;

/** States of a queue pair; the allowed transitions are in {@code io.rxe.qp.TransitionTable}. */
public enum QueuePairState {
    /** New or reset: nothing may be posted, every packet is dropped. */
    RESET,
    /** Receives may be posted; packets are dropped. */
    INIT,
    /** Ready to receive: requests from the peer are served. */
    RTR,
    /** Ready to send: fully operational. */
    RTS,
    /** Send queue draining: the message in progress ends, no new one begins. */
    SQD,
    /** Send queue error (UC and UD only): sends are flushed, receives go on. */
    SQE,
    /** Everything is flushed with WR_FLUSH_ERR, every packet is dropped. */
    ERROR;

    /** Whether requests of the peer are processed in this state (rule Q1, Q12). */
    public boolean canReceive() {
        return this == RTR || this == RTS || this == SQD || this == SQE;
    }

    /** Whether the send queue takes part: responses are processed and requests may be outstanding. */
    public boolean canSend() {
        return this == RTS || this == SQD;
    }
}
