package io.rxe.bench;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/**
 * Repeats what is to be measured until the JIT compiler has come to rest. While it works the code is slow, and it takes a processor from
 * the engines: with two processors both engines then share one, and a round trip takes several times as long.
 */
final class WarmUp {
    private static final long TRIFLE_MS = 2;
    /** A method that takes long to compile is counted when it is done, so one rest alone says little. */
    private static final int RESTS = 3;

    private final LongSupplier compiledMs;
    private long leftNs;

    /**
     * @param leftNs     nanoseconds that all repetitions together may take; what comes when they are used up runs once.
     * @param compiledMs milliseconds that the compiler has worked so far.
     */
    WarmUp(long leftNs, LongSupplier compiledMs) {
        this.leftNs = leftNs;
        this.compiledMs = compiledMs;
    }

    /** One that asks the compiler of this process; where nobody knows what it does it counts as resting. */
    static WarmUp ofProcess(long leftNs) {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        boolean known = compiler != null && compiler.isCompilationTimeMonitoringSupported();
        return new WarmUp(leftNs, known ? compiler::getTotalCompilationTime : () -> 0);
    }

    /** Runs a piece of work at least once. */
    void repeat(Runnable work) {
        int rests = 0;
        do {
            long beforeMs = compiledMs.getAsLong();
            long beganNs = System.nanoTime();
            work.run();
            leftNs -= System.nanoTime() - beganNs;
            rests = compiledMs.getAsLong() - beforeMs <= TRIFLE_MS ? rests + 1 : 0;
        } while (leftNs > 0 && rests < RESTS);
    }
}
