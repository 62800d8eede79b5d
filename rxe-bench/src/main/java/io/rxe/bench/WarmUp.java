package io.rxe.bench;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;

/**
 * Repeats what is to be measured until the JIT compiler has come to rest. While it works the code is slow, and it takes a processor from
 * the engines: with two processors both engines then share one, and a round trip takes several times as long.
 */
final class WarmUp {
    private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();
    private static final boolean KNOWN = COMPILER != null && COMPILER.isCompilationTimeMonitoringSupported();

    private static final long TRIFLE_MS = 2;

    private long leftNs;

    /** @param leftNs nanoseconds that all repetitions together may take; what comes when they are used up runs once. */
    WarmUp(final long leftNs) {
        this.leftNs = leftNs;
    }

    /** Runs a piece of work at least once. */
    void repeat(final Runnable work) {
        long compiledMs;
        do {
            compiledMs = compiledMs();
            final long beganNs = System.nanoTime();
            work.run();
            leftNs -= System.nanoTime() - beganNs;
        } while (leftNs > 0 && compiledMs() - compiledMs > TRIFLE_MS);
    }

    private static long compiledMs() {
        return KNOWN ? COMPILER.getTotalCompilationTime() : 0;
    }
}
