package io.rxe.tools.rdmacm;

import io.rxe.cm.CmEvent;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.WorkCompletion;

/**
 * What both sides of an rping connection have in common: how trouble is noticed, and told in rping's words on standard error and in ours
 * as the {@link #failure}.
 */
abstract class PingSide implements Activity {
    final PingEndpoint endpoint;
    final PingLog log;
    final String peer;
    private String failure = "";

    /** @param peer for messages. */
    PingSide(PingEndpoint endpoint, PingLog log, String peer) {
        this.endpoint = endpoint;
        this.log = log;
        this.peer = peer;
    }

    /** What is awaited, in rping's word. */
    abstract PingState awaited();

    /** What is being done, for messages. */
    abstract String attempt();

    /** Whether nothing is awaited any more that could fail. */
    abstract boolean isOver();

    /** There was trouble: waits for nothing from now on. */
    abstract void giveUp();

    /** A work request succeeded. */
    abstract void onSuccess(WorkCompletion completion);

    /** What went wrong, or empty. */
    final String failure() {
        return failure;
    }

    @Override
    public final void onCompletion(WorkCompletion completion) {
        if (completion.isSuccess()) {
            onSuccess(completion);
        } else if (completion.status() != CompletionStatus.WR_FLUSH_ERR) {
            // After a disconnect everything is flushed, which is no trouble; what is flushed after trouble was told of already.
            log.error("cq completion failed status " + completion.status().code());
            fail(Wordings.failure(completion, attempt(), peer));
        }
    }

    /** The connection did not come about, or broke. */
    final void onBroken(CmEvent event) {
        log.error(Wordings.eventLine(event));
        fail(event.explanation());
    }

    /** Whether a message cannot be one of rping's, which is trouble. */
    final boolean isBogus(WorkCompletion received) {
        if (received.byteLength() == BufferAdvert.LENGTH) {
            return false;
        }
        log.error("Received bogus data, size " + received.byteLength());
        fail(peer + " sent a message of " + received.byteLength() + " bytes, rping's have " + BufferAdvert.LENGTH
            + ": is that another program?");
        return true;
    }

    /** Gives up for a reason; the first one counts. */
    final void fail(String why) {
        if (!isOver()) {
            giveUp(PingState.ERROR, why);
        }
    }

    /**
     * Gives up.
     *
     * @param actual what came instead of what was awaited.
     * @param why    what went wrong, or empty.
     */
    final void giveUp(PingState actual, String why) {
        log.error(awaited().waitEndedBy(actual));
        failure = why;
        giveUp();
    }
}
