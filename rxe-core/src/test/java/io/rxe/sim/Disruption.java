package io.rxe.sim;

import io.rxe.device.NicInspection;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;

/** What one side of a connection does in the middle of traffic. */
enum Disruption {
    /** Moves its queue pair to ERROR. */
    MOVE_TO_ERROR,
    /** Closes its queue pair; the peer learns of it by timeouts. */
    CLOSE,
    /** Moves its queue pair to RESET; the peer learns of it by timeouts. */
    RESET,
    /** Deregisters the memory that the peer reads and writes, under each key that the peer has. */
    DEREGISTER_TARGET,
    /** Deregisters the memory of its send requests and READ responses. */
    DEREGISTER_LOCAL,
    /** Deregisters the memory of its receive requests. */
    DEREGISTER_RECEIVES,
    /** Posts no receives any more, until one side gives up. */
    STOP_RECEIVES,
    /** Neither polls nor posts any more, until one side gives up. */
    STOP_POLLING;

    /** Whether both sides post on until one of them gives up. */
    boolean keepsPosting() {
        return this == STOP_RECEIVES || this == STOP_POLLING;
    }

    /** One side does it. */
    void apply(Application side) {
        switch (this) {
            case MOVE_TO_ERROR -> side.moveToError();
            case CLOSE, RESET -> leave(side);
            case DEREGISTER_TARGET -> deregisterTarget(side);
            case DEREGISTER_LOCAL -> side.memory.deregisterLocal();
            case DEREGISTER_RECEIVES -> side.memory.deregisterReceives();
            case STOP_RECEIVES -> side.postReceives(false);
            case STOP_POLLING -> side.poll(false);
        }
    }

    private void leave(Application side) {
        side.leave(this == RESET);
        if (NicInspection.responds(side.queuePair)) {
            throw side.fail("a response is due although the queue pair was closed or reset");
        }
    }

    private static void deregisterTarget(Application side) {
        if (side.windows != null) {
            side.windows.closeRegions();
        }
        side.memory.deregisterTarget();
    }

    /** Whether it is the reason for the first failed request of a side. */
    boolean explains(CompletionStatus status, boolean isOwnSide, Request request) {
        return switch (this) {
            case DEREGISTER_TARGET -> isOwnSide ? status == CompletionStatus.WR_FLUSH_ERR || request.operation.isLocal()
                : status == CompletionStatus.REM_ACCESS_ERR && (!request.operation.isSend() && (request.targetBytes() > 0
                || request.operation == Operation.FLUSH)
                || request.operation == Operation.SEND_WITH_INVALIDATE);
            case DEREGISTER_LOCAL -> isOwnSide && status == CompletionStatus.LOC_PROT_ERR && !request.inline;
            case DEREGISTER_RECEIVES -> isOwnSide ? status == CompletionStatus.WR_FLUSH_ERR
                : status == CompletionStatus.REM_OP_ERR && request.operation.isSend() && request.length > 0;
            case MOVE_TO_ERROR, CLOSE, RESET, STOP_RECEIVES, STOP_POLLING -> false;
        };
    }
}
