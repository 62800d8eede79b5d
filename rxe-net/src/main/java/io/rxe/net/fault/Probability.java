package io.rxe.net.fault;

/**
 * How often a fault happens.
 *
 * @param share       0 never, 1 always.
 * @param correlation correlation of each draw with the one before, 0 to 1. As with netem it also makes extreme draws rarer, so a small
 *                    share with a high correlation happens less often than the share.
 */
public record Probability(double share, double correlation) {
    /** Never. */
    public static final Probability NEVER = new Probability(0, 0);

    /** @throws IllegalArgumentException for a value that is not in 0..1. */
    public Probability {
        if (!(share >= 0 && share <= 1 && correlation >= 0 && correlation <= 1)) {
            throw new IllegalArgumentException("probability " + share + " with correlation " + correlation
                + ": both must be in 0..1");
        }
    }

    boolean isNever() {
        return share == 0;
    }
}
