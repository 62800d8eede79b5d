package io.rxe.net;

import io.rxe.cm.CmEvent;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionQueue;

/**
 * What {@link NicEvents#await} returns: exactly one of the three is not null.
 *
 * @param completionQueue an armed completion queue that received a completion; it is no longer armed. Arm it again, then poll it empty.
 * @param connection      an event of a listener or connection.
 * @param async           an event of a resource that no completion reports.
 */
public record NicEvent(CompletionQueue completionQueue, CmEvent connection, AsyncEvent async) {
}
