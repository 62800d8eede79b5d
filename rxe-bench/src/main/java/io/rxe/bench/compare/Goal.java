package io.rxe.bench.compare;

import java.util.List;

/**
 * A ratio that was promised, or that is just of interest.
 *
 * @param work    what is done.
 * @param unit    of the figures.
 * @param ours    name of our figure.
 * @param against whose figure it is compared with.
 * @param theirs  names of that figure; the best counts. Empty for a goal in absolute terms.
 * @param bound   the ratio, or the figure when absolute; NaN when nothing was promised.
 * @param atMost  whether the ratio shall be at most the bound, as with times; otherwise at least.
 */
public record Goal(String work, String unit, String ours, String against, List<String> theirs, double bound, boolean atMost) {
    /** Copies the list. */
    public Goal {
        theirs = List.copyOf(theirs);
    }

    /** Ours divided by theirs; our figure itself when absolute; NaN when one of them is missing. */
    public double ratio(Figures figures) {
        return theirs.isEmpty() ? figures.median(ours) : figures.median(ours) / figures.best(theirs);
    }

    /** Whether the promise is kept; null when nothing was promised or a figure is missing. */
    public Boolean isMet(Figures figures) {
        double ratio = ratio(figures);
        if (Double.isNaN(bound) || Double.isNaN(ratio)) {
            return null;
        }
        return atMost ? ratio <= bound : ratio >= bound;
    }
}
