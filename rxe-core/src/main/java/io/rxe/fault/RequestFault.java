package io.rxe.fault;

import io.rxe.verbs.CompletionStatus;

/**
 * How a request that was posted is to fail.
 *
 * @param status of its completion; null where a send queue counts as full, and the request is not posted.
 * @param why    the sentence of the completion.
 */
public record RequestFault(CompletionStatus status, String why) {
}
