package io.rxe.bench;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Repeats a measurement until the JIT compiler is idle. While it compiles, the code is slow, and the compiler takes a CPU from the
 * engines: with two CPUs both engines then share one, and a round trip takes several times as long.
 */
final class JitWarmUp {
    /** A run is quiet while it compiles for no more than such a part of the time. */
    private static final int NEGLIGIBLE_PART = 16;
    /** Compilation time is counted when a method is finished, so one quiet run alone proves little. */
    private static final int QUIET_RUNS = 3;
    /** A measurement during which it compiled for more than such a part of the time shows the compiler. */
    private static final int NOTICEABLE_PART = 50;

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
            long before = compiledNs();
            long startNs = System.nanoTime();
            work.run();
            long tookNs = System.nanoTime() - startNs;
            leftNs -= tookNs;
            quietRuns = compiledNs() - before <= tookNs / NEGLIGIBLE_PART ? quietRuns + 1 : 0;
        } while (leftNs > 0 && quietRuns < QUIET_RUNS);
    }

    /**
     * Measures once more while the compiler disturbs it: a packet that takes a rare path late has much of the code compiled again.
     *
     * @return the result of the last time.
     */
    <T> T measure(Supplier<T> measurement) {
        while (true) {
            long before = compiledNs();
            long startNs = System.nanoTime();
            T result = measurement.get();
            long tookNs = System.nanoTime() - startNs;
            if (compiledNs() - before <= tookNs / NOTICEABLE_PART || leftNs <= tookNs) {
                return result;
            }
            leftNs -= tookNs;
        }
    }

    private long compiledNs() {
        return TimeUnit.MILLISECONDS.toNanos(compiledMs.getAsLong());
    }
}
