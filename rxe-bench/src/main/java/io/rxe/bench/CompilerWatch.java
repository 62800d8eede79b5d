package io.rxe.bench;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;

/**
 * Sees when the JIT compiler has come to rest. While it works it takes a processor from the engines: with two processors both engines
 * then share one, and a round trip takes several times as long.
 */
final class CompilerWatch {
    private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();
    private static final boolean KNOWN = COMPILER != null && COMPILER.isCompilationTimeMonitoringSupported();

    private static final long TRIFLE_MS = 2;

    private long seenMs = compiledMs();

    private static long compiledMs() {
        return KNOWN ? COMPILER.getTotalCompilationTime() : 0;
    }

    /** Whether no more than a trifle was compiled since the last call, or nobody knows. */
    boolean isAtRest() {
        final long nowMs = compiledMs();
        final boolean rests = nowMs - seenMs <= TRIFLE_MS;
        seenMs = nowMs;
        return rests;
    }
}
