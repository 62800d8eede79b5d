package io.rxe.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A warm-up")
class JitWarmUpTest {
    private static final long PLENTY_NS = TimeUnit.HOURS.toNanos(1);

    private long compiledMs;
    private int runs;

    @Test
    void repeatsUntilThreeQuietRunsInARow() {
        long[] compiled = {5000, 0, 0, 4000, 0, 0, 0, 9000};
        new JitWarmUp(PLENTY_NS, () -> compiledMs).repeat(() -> work(compiled[runs]));
        assertEquals(7, runs);
    }

    @Test
    void measuresAgainWhatTheCompilerDisturbed() {
        long[] compiled = {10_000, 500, 0};
        int last = new JitWarmUp(PLENTY_NS, () -> compiledMs).measure(() -> {
            work(compiled[runs]);
            return runs;
        });
        assertEquals(3, last);
    }

    private void work(long compilingMs) {
        compiledMs += compilingMs;
        runs++;
    }

    @Test
    void runsWorkOnceAfterItsTimeIsUsedUp() {
        JitWarmUp warmUp = new JitWarmUp(1, () -> compiledMs);
        warmUp.repeat(() -> work(500));
        assertEquals(1, runs);
        warmUp.repeat(() -> runs++);
        assertEquals(2, runs);
    }
}
