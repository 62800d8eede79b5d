package io.rxe.verbs;

import java.util.Objects;

/**
 * Completion queues and queue sizes of a new queue pair; {@code ibv_qp_init_attr}. Start from {@link #of}.
 *
 * @param type                   transport service. Of an XRC_SEND queue pair nothing about receives counts.
 * @param sendCompletionQueue    receives the completions of the send queue.
 * @param receiveCompletionQueue receives the completions of the receive queue; may be the same.
 * @param maxSendRequests        requests the send queue holds, 1 to 32768; rounded up to a power of two.
 * @param maxReceiveRequests     requests the receive queue holds, 1 to 32768; rounded up to a power of two.
 * @param maxSendElements        most scatter/gather elements of a send request, 1 to 32.
 * @param maxReceiveElements     most scatter/gather elements of a receive request, 1 to 32.
 * @param maxInlineBytes         longest inline message in bytes, 0 to 4096.
 * @param signalAll              whether every send request completes as if it were signaled.
 * @param sharedReceiveQueue     used instead of a receive queue of its own; null for none.
 * @param attachment             any object of the application, to be found from completions and events; {@code qp_context}; or null.
 * @param acknowledgeFirst       whether acknowledgements leave before requests (RC), so that the peer's request completes before the answer
 *                               to it arrives, as from most adapters. Requests then wait for responses that may leave, also for those
 *                               to READs, up to some thousand packets. Not where the acknowledgement is lost, or waits for a gap in the
 *                               peer's requests to close. Off, an acknowledgement ends a batch of requests, which costs less.
 * @param congestion             its congestion controller; null for that of the NIC. Those with another one to a peer share no window.
 */
public record QueuePairConfig(QueuePairType type, CompletionQueue sendCompletionQueue, CompletionQueue receiveCompletionQueue,
                              int maxSendRequests, int maxReceiveRequests, int maxSendElements, int maxReceiveElements,
                              int maxInlineBytes, boolean signalAll, SharedReceiveQueue sharedReceiveQueue, Object attachment,
                              boolean acknowledgeFirst, CongestionOptions congestion) {
    /** Most requests in a send or receive queue. */
    public static final int MAX_REQUESTS = 32768;
    /** Longest inline message, in bytes. */
    public static final int MAX_INLINE_BYTES = 4096;

    /** @throws IllegalArgumentException for a value out of range, and for XRC_SEND with a shared receive queue. */
    public QueuePairConfig {
        Objects.requireNonNull(type, "the type is null: use RC, UC, UD or XRC_SEND");
        Objects.requireNonNull(sendCompletionQueue, "the sendCompletionQueue is null: create one with the device");
        Objects.requireNonNull(receiveCompletionQueue, "the receiveCompletionQueue is null: create one with the device");
        check("maxSendRequests", maxSendRequests, 1, MAX_REQUESTS);
        check("maxReceiveRequests", maxReceiveRequests, 1, MAX_REQUESTS);
        check("maxSendElements", maxSendElements, 1, 32);
        check("maxReceiveElements", maxReceiveElements, 1, 32);
        check("maxInlineBytes", maxInlineBytes, 0, MAX_INLINE_BYTES);
        if (type == QueuePairType.XRC_SEND && sharedReceiveQueue != null) {
            throw new IllegalArgumentException("an XRC_SEND queue pair receives nothing and cannot use a shared receive queue:"
                + " leave it out");
        }
    }

    /** Returns a configuration with 128 requests a queue, 4 elements a request, no inline data, no shared receive queue, signalAll off. */
    public static QueuePairConfig of(QueuePairType type, CompletionQueue sendCompletionQueue, CompletionQueue receiveCompletionQueue) {
        return new QueuePairConfig(type, sendCompletionQueue, receiveCompletionQueue, 128, 128, 4, 4, 0, false, null, null, false,
            null);
    }

    /** Returns a copy with other queue sizes, 1 to 32768 requests. */
    public QueuePairConfig withRequests(int send, int receive) {
        return new QueuePairConfig(type, sendCompletionQueue, receiveCompletionQueue, send, receive, maxSendElements, maxReceiveElements,
            maxInlineBytes, signalAll, sharedReceiveQueue, attachment, acknowledgeFirst, congestion);
    }

    /** Returns a copy with other scatter/gather limits, 1 to 32 elements a request. */
    public QueuePairConfig withElements(int send, int receive) {
        return new QueuePairConfig(type, sendCompletionQueue, receiveCompletionQueue, maxSendRequests, maxReceiveRequests, send, receive,
            maxInlineBytes, signalAll, sharedReceiveQueue, attachment, acknowledgeFirst, congestion);
    }

    /** Returns a copy with room for inline messages of 0 to 4096 bytes. */
    public QueuePairConfig withInline(int bytes) {
        return new QueuePairConfig(type, sendCompletionQueue, receiveCompletionQueue, maxSendRequests, maxReceiveRequests, maxSendElements,
            maxReceiveElements, bytes, signalAll, sharedReceiveQueue, attachment, acknowledgeFirst, congestion);
    }

    /** Returns a copy with signalAll on or off. */
    public QueuePairConfig withSignalAll(boolean all) {
        return new QueuePairConfig(type, sendCompletionQueue, receiveCompletionQueue, maxSendRequests, maxReceiveRequests, maxSendElements,
            maxReceiveElements, maxInlineBytes, all, sharedReceiveQueue, attachment, acknowledgeFirst, congestion);
    }

    /** Returns a copy with a shared receive queue; null for none. */
    public QueuePairConfig withSharedReceiveQueue(SharedReceiveQueue queue) {
        return new QueuePairConfig(type, sendCompletionQueue, receiveCompletionQueue, maxSendRequests, maxReceiveRequests, maxSendElements,
            maxReceiveElements, maxInlineBytes, signalAll, queue, attachment, acknowledgeFirst, congestion);
    }

    /** Returns a copy with an object of the application, which {@link QueuePair#attachment} returns; null for none. */
    public QueuePairConfig withAttachment(Object object) {
        return new QueuePairConfig(type, sendCompletionQueue, receiveCompletionQueue, maxSendRequests, maxReceiveRequests, maxSendElements,
            maxReceiveElements, maxInlineBytes, signalAll, sharedReceiveQueue, object, acknowledgeFirst, congestion);
    }

    /** Returns a copy whose acknowledgements leave before or behind its requests. */
    public QueuePairConfig withAcknowledgeFirst(boolean first) {
        return new QueuePairConfig(type, sendCompletionQueue, receiveCompletionQueue, maxSendRequests, maxReceiveRequests, maxSendElements,
            maxReceiveElements, maxInlineBytes, signalAll, sharedReceiveQueue, attachment, first, congestion);
    }

    /** Returns a copy with a congestion controller of its own; null for that of the NIC. */
    public QueuePairConfig withCongestion(CongestionOptions options) {
        return new QueuePairConfig(type, sendCompletionQueue, receiveCompletionQueue, maxSendRequests, maxReceiveRequests, maxSendElements,
            maxReceiveElements, maxInlineBytes, signalAll, sharedReceiveQueue, attachment, acknowledgeFirst, options);
    }

    private static void check(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " " + value + " is not in " + min + ".." + max);
        }
    }
}
