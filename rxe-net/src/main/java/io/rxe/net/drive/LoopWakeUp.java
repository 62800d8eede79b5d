package io.rxe.net.drive;

import io.netty.channel.IoEventLoop;
import java.lang.invoke.VarHandle;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Wakes the event loop of an engine: queues the task that runs the engine, unless a run is queued or in progress.
 *
 * <p>No wake-up is lost. The loop {@linkplain #clear clears} the flag before its last poll for posts, and who posted reads the flag after
 * the post is visible; so the loop sees the post, or the flag is found clear. Any thread may call.
 */
final class LoopWakeUp {
    private final IoEventLoop loop;
    private final Runnable runTask;
    /** Whether a run is in progress, or queued, or the loop will begin one by itself. */
    private final AtomicBoolean set = new AtomicBoolean();
    /** Whether a wake-up was lost for want of memory; the watchdog repeats it. */
    private volatile boolean lost;

    LoopWakeUp(IoEventLoop loop, Runnable runTask) {
        this.loop = loop;
        this.runTask = runTask;
    }

    /** Makes a sleeping loop run. */
    void wake() {
        // What was posted must be visible before the flag is read.
        VarHandle.fullFence();
        if (!set.get() && trySet()) {
            execute();
        }
    }

    /** Queues a run for a loop that has the flag set. */
    void execute() {
        try {
            loop.execute(runTask);
        } catch (RejectedExecutionException e) {
            // The NIC is being closed and polls no more.
            set.set(false);
        } catch (Error e) {
            // Without memory; the first use of code can throw another Error then.
            set.set(false);
            lost = true;
        }
    }

    /**
     * The loop: queues the next run where there may be no memory for a timer. It does not wait, but other tasks of the event loop run
     * before. False when it has to be tried again.
     */
    boolean executeWithoutMemory() {
        try {
            set();
            loop.execute(runTask);
            return true;
        } catch (Throwable fault) {
            return loop.isShuttingDown();
        }
    }

    /** Repeats a wake-up that was lost; on the watchdog's thread. */
    void repeatLost() {
        if (lost) {
            lost = false;
            wake();
        }
    }

    /** A run begins, or will begin: nobody need queue one. */
    void set() {
        set.set(true);
    }

    /** Sets the flag; false when it was set. */
    boolean trySet() {
        return set.compareAndSet(false, true);
    }

    boolean isSet() {
        return set.get();
    }

    /** The loop is about to sleep, and polls once more for what was posted before. */
    void clear() {
        set.set(false);
        VarHandle.fullFence();
    }
}
