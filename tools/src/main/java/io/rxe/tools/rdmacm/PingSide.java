package io.rxe.tools.rdmacm;

import io.rxe.cm.CmEvent;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.WorkCompletion;

/**
 * Base of both sides of an rping connection: detects failures, prints rping's text for them on standard error, and keeps ours as the
 * {@link #failure}.
 */
abstract class PingSide implements EventHandler {
    final PingEndpoint endpoint;
    final PingLog log;
    final String peer;
    private String failure = "";

    /** @param peer for error messages. */
    PingSide(PingEndpoint endpoint, PingLog log, String peer) {
        this.endpoint = endpoint;
        this.log = log;
        this.peer = peer;
    }

    /** What this side waits for, as rping's state. */
    abstract PingState awaited();

    /** What this side is doing, for error messages. */
    abstract String attempt();

    /** Whether this side has finished or failed. */
    abstract boolean isOver();

    /** Enters the failed state. */
    abstract void giveUp();

    /** A work request succeeded. */
    abstract void onSuccess(WorkCompletion completion);

    /** The failure, or empty. */
    final String failure() {
        return failure;
    }

    @Override
    public final void onCompletion(WorkCompletion completion) {
        if (completion.isSuccess()) {
            onSuccess(completion);
        } else if (completion.status() != CompletionStatus.WR_FLUSH_ERR) {
            // Flushed requests are normal after a disconnect; after a failure they add nothing to its report.
            log.error("cq completion failed status " + completion.status().code());
            fail(RdmaCmMessages.failure(completion, attempt(), peer));
        }
    }

    /** The connection was not established, or broke. */
    final void onBroken(CmEvent event) {
        log.error(RdmaCmMessages.eventLine(event));
        fail(event.explanation());
    }

    /** Whether a message is not rping's; then this side fails. */
    final boolean isMalformed(WorkCompletion received) {
        if (received.byteLength() == BufferAdvert.LENGTH) {
            return false;
        }
        log.error("Received bogus data, size " + received.byteLength());
        fail(peer + " sent a message of " + received.byteLength() + " bytes, those of rping have " + BufferAdvert.LENGTH
            + ": is it another program?");
        return true;
    }

    /** Fails with a reason; the first one is kept. */
    final void fail(String why) {
        if (!isOver()) {
            giveUp(PingState.ERROR, why);
        }
    }

    /**
     * Fails.
     *
     * @param actual the state that ended the wait.
     * @param why    the reason, or empty.
     */
    final void giveUp(PingState actual, String why) {
        log.error(awaited().waitEndedBy(actual));
        failure = why;
        giveUp();
    }
}
