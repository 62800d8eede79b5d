package io.rxe.qp.responder;

import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionStatus;
import io.rxe.wire.Syndrome;

/** Why a request is refused: the NAK, the status of the receive request in use, and the event (rules R9 to R12). */
enum NakReason {
    /** Malformed, out of order, or not allowed on this queue pair. */
    INVALID_REQUEST(Syndrome.INVALID_REQUEST, CompletionStatus.REM_INV_REQ_ERR, AsyncEvent.Type.QP_REQ_ERR),
    /** More READs and atomics outstanding than max_dest_rd_atomic. */
    TOO_MANY_READS(Syndrome.INVALID_REQUEST, CompletionStatus.REM_INV_REQ_ERR, AsyncEvent.Type.QP_ACCESS_ERR),
    /** Longer than the receive request. */
    RECEIVE_TOO_SHORT(Syndrome.INVALID_REQUEST, CompletionStatus.LOC_LEN_ERR, AsyncEvent.Type.QP_REQ_ERR),
    /** A key, a range or a right is wrong. */
    REMOTE_ACCESS(Syndrome.REMOTE_ACCESS_ERROR, CompletionStatus.REM_ACCESS_ERR, AsyncEvent.Type.QP_ACCESS_ERR),
    /** The receive request names memory that cannot be used. */
    RECEIVE_UNUSABLE(Syndrome.REMOTE_OPERATIONAL_ERROR, CompletionStatus.LOC_PROT_ERR, AsyncEvent.Type.QP_FATAL),
    /** The registered memory that the request names faulted. */
    MEMORY_FAULT(Syndrome.REMOTE_OPERATIONAL_ERROR, CompletionStatus.LOC_PROT_ERR, AsyncEvent.Type.QP_ACCESS_ERR);

    private final int syndrome;
    private final CompletionStatus status;
    private final AsyncEvent.Type event;

    NakReason(int syndrome, CompletionStatus status, AsyncEvent.Type event) {
        this.syndrome = syndrome;
        this.status = status;
        this.event = event;
    }

    /** Whether the request is wrong, not memory of this side. */
    boolean isOfRequest() {
        return syndrome != Syndrome.REMOTE_OPERATIONAL_ERROR;
    }

    /** Syndrome of the NAK. */
    int syndrome() {
        return syndrome;
    }

    /** Completion status of the receive request in use. */
    CompletionStatus status() {
        return status;
    }

    /** Event that is raised when none is in use. */
    AsyncEvent.Type event() {
        return event;
    }
}
