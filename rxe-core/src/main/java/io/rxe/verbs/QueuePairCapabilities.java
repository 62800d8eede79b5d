package io.rxe.verbs;

/**
 * What a queue pair was granted when it was created; {@code ibv_qp_init_attr} as {@code ibv_query_qp} fills it in. Each is enforced.
 *
 * @param maxSendRequests    requests the send queue holds: what was asked for, rounded up to a power of two; 0 of XRC_RECV.
 * @param maxReceiveRequests requests its own receive queue holds, rounded up in the same way; 0 with a shared receive queue and of XRC.
 * @param maxSendElements    most scatter/gather elements of a send request; 0 of XRC_RECV.
 * @param maxReceiveElements most scatter/gather elements of a receive request; 0 where maxReceiveRequests is.
 * @param maxInlineBytes     longest inline message, in bytes.
 * @param signalAll          whether every send request completes as if it were signaled.
 * @param endToEndCredits    whether its responder gives end-to-end credits (rule R19): RC with a receive queue of its own.
 */
public record QueuePairCapabilities(int maxSendRequests, int maxReceiveRequests, int maxSendElements, int maxReceiveElements,
                                    int maxInlineBytes, boolean signalAll, boolean endToEndCredits) {
}
