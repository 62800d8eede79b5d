package io.rxe.net;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The commands for an engine that threads drive in turn. Whoever owns the engine runs them: the caller itself if nobody else has the
 * engine, or else the owner between two iterations. Callable from any thread.
 */
final class OwnerCommands {
    /** Attempts of a caller to take the engine before it sleeps between two of them. */
    private static final int SPINS = 100;
    private static final long RETRY_US = 50;
    /** What threads wait for: listeners, which own an engine, may run commands of other engines. */
    private static final Map<Thread, OwnerCommands> WAITING = new ConcurrentHashMap<>();

    private final EngineOwnership ownership;
    private final ConcurrentLinkedQueue<FutureTask<Void>> queue = new ConcurrentLinkedQueue<>();

    OwnerCommands(EngineOwnership ownership) {
        this.ownership = ownership;
    }

    /**
     * Runs a command on the engine and returns when it is done. In a command or listener of this engine it runs at once. Throws what the
     * command throws.
     *
     * @throws IllegalStateException if the owner of the engine waits for an engine that the caller owns.
     */
    void call(Runnable command) {
        if (ownership.isHeld()) {
            command.run();
            return;
        }
        Thread caller = Thread.currentThread();
        WAITING.put(caller, this);
        try {
            if (closesCircle(caller)) {
                throw new IllegalStateException("listeners on the threads of two engines wait for each other's engine: create, modify and"
                    + " close resources on a thread of the application instead of in a listener");
            }
            FutureTask<Void> task = new FutureTask<>(command, null);
            queue.add(task);
            await(task);
        } finally {
            WAITING.remove(caller);
        }
    }

    /** Runs what waits. Only the owner of the engine calls. */
    void runQueued() {
        FutureTask<Void> next = queue.poll();
        while (next != null) {
            next.run();
            next = queue.poll();
        }
    }

    /** Whether the owner waits for the caller, directly or through others. Of two that begin to wait, one at least sees it. */
    private boolean closesCircle(Thread caller) {
        OwnerCommands next = this;
        for (int steps = WAITING.size(); steps >= 0 && next != null; steps--) {
            Thread owner = next.ownership.owner();
            if (owner == caller) {
                return true;
            }
            next = owner == null ? null : WAITING.get(owner);
        }
        return false;
    }

    private void await(FutureTask<Void> task) {
        boolean interrupted = false;
        try {
            for (int tries = 0; !task.isDone(); tries++) {
                if (ownership.tryAcquire()) {
                    try {
                        runQueued();
                    } finally {
                        ownership.release();
                    }
                } else if (tries < SPINS) {
                    Thread.onSpinWait();
                } else {
                    interrupted |= !sleep(task);
                }
            }
            result(task);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** False when the caller was interrupted, which does not end its wait. */
    private static boolean sleep(FutureTask<Void> task) {
        try {
            task.get(RETRY_US, TimeUnit.MICROSECONDS);
            return true;
        } catch (InterruptedException e) {
            return false;
        } catch (TimeoutException | ExecutionException e) {
            // The engine is still taken; or done, and the result says how.
            return true;
        }
    }

    private static void result(FutureTask<Void> task) {
        boolean interrupted = Thread.interrupted();
        try {
            task.get();
        } catch (InterruptedException e) {
            throw new AssertionError("a command that is done was waited for", e);
        } catch (ExecutionException e) {
            throw unchecked(e.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static RuntimeException unchecked(Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return (RuntimeException) cause;
    }
}
