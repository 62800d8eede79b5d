package io.rxe.sim;

import io.rxe.verbs.CompletionStatus;

/** Ways to make a request wrong on purpose, and how its sender has to learn of it. */
enum Wrong {
    /** Nothing is wrong with it. */
    NONE(CompletionStatus.SUCCESS),
    /** An rkey nobody was given. */
    UNKNOWN_REMOTE_KEY(CompletionStatus.REM_ACCESS_ERR),
    /** A range that begins inside the region and ends behind it. */
    BEHIND_THE_REGION(CompletionStatus.REM_ACCESS_ERR),
    /** The key of a region in another protection domain. */
    FOREIGN_DOMAIN(CompletionStatus.REM_ACCESS_ERR),
    /** A region that grants nothing to peers. */
    NO_RIGHT(CompletionStatus.REM_ACCESS_ERR),
    /** An atomic whose address was bent on the way out. */
    MISALIGNED_ATOMIC(CompletionStatus.REM_INV_REQ_ERR),
    /** A SEND longer than the receive request. */
    SHORT_RECEIVE(CompletionStatus.REM_INV_REQ_ERR),
    /** The receive request names memory that is not registered. */
    BAD_RECEIVE_KEY(CompletionStatus.REM_OP_ERR),
    /** The sender's own key is not registered. */
    BAD_LOCAL_KEY(CompletionStatus.LOC_PROT_ERR);

    /** How the request completes, unless the NAK is lost for good. */
    final CompletionStatus status;

    Wrong(CompletionStatus status) {
        this.status = status;
    }

    /** Whether it is the peer that refuses. */
    boolean isRefusedByPeer() {
        return this != NONE && this != BAD_LOCAL_KEY;
    }
}
