package io.rxe.qp.requester;

import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.send.SendState;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.QueuePairState;

/**
 * Raises SQ_DRAINED once per drain, if it was requested, when the queue pair is in SQD and its last PSN is acknowledged (rule Q13).
 *
 * <p>Owned by the engine thread.
 */
final class DrainNotification {
    private final QueuePairContext context;
    private final SendState send;
    private boolean reported;

    DrainNotification(QueuePairContext context, SendState send) {
        this.context = context;
        this.send = send;
    }

    /** The queue pair goes to RTS or SQD. */
    void start() {
        reported = false;
    }

    /** The requester has nothing to send. */
    void check() {
        if (context.state() == QueuePairState.SQD && !reported && !send.isOutstanding() && !send.isMidMessage()) {
            reported = true;
            if (context.attributes().isDrainedNotification()) {
                context.raise(AsyncEvent.Type.SQ_DRAINED, "");
            }
        }
    }
}
