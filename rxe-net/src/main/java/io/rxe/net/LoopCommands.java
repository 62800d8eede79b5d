package io.rxe.net;

import io.netty.channel.IoEventLoop;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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

    /** The loops that threads of engines wait for, because listeners run commands of other engines. */
    private static final Map<Thread, IoEventLoop> WAITING = new ConcurrentHashMap<>();

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
     *
     * @throws IllegalStateException if the caller is an engine that the loop's thread waits for.
     */
    void call(Runnable command) {
        if (loop.inEventLoop()) {
            command.run();
            return;
        }
        Thread caller = Thread.currentThread();
        boolean isEngine = caller instanceof FastThreadLocalThread;
        if (isEngine) {
            WAITING.put(caller, loop);
        }
        try {
            if (isEngine && closesCircle(caller)) {
                throw new IllegalStateException("listeners on the threads of two engines wait for each other's engine: create, modify and"
                    + " close resources on a thread of the application instead of in a listener");
            }
            callOther(command);
        } finally {
            if (isEngine) {
                WAITING.remove(caller);
            }
        }
    }

    /** Whether the loop's thread waits for the caller's, directly or through others. Of two that begin to wait, one at least sees it. */
    private boolean closesCircle(Thread caller) {
        IoEventLoop next = loop;
        for (int steps = WAITING.size(); steps >= 0 && next != null; steps--) {
            IoEventLoop current = next;
            next = WAITING.entrySet().stream().filter(wait -> current.inEventLoop(wait.getKey())).map(Map.Entry::getValue).findFirst()
                .orElse(null);
            if (next != null && next.inEventLoop(caller)) {
                return true;
            }
        }
        return false;
    }

    private void callOther(Runnable command) {
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
