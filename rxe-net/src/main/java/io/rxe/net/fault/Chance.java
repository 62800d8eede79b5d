package io.rxe.net.fault;

import java.util.SplittableRandom;

/** Draws events of a given {@link Probability}. Belongs to the owner of one engine. */
final class Chance {
    private final Probability probability;
    private final SplittableRandom random;
    private double last;

    Chance(Probability probability, SplittableRandom random) {
        this.probability = probability;
        this.random = random;
    }

    boolean happens() {
        return !probability.isNever() && draw() < probability.share();
    }

    /** From 0 up to 1, correlated with the last draw. */
    double draw() {
        double correlation = probability.correlation();
        last = random.nextDouble() * (1 - correlation) + last * correlation;
        return last;
    }
}
