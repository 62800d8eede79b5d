package io.rxe.qp.context;

/**
 * An XRC shared receive queue as the XRC_RECV queue pairs of its XRC domain use it. All of them belong to one engine.
 *
 * @param number      its number in the XRCETH, 1 to 0xFFFFFF.
 * @param queue       posted receives.
 * @param completions the engine's ring of the completion queue for its receives.
 * @param domain      number of the protection domain of its memory, and of the memory that requests for it may use.
 */
public record XrcReceiveQueue(int number, ReceiveQueue queue, CompletionRing completions, int domain) {
}
