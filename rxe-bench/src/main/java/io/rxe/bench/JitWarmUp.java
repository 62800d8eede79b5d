package io.rxe.bench;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/**
 * Repeats a measurement until the JIT compiler is idle. While it compiles, the code is slow, and the compiler takes a CPU from the
 * engines: with two CPUs both engines then share one, and a round trip takes several times as long.
 */
final class JitWarmUp {
    private static final long NEGLIGIBLE_MS = 2;
    /** Compilation time is counted when a method is finished, so one quiet run alone proves little. */
    private static final int QUIET_RUNS = 3;

    private final LongSupplier compiledMs;
    private long leftNs;

    /**
     * @param leftNs     limit of all repetitions together, in nanoseconds; work after that runs once.
     * @param compiledMs compilation time so far, in milliseconds.
     */
    JitWarmUp(long leftNs, LongSupplier compiledMs) {
        this.leftNs = leftNs;
        this.compiledMs = compiledMs;
    }

    /** For the compiler of this process; a JVM that does not report compilation time counts as idle. */
    static JitWarmUp ofProcess(long leftNs) {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        boolean known = compiler != null && compiler.isCompilationTimeMonitoringSupported();
        return new JitWarmUp(leftNs, known ? compiler::getTotalCompilationTime : () -> 0);
    }

    /** Runs the work at least once. */
    void repeat(Runnable work) {
        int quietRuns = 0;
        do {
            long beforeMs = compiledMs.getAsLong();
            long startNs = System.nanoTime();
            work.run();
            leftNs -= System.nanoTime() - startNs;
            quietRuns = compiledMs.getAsLong() - beforeMs <= NEGLIGIBLE_MS ? quietRuns + 1 : 0;
        } while (leftNs > 0 && quietRuns < QUIET_RUNS);
    }
}
