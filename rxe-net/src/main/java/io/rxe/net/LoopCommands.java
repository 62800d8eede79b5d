package io.rxe.net;

import io.netty.channel.IoEventLoop;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** Runs commands of other threads on an event loop's thread and waits for each to complete. Callable from any thread. */
final class LoopCommands {
    private static final long TERMINATION_CHECK_MS = 100;

    private final IoEventLoop loop;
    private final Runnable afterCommand;
    private final BooleanSupplier hasEnded;
    private final AtomicInteger pending = new AtomicInteger();

    /**
     * @param afterCommand runs on the loop's thread after each command of another thread.
     * @param hasEnded     whether the loop has no thread any more.
     */
    LoopCommands(IoEventLoop loop, Runnable afterCommand, BooleanSupplier hasEnded) {
        this.loop = loop;
        this.afterCommand = afterCommand;
        this.hasEnded = hasEnded;
    }

    /** Whether a command waits for the loop's thread. */
    boolean isPending() {
        return pending.get() > 0;
    }

    /**
     * Runs a command on the loop's thread and returns when it is done. On that thread itself it runs at once; when the loop has
     * terminated it runs on the caller's. Throws what the command throws.
     */
    void call(Runnable command) {
        if (loop.inEventLoop()) {
            command.run();
            return;
        }
        FutureTask<Void> task = new FutureTask<>(command, null);
        Runnable queued = () -> {
            pending.decrementAndGet();
            task.run();
            afterCommand.run();
        };
        pending.incrementAndGet();
        try {
            loop.execute(queued);
        } catch (RejectedExecutionException e) {
            // The loop is ending. Its last tasks still run, so the command waits.
            pending.decrementAndGet();
        } catch (OutOfMemoryError e) {
            // Not queued.
            pending.decrementAndGet();
            throw e;
        }
        await(task);
    }

    private void await(FutureTask<Void> task) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    // A loop that terminated may have left the command in its queue; one that is busy runs it later.
                    if (hasEnded.getAsBoolean()) {
                        runAfterTermination(task);
                    }
                    task.get(TERMINATION_CHECK_MS, TimeUnit.MILLISECONDS);
                    return;
                } catch (TimeoutException e) {
                    continue;
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw unchecked(e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The loop has no thread any more: callers run their commands themselves, one at a time. */
    private synchronized void runAfterTermination(FutureTask<Void> task) {
        task.run();
    }

    private static RuntimeException unchecked(Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return (RuntimeException) cause;
    }
}
