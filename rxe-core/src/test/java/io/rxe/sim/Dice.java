package io.rxe.sim;

import java.util.SplittableRandom;

/** All chance of a simulation: a stream of numbers that a seed decides, with the draws the simulator needs. */
final class Dice {
    private final SplittableRandom random;

    Dice(long seed) {
        random = new SplittableRandom(seed);
    }

    /** Another stream, so that draws made here do not shift those made there. */
    Dice fork() {
        return new Dice(random.nextLong());
    }

    boolean chance(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    /** From 0 to just below 1. */
    double unit() {
        return random.nextDouble();
    }

    /** Both ends included. */
    int between(int low, int high) {
        return low + random.nextInt(high - low + 1);
    }

    /** Both ends included. */
    long between(long low, long high) {
        return low + random.nextLong(high - low + 1);
    }

    int bits() {
        return random.nextInt();
    }

    long longBits() {
        return random.nextLong();
    }

    int oneOf(int... values) {
        return values[random.nextInt(values.length)];
    }

    <T> T oneOf(T[] values) {
        return values[random.nextInt(values.length)];
    }
}
