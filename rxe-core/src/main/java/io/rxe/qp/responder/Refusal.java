package io.rxe.qp.responder;

import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionStatus;
import io.rxe.wire.Syndrome;

/** Why a request is refused, and what follows from it on both sides (rules R9 to R12). */
enum Refusal {
    /** Malformed, out of order, or not allowed on this queue pair. */
    INVALID_REQUEST(Syndrome.INVALID_REQUEST, CompletionStatus.REM_INV_REQ_ERR, AsyncEvent.Type.QP_REQ_ERR),
    /** More READs and atomics at once than agreed. */
    TOO_MANY_READS(Syndrome.INVALID_REQUEST, CompletionStatus.REM_INV_REQ_ERR, AsyncEvent.Type.QP_ACCESS_ERR),
    /** Longer than the receive request. */
    RECEIVE_TOO_SHORT(Syndrome.INVALID_REQUEST, CompletionStatus.LOC_LEN_ERR, AsyncEvent.Type.QP_REQ_ERR),
    /** A key, a range or a right is wrong. */
    REMOTE_ACCESS(Syndrome.REMOTE_ACCESS_ERROR, CompletionStatus.REM_ACCESS_ERR, AsyncEvent.Type.QP_ACCESS_ERR),
    /** The receive request names memory that cannot be used. */
    RECEIVE_UNUSABLE(Syndrome.REMOTE_OPERATIONAL_ERROR, CompletionStatus.LOC_PROT_ERR, AsyncEvent.Type.QP_FATAL);

    private final int syndrome;
    private final CompletionStatus status;
    private final AsyncEvent.Type event;

    Refusal(int syndrome, CompletionStatus status, AsyncEvent.Type event) {
        this.syndrome = syndrome;
        this.status = status;
        this.event = event;
    }

    /** NAK the requester gets. */
    int syndrome() {
        return syndrome;
    }

    /** How the receive request in use completes. */
    CompletionStatus status() {
        return status;
    }

    /** What is raised when none was in use. */
    AsyncEvent.Type event() {
        return event;
    }
}
