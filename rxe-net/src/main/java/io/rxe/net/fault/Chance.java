package io.rxe.net.fault;

import java.util.SplittableRandom;

/** Draws whether something of a given {@link Probability} happens this time. Belongs to one loop thread. */
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

    /** From 0 up to 1, resembling the last draw as much as the correlation says. */
    double draw() {
        double correlation = probability.correlation();
        last = random.nextDouble() * (1 - correlation) + last * correlation;
        return last;
    }
}
