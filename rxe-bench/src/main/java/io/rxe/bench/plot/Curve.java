package io.rxe.bench.plot;

/**
 * A named curve.
 *
 * @param name what the legend calls it.
 * @param x    ascending.
 * @param y    one for each x.
 */
public record Curve(String name, double[] x, double[] y) {
    /** @throws IllegalArgumentException when the two differ in length. */
    public Curve {
        if (x.length != y.length) {
            throw new IllegalArgumentException("curve " + name + " has " + x.length + " places and " + y.length + " values");
        }
    }
}
