package io.rxe.sim;

import java.util.SplittableRandom;

/** Source of all randomness of a simulation: a stream of numbers that depends on the seed alone. */
final class SeededRandom {
    private final SplittableRandom random;

    SeededRandom(long seed) {
        random = new SplittableRandom(seed);
    }

    /** Returns an independent stream, so that draws from one do not shift the other. */
    SeededRandom fork() {
        return new SeededRandom(random.nextLong());
    }

    boolean chance(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    /** Draws from 0 (inclusive) to 1 (exclusive). */
    double unit() {
        return random.nextDouble();
    }

    /** Both bounds are inclusive. */
    int between(int low, int high) {
        return low + random.nextInt(high - low + 1);
    }

    /** Both bounds are inclusive. */
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
