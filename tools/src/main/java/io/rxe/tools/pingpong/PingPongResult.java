package io.rxe.tools.pingpong;

import java.util.Locale;

/**
 * Result of a pingpong.
 *
 * @param sizeBytes  size of a message.
 * @param iterations messages each way.
 * @param elapsedNs  from the first post to the last completion.
 */
record PingPongResult(int sizeBytes, int iterations, long elapsedNs) {
    private static final double NS_PER_SECOND = 1e9;
    private static final double NS_PER_US = 1e3;

    /** The two final lines. Counts the bytes of both directions. */
    String toText() {
        long bytes = 2L * sizeBytes * iterations;
        double microseconds = elapsedNs / NS_PER_US;
        return String.format(Locale.ROOT, "%d bytes in %.2f seconds = %.2f Mbit/sec\n%d iters in %.2f seconds = %.2f usec/iter\n",
            bytes, elapsedNs / NS_PER_SECOND, bytes * 8 / microseconds, iterations, elapsedNs / NS_PER_SECOND,
            microseconds / iterations);
    }
}
