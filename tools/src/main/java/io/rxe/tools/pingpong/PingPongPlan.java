package io.rxe.tools.pingpong;

import io.rxe.verbs.PathMtu;

/**
 * All parameters of a pingpong.
 *
 * @param kind         which program.
 * @param sizeBytes    size of a message.
 * @param iterations   messages each way.
 * @param receiveDepth receives to keep posted.
 * @param queuePairs   queue pairs on each side; 1 unless they share a receive queue.
 * @param pathMtu      path MTU of both ends.
 * @param peerUdpPort  UDP port of the peer's NIC.
 * @param stallNs      longest time without any completion, in nanoseconds.
 */
record PingPongPlan(PingPongKind kind, int sizeBytes, int iterations, int receiveDepth, int queuePairs, PathMtu pathMtu, int peerUdpPort,
                    long stallNs) {
    private static final double NS_PER_SECOND = 1e9;
    private static final double NS_PER_US = 1e3;

    /** The two final lines of a run of {@code elapsedNs}. They count the bytes of both directions. */
    String result(long elapsedNs) {
        long bytes = 2L * sizeBytes * iterations;
        double microseconds = elapsedNs / NS_PER_US;
        return String.format("%d bytes in %.2f seconds = %.2f Mbit/sec\n%d iters in %.2f seconds = %.2f usec/iter\n",
            bytes, elapsedNs / NS_PER_SECOND, bytes * 8 / microseconds, iterations, elapsedNs / NS_PER_SECOND,
            microseconds / iterations);
    }
}
