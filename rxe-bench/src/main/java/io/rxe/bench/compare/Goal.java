package io.rxe.bench.compare;

import java.util.List;

/**
 * A ratio to be reached, or one that is only reported.
 *
 * @param work    what is done.
 * @param unit    of the figures.
 * @param ours    name of our figure.
 * @param against whose figure it is compared with.
 * @param theirs  names of that figure; the best counts. Empty for a goal in absolute terms.
 * @param bound   the ratio, or the figure when absolute; NaN for a ratio that is only reported.
 * @param atMost  whether the ratio shall be at most the bound, as with times; otherwise at least.
 */
public record Goal(String work, String unit, String ours, String against, List<String> theirs, double bound, boolean atMost) {
    /** Copies the list. */
    public Goal {
        theirs = List.copyOf(theirs);
    }
}
