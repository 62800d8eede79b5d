package io.rxe.tools.perftest.plan;

import io.rxe.verbs.QueuePairConfig;

/**
 * Queue pairs of a test, and the depths of their queues.
 *
 * @param queuePairs       queue pairs on each side, 1 to {@link #MAX_QUEUE_PAIRS}.
 * @param sendDepth        requests a queue pair keeps outstanding.
 * @param receiveDepth     receives a queue pair keeps posted (SEND only).
 * @param completionEvery  requests for one completion.
 * @param postList         requests posted with one doorbell.
 * @param inlineBytes      messages up to this size are posted inline.
 * @param sharedReceives   whether all queue pairs share one receive queue.
 */
public record PerftestQueues(int queuePairs, int sendDepth, int receiveDepth, int completionEvery, int postList, int inlineBytes,
                         boolean sharedReceives) {
    /** Most queue pairs on each side. */
    public static final int MAX_QUEUE_PAIRS = 4096;

    /** @throws IllegalArgumentException for a value out of range. */
    public PerftestQueues {
        check("queue pairs (-q)", queuePairs, MAX_QUEUE_PAIRS);
        check("tx-depth (-t)", sendDepth, QueuePairConfig.MAX_REQUESTS);
        check("rx-depth (-r)", receiveDepth, QueuePairConfig.MAX_REQUESTS);
        check("cq-mod (-Q)", completionEvery, QueuePairConfig.MAX_REQUESTS);
        check("post_list (-l)", postList, QueuePairConfig.MAX_REQUESTS);
        if (inlineBytes < 0 || inlineBytes > QueuePairConfig.MAX_INLINE_BYTES) {
            throw new IllegalArgumentException("inline size (-I) " + inlineBytes + " is not in 0.." + QueuePairConfig.MAX_INLINE_BYTES);
        }
        if (postList > sendDepth) {
            throw new IllegalArgumentException("post_list (-l) " + postList + " > tx-depth (-t) " + sendDepth
                + ": raise -t or lower -l");
        }
    }

    private static void check(String name, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(name + " " + value + " is not in 1.." + most);
        }
    }
}
