package io.rxe.bench.compare;

/**
 * A ratio to be reached.
 *
 * @param against whose figure ours is divided by: a name in {@link Work#others}, or {@link Works#ABSOLUTE}.
 * @param bound   the ratio, or the figure when absolute; at most that for times, at least for all else.
 */
public record Goal(String against, double bound) {
}
