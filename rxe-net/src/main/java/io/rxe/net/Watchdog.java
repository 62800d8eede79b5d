package io.rxe.net;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** One thread for all NICs of the process, which checks their loops from outside. It ends when there is no NIC. */
final class Watchdog {
    /** Between two ticks. */
    static final long PERIOD_MS = 500;
    private static final long IDLE_MS = 10 * PERIOD_MS;

    private static final ScheduledThreadPoolExecutor TIMER = timer();

    private Watchdog() {
    }

    private static ScheduledThreadPoolExecutor timer() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "rxe-watchdog");
            thread.setDaemon(true);
            return thread;
        });
        timer.setKeepAliveTime(IDLE_MS, TimeUnit.MILLISECONDS);
        timer.allowCoreThreadTimeOut(true);
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    /** Runs a task at every tick until it is cancelled, whatever it throws. */
    static ScheduledFuture<?> every(Runnable tick) {
        return TIMER.scheduleWithFixedDelay(() -> {
            try {
                tick.run();
            } catch (Throwable e) {
                // Most likely out of heap: a task that throws would never run again, so the next tick tries.
                return;
            }
        }, PERIOD_MS, PERIOD_MS, TimeUnit.MILLISECONDS);
    }
}
