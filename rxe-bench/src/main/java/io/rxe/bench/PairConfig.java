package io.rxe.bench;

import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairConfig;

/**
 * Queue pairs that connect two devices.
 *
 * @param pathMtu         path MTU of every queue pair.
 * @param queuePairs      queue pairs on each side, 1 to 16384.
 * @param sendRequests    requests a send queue holds.
 * @param receiveRequests requests a receive queue holds.
 * @param seed            start PSNs follow from it.
 */
public record PairConfig(PathMtu pathMtu, int queuePairs, int sendRequests, int receiveRequests, long seed) {
    /** Most queue pairs on each side. */
    public static final int MAX_QUEUE_PAIRS = 16384;

    /** @throws IllegalArgumentException for a value out of range. */
    public PairConfig {
        if (queuePairs < 1 || queuePairs > MAX_QUEUE_PAIRS) {
            throw new IllegalArgumentException("queue pairs " + queuePairs + " is not in 1.." + MAX_QUEUE_PAIRS);
        }
        if (sendRequests < 1 || sendRequests > QueuePairConfig.MAX_REQUESTS) {
            throw new IllegalArgumentException("send depth " + sendRequests + " is not in 1.." + QueuePairConfig.MAX_REQUESTS);
        }
        if (receiveRequests < 1 || receiveRequests > QueuePairConfig.MAX_REQUESTS) {
            throw new IllegalArgumentException("receive depth " + receiveRequests + " is not in 1.."
                + QueuePairConfig.MAX_REQUESTS);
        }
    }
}
