package io.rxe.verbs;

import java.util.Objects;

/**
 * What a queue pair is made of and how large its queues are. Build one with {@link #of}.
 *
 * @param type             transport service.
 * @param sendQueue        where sends complete.
 * @param receiveQueue     where receives complete; may be the same.
 * @param maxSendRequests  requests the send queue holds, 1 to 32768; rounded up to a power of two.
 * @param maxReceiveRequests requests the receive queue holds, 1 to 32768; rounded up to a power of two.
 * @param maxSendElements  longest scatter/gather list of a send, 1 to 32.
 * @param maxReceiveElements longest scatter/gather list of a receive, 1 to 32.
 * @param maxInlineBytes   longest inline message, 0 to 4096.
 * @param signalAll        every send makes a completion, signaled or not.
 * @param sharedReceiveQueue where receives are taken from instead of a queue of its own, or null.
 */
public record QueuePairConfig(QueuePairType type, CompletionQueue sendQueue, CompletionQueue receiveQueue,
                              int maxSendRequests, int maxReceiveRequests, int maxSendElements, int maxReceiveElements,
                              int maxInlineBytes, boolean signalAll, SharedReceiveQueue sharedReceiveQueue) {
    /** Most requests of a queue. */
    public static final int MAX_REQUESTS = 32768;
    /** Most inline bytes. */
    public static final int MAX_INLINE_BYTES = 4096;

    /** @throws IllegalArgumentException for a value beyond the device's limits. */
    public QueuePairConfig {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(sendQueue, "sendQueue");
        Objects.requireNonNull(receiveQueue, "receiveQueue");
        check("maxSendRequests", maxSendRequests, 1, MAX_REQUESTS);
        check("maxReceiveRequests", maxReceiveRequests, 1, MAX_REQUESTS);
        check("maxSendElements", maxSendElements, 1, 32);
        check("maxReceiveElements", maxReceiveElements, 1, 32);
        check("maxInlineBytes", maxInlineBytes, 0, MAX_INLINE_BYTES);
    }

    /** A queue pair with queues of 128, lists of 4, no inline data, signaling as each request says. */
    public static QueuePairConfig of(QueuePairType type, CompletionQueue sendQueue, CompletionQueue receiveQueue) {
        return new QueuePairConfig(type, sendQueue, receiveQueue, 128, 128, 4, 4, 0, false, null);
    }

    /** The same with other queue sizes. */
    public QueuePairConfig withRequests(int send, int receive) {
        return new QueuePairConfig(type, sendQueue, receiveQueue, send, receive, maxSendElements, maxReceiveElements, maxInlineBytes,
            signalAll, sharedReceiveQueue);
    }

    /** The same with other list lengths. */
    public QueuePairConfig withElements(int send, int receive) {
        return new QueuePairConfig(type, sendQueue, receiveQueue, maxSendRequests, maxReceiveRequests, send, receive, maxInlineBytes,
            signalAll, sharedReceiveQueue);
    }

    /** The same with room for inline data. */
    public QueuePairConfig withInline(int bytes) {
        return new QueuePairConfig(type, sendQueue, receiveQueue, maxSendRequests, maxReceiveRequests, maxSendElements,
            maxReceiveElements, bytes, signalAll, sharedReceiveQueue);
    }

    /** The same with every send signaled, or not. */
    public QueuePairConfig withSignalAll(boolean all) {
        return new QueuePairConfig(type, sendQueue, receiveQueue, maxSendRequests, maxReceiveRequests, maxSendElements,
            maxReceiveElements, maxInlineBytes, all, sharedReceiveQueue);
    }

    /** The same with receives taken from a shared queue. */
    public QueuePairConfig withSharedReceiveQueue(SharedReceiveQueue queue) {
        return new QueuePairConfig(type, sendQueue, receiveQueue, maxSendRequests, maxReceiveRequests, maxSendElements,
            maxReceiveElements, maxInlineBytes, signalAll, queue);
    }

    private static void check(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " " + value + " is not in " + min + ".." + max);
        }
    }
}
