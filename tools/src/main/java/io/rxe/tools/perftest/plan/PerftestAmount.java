package io.rxe.tools.perftest.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * Number and size of the messages of a test.
 *
 * @param iterations      messages of each queue pair, at least {@link #LEAST_ITERATIONS}; ignored with a duration.
 * @param durationSeconds time to run instead of a number of messages, or 0.
 * @param sizeBytes       size of a message; with {@code allSizes} the largest.
 * @param allSizes        runs every power of two from 2 bytes to {@code sizeBytes}, one after the other.
 */
public record PerftestAmount(int iterations, int durationSeconds, int sizeBytes, boolean allSizes) {
    /** Fewest messages, as in the original. */
    public static final int LEAST_ITERATIONS = 5;
    /** Largest message of a run over all sizes: 8 MiB. */
    public static final int LARGEST_OF_ALL_BYTES = 1 << 23;
    /** Longest message. */
    public static final int MAX_SIZE_BYTES = 1 << 30;

    /** @throws IllegalArgumentException for a value out of range. */
    public PerftestAmount {
        check("iterations", iterations, LEAST_ITERATIONS, 100_000_000);
        check("duration in seconds", durationSeconds, 0, 86_400);
        check("message size", sizeBytes, 1, MAX_SIZE_BYTES);
    }

    private static void check(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " " + value + " is not in " + least + ".." + most);
        }
    }

    public boolean isTimed() {
        return durationSeconds > 0;
    }

    /** The sizes to run, ascending. */
    public List<Integer> sizes() {
        if (!allSizes) {
            return List.of(sizeBytes);
        }
        List<Integer> sizes = new ArrayList<>();
        for (int size = 2; size <= sizeBytes; size *= 2) {
            sizes.add(size);
        }
        return sizes;
    }

    public PerftestAmount withSize(int bytes) {
        return new PerftestAmount(iterations, durationSeconds, bytes, allSizes);
    }
}
