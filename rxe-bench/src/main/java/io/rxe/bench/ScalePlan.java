package io.rxe.bench;

import io.rxe.verbs.PathMtu;
import java.util.List;

/**
 * The parameters of a scale test.
 *
 * @param queuePairs queue pairs on each side, one row for each figure.
 * @param largeBytes message size for the goodput.
 * @param smallBytes message size for the message rate.
 * @param pathMtu    path MTU of every queue pair.
 * @param depth      messages each queue pair may have outstanding, fewer if there are many.
 * @param durationNs time of each measurement.
 * @param seed       start PSNs follow from it.
 */
public record ScalePlan(List<Integer> queuePairs, int largeBytes, int smallBytes, PathMtu pathMtu, int depth, long durationNs,
                        long seed) {
    /** @throws IllegalArgumentException for a value out of range. */
    public ScalePlan {
        queuePairs = List.copyOf(queuePairs);
        for (int count : queuePairs) {
            if (count < 1 || count > PairConfig.MAX_QUEUE_PAIRS) {
                throw new IllegalArgumentException("queue pairs " + count + " is not in 1.." + PairConfig.MAX_QUEUE_PAIRS
                    + ": choose --scale in that range, for example 1,10,100");
            }
        }
        if (queuePairs.isEmpty() || durationNs <= 0 || depth < 1) {
            throw new IllegalArgumentException("numbers of queue pairs " + queuePairs + ", duration " + durationNs + " ns, depth "
                + depth + ": at least one of each is needed");
        }
    }
}
