package io.rxe.verbs;

/**
 * What a shared receive queue was granted, and its limit; {@code ibv_srq_attr}.
 *
 * @param maxRequests requests it holds: a power of two.
 * @param maxElements most scatter/gather elements of a request.
 * @param limit       the armed limit; 0 = none.
 */
public record SharedReceiveQueueAttributes(int maxRequests, int maxElements, int limit) {
}
