package io.rxe.tools.endurance;

import java.util.Arrays;

/**
 * Whether a resource grows. Compares the median of the last third of the samples with that of the first third, so that single peaks
 * decide nothing, and a leak that goes on all the time shows in full.
 *
 * @param resource what was measured.
 * @param before   median of the first third.
 * @param after    median of the last third.
 * @param allowed  growth that is no leak.
 */
record Trend(Resource resource, double before, double after, double allowed) {
    /** Fewer samples say nothing. */
    static final int LEAST_SAMPLES = 12;

    private static final int PARTS = 3;

    /**
     * @param values samples at equal distances, without those of the warm-up.
     * @throws IllegalArgumentException for fewer than {@link #LEAST_SAMPLES}.
     */
    static Trend of(Resource resource, double[] values) {
        if (values.length < LEAST_SAMPLES) {
            throw new IllegalArgumentException(values.length + " samples < " + LEAST_SAMPLES + ": they show no trend, run for longer");
        }
        int part = values.length / PARTS;
        double before = median(Arrays.copyOf(values, part));
        return new Trend(resource, before, median(Arrays.copyOfRange(values, values.length - part, values.length)),
            resource.allowed(before));
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        int middle = values.length / 2;
        return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    }

    double growth() {
        return after - before;
    }

    boolean isFlat() {
        return growth() <= allowed;
    }
}
