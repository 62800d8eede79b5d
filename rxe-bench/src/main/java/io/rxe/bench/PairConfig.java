package io.rxe.bench;

import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairConfig;

/**
 * Queue pairs that connect two devices.
 *
 * @param pathMtu    path MTU of every queue pair.
 * @param queuePairs queue pairs on each side, 1 to 16384.
 * @param depth      requests that each send queue and each receive queue holds.
 * @param seed       start PSNs follow from it.
 */
public record PairConfig(PathMtu pathMtu, int queuePairs, int depth, long seed) {
    /** Most queue pairs on each side. */
    public static final int MAX_QUEUE_PAIRS = 16384;

    /** @throws IllegalArgumentException for a value out of range. */
    public PairConfig {
        if (queuePairs < 1 || queuePairs > MAX_QUEUE_PAIRS) {
            throw new IllegalArgumentException("queue pairs " + queuePairs + " is not in 1.." + MAX_QUEUE_PAIRS);
        }
        if (depth < 1 || depth > QueuePairConfig.MAX_REQUESTS) {
            throw new IllegalArgumentException("depth " + depth + " is not in 1.." + QueuePairConfig.MAX_REQUESTS);
        }
    }
}
