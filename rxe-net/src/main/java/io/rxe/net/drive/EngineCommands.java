package io.rxe.net.drive;

import io.rxe.net.port.SystemClock;
import io.rxe.ring.StackRoom;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The commands for one engine. Whoever owns the engine runs them: the caller itself if nobody else has the engine, or else the owner, one
 * before each iteration. Callable from any thread.
 */
final class EngineCommands {
    /** Attempts of a caller to take the engine before it sleeps between two of them. */
    private static final int SPINS = 100;
    /** The first sleep: an owner may have left without having seen the command. The next are twice as long each. */
    private static final long FIRST_SLEEP_US = 50;
    private static final long LONGEST_SLEEP_US = 10_000;
    /** Frames that a command may need. */
    private static final int FRAMES = 128;
    /** How long a call waits for an owner that stays in one iteration, when waits are limited. */
    private static final long LIMIT_NS = 2_000_000_000;
    /** The same for one that is between two, in a command or asleep: its thread may get no CPU. */
    private static final long LONGEST_LIMIT_NS = 10_000_000_000L;
    /** What each thread waits for, in whatever way its engines are driven: listeners, which own an engine, may call verbs of others. */
    private static final Map<Thread, EngineOwnership> WAITING = new ConcurrentHashMap<>();

    private final EngineOwnership ownership;
    private final Runnable wake;
    private final Runnable rescue;
    private final ConcurrentLinkedQueue<FutureTask<Void>> queue = new ConcurrentLinkedQueue<>();
    /** Belongs to the owner. */
    private FutureTask<Void> running;
    private volatile Limit limit;
    /** The iteration that a limited call gave up to wait for; the next calls need not wait as long again. */
    private volatile long givenUp;

    /**
     * A limit of waits.
     *
     * @param iteration the number of the owner's iteration, 0 for none.
     * @param holder    who holds the engine, in a sentence.
     */
    private record Limit(LongSupplier iteration, Supplier<String> holder) {
    }

    /**
     * @param wake   wakes the loop of the engine, which may sleep while it owns the engine, and which drives what a caller began.
     * @param rescue takes the engine from an owner that will never give it back.
     */
    EngineCommands(EngineOwnership ownership, Runnable wake, Runnable rescue) {
        this.ownership = ownership;
        this.wake = wake;
        this.rescue = rescue;
    }

    /**
     * Runs a command on the engine and returns when it is done. In a command or listener of this engine it runs at once. Throws what the
     * command throws.
     *
     * @throws IllegalStateException if the owner of the engine waits for an engine that the caller owns, or is lost with the command.
     * @throws StackOverflowError    if there is too little stack left for a command; nothing has begun then.
     */
    void call(Runnable command) {
        if (ownership.isHeld()) {
            command.run();
            return;
        }
        StackRoom.require(FRAMES);
        Thread caller = Thread.currentThread();
        // A caller that runs the commands of others for an engine it waits for may have to wait for one more.
        EngineOwnership outer = WAITING.put(caller, ownership);
        try {
            if (closesCircle(caller)) {
                throw new IllegalStateException("listeners on the threads of two engines wait for each other's engine: create, modify and"
                    + " close resources on a thread of the application instead of in a listener");
            }
            FutureTask<Void> task = new FutureTask<>(command, null);
            queue.add(task);
            await(task);
        } finally {
            if (outer == null) {
                WAITING.remove(caller);
            } else {
                WAITING.put(caller, outer);
            }
        }
    }

    /** Queues a command for whoever owns the engine next. */
    void later(Runnable command) {
        queue.add(new FutureTask<>(command, null));
        wake.run();
    }

    /** From now on a call that waits for an owner which does not get on is refused, with the name of the holder. */
    void limitWaits(LongSupplier iteration, Supplier<String> holder) {
        limit = new Limit(iteration, holder);
    }

    /** Whether the owner waits for the caller, directly or through others. Of two that begin to wait, one at least sees it. */
    private boolean closesCircle(Thread caller) {
        EngineOwnership next = ownership;
        for (int steps = WAITING.size(); steps >= 0 && next != null; steps--) {
            Thread owner = next.owner();
            if (owner == caller) {
                return true;
            }
            next = owner == null ? null : WAITING.get(owner);
        }
        return false;
    }

    /** Runs the command that has waited longest; false when there is none. Only the owner of the engine calls. */
    boolean runNext() {
        FutureTask<Void> next = queue.poll();
        if (next == null) {
            return false;
        }
        running = next;
        try {
            next.run();
        } finally {
            abandon();
            running = null;
        }
        return true;
    }

    /** The owner is lost: its command ends without a result, if it has none. Only the owner calls, or who took the engine from it. */
    void abandon() {
        if (running != null) {
            running.cancel(false);
        }
    }

    private void await(FutureTask<Void> task) {
        boolean interrupted = false;
        long sleepUs = FIRST_SLEEP_US;
        Wait wait = new Wait();
        try {
            for (int tries = 0; !task.isDone(); tries++) {
                if (ownership.tryAcquire()) {
                    runUntil(task);
                } else if (tries == 0) {
                    wake.run();
                } else if (tries < SPINS) {
                    Thread.onSpinWait();
                } else {
                    interrupted |= !sleep(task, sleepUs);
                    sleepUs = Math.min(LONGEST_SLEEP_US, 2 * sleepUs);
                    rescue.run();
                    if (limit != null && !task.isDone()) {
                        wait.check(limit);
                    }
                }
            }
            while (!result(task)) {
                interrupted = true;
            }
        } finally {
            // Where this thread stops waiting the command must not run later.
            task.cancel(false);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** How long a call has waited for an owner in one iteration. */
    private final class Wait {
        private long iteration;
        private long sinceNs = SystemClock.nowNs();

        void check(Limit by) {
            long current = by.iteration.getAsLong();
            long nowNs = SystemClock.nowNs();
            if (current != iteration) {
                iteration = current;
                sinceNs = nowNs;
            }
            if (current != 0 && current == givenUp || nowNs - sinceNs > (current == 0 ? LONGEST_LIMIT_NS : LIMIT_NS)) {
                givenUp = current;
                throw new IllegalStateException(by.holder.get());
            }
        }
    }

    /** As the owner. */
    private void runUntil(FutureTask<Void> task) {
        try {
            while (!task.isDone() && runNext()) {
                // One of them is the task.
                continue;
            }
        } finally {
            ownership.release();
        }
        wake.run();
    }

    /** False when the caller was interrupted, which does not end its wait. */
    private static boolean sleep(FutureTask<Void> task, long longestUs) {
        try {
            task.get(longestUs, TimeUnit.MICROSECONDS);
            return true;
        } catch (InterruptedException e) {
            return false;
        } catch (TimeoutException | ExecutionException | CancellationException e) {
            // The engine is still taken; or done, and the result says how.
            return true;
        }
    }

    /** Throws what a command that is done has thrown; false when the caller was interrupted. */
    private static boolean result(FutureTask<Void> task) {
        try {
            task.get();
            return true;
        } catch (InterruptedException e) {
            return false;
        } catch (CancellationException e) {
            throw new IllegalStateException("the thread that drove the engine ended during this call, and the engine failed: close this NIC"
                + " and open another", e);
        } catch (ExecutionException e) {
            throw unchecked(e.getCause());
        }
    }

    private static RuntimeException unchecked(Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return (RuntimeException) cause;
    }
}
