package io.rxe.net.drive;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WatchdogTest {
    private static final long SECONDS = 60;

    @Test
    @DisplayName("an interrupt of its thread, as of all threads of a group, ends with the next tick")
    void anInterrupt() throws Exception {
        CompletableFuture<Thread> watchdog = new CompletableFuture<>();
        SynchronousQueue<Boolean> ticks = new SynchronousQueue<>();
        Runnable tick = () -> {
            watchdog.complete(Thread.currentThread());
            ticks.offer(Thread.currentThread().isInterrupted());
        };
        Watchdog.watch(tick);
        try {
            watchdog.get(SECONDS, TimeUnit.SECONDS).interrupt();
            // One tick may be between the two already.
            ticks.poll(SECONDS, TimeUnit.SECONDS);
            ticks.poll(SECONDS, TimeUnit.SECONDS);
            assertFalse(ticks.poll(SECONDS, TimeUnit.SECONDS));
        } finally {
            Watchdog.forget(tick);
        }
    }
}
