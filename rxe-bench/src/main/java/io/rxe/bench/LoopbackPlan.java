package io.rxe.bench;

import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import java.util.List;

/**
 * The parameters of a loopback run.
 *
 * @param operations   operations to verify and measure.
 * @param verifySizes  message sizes of the verify pass.
 * @param measureSizes message sizes to measure.
 * @param pathMtu      path MTU of every queue pair.
 * @param queuePairs   queue pairs that a bandwidth test uses at once.
 * @param depth        messages each of them keeps outstanding, 1 to 32768.
 * @param durationNs   time of each bandwidth test; latency tests take half of it.
 * @param verifyOnly   no measurements.
 * @param application  who runs the application of bandwidth tests.
 * @param tripsApplication who runs that of latency tests.
 * @param seed         data and start PSNs follow from it.
 */
public record LoopbackPlan(List<Operation> operations, List<Integer> verifySizes, List<Integer> measureSizes, PathMtu pathMtu,
                           int queuePairs, int depth, long durationNs, boolean verifyOnly, Application application,
                           Application tripsApplication, long seed) {
    /** Longest message of a loopback run. */
    public static final int MAX_SIZE_BYTES = 1 << 30;

    private static final int KIBIBYTE = 1024;

    /** @throws IllegalArgumentException for a value out of range. */
    public LoopbackPlan {
        operations = List.copyOf(operations);
        verifySizes = List.copyOf(verifySizes);
        measureSizes = List.copyOf(measureSizes);
        for (List<Integer> sizes : List.of(verifySizes, measureSizes)) {
            for (int size : sizes) {
                if (size < 0 || size > MAX_SIZE_BYTES) {
                    throw new IllegalArgumentException("message size " + size + " is not in 0.." + MAX_SIZE_BYTES);
                }
            }
        }
        if (operations.isEmpty()) {
            throw new IllegalArgumentException("no operation chosen: use " + OperationNames.CHOICES);
        }
        if (durationNs <= 0) {
            throw new IllegalArgumentException("duration " + durationNs + " ns is less than 1: give it some, such as 0.5s");
        }
        // Refuses what no pair can have.
        new PairConfig(pathMtu, queuePairs, depth, seed);
    }

    /** Sizes at the edges: 0 and 1 byte, one packet give or take a byte, and many packets. */
    public static List<Integer> defaultVerifySizes(PathMtu pathMtu) {
        int mtu = pathMtu.bytes();
        return List.of(0, 1, mtu - 1, mtu, mtu + 1, 64 * KIBIBYTE, KIBIBYTE * KIBIBYTE);
    }

    /** A small message, one packet, and two sizes that fill a link. */
    public static List<Integer> defaultMeasureSizes() {
        return List.of(64, 4 * KIBIBYTE, 64 * KIBIBYTE, KIBIBYTE * KIBIBYTE);
    }
}
