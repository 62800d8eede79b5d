package io.rxe.sim;

import io.rxe.verbs.CompletionStatus;

/** Errors that the simulation puts into a request, and the status with which the request must complete. */
enum InjectedError {
    /** The request is valid. */
    NONE(CompletionStatus.SUCCESS),
    /** An rkey that was never registered. */
    UNKNOWN_REMOTE_KEY(CompletionStatus.REM_ACCESS_ERR),
    /** A range that begins inside the region and ends beyond it. */
    BEYOND_REGION(CompletionStatus.REM_ACCESS_ERR),
    /** The key of a region in another protection domain. */
    FOREIGN_DOMAIN(CompletionStatus.REM_ACCESS_ERR),
    /** A region without remote access. */
    NO_ACCESS_RIGHT(CompletionStatus.REM_ACCESS_ERR),
    /** An atomic whose address is not a multiple of 8. */
    MISALIGNED_ATOMIC(CompletionStatus.REM_INV_REQ_ERR),
    /** A SEND longer than the receive request. */
    RECEIVE_TOO_SHORT(CompletionStatus.REM_INV_REQ_ERR),
    /** The lkey of the receive request is not registered. */
    INVALID_RECEIVE_KEY(CompletionStatus.REM_OP_ERR),
    /** The lkey of the send request is not registered. */
    INVALID_LOCAL_KEY(CompletionStatus.LOC_PROT_ERR),
    /** The key of a window's binding that has ended. Only where there are windows. */
    ENDED_BINDING(CompletionStatus.REM_ACCESS_ERR),
    /** Other low bits of a key that is in force. Only where there are windows. */
    OTHER_OWNER_BITS(CompletionStatus.REM_ACCESS_ERR),
    /** A window of type 2 that another queue pair bound, or else an ended binding. Only where there are windows. */
    OTHER_QUEUE_PAIR(CompletionStatus.REM_ACCESS_ERR);

    /** Status of the request, unless every NAK is lost. */
    final CompletionStatus status;

    InjectedError(CompletionStatus status) {
        this.status = status;
    }

    /** Whether it needs windows. */
    boolean isOfWindows() {
        return ordinal() >= ENDED_BINDING.ordinal();
    }
}
