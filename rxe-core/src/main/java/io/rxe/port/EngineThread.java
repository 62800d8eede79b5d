package io.rxe.port;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Runs work on the one thread that drives an engine. All methods may be called from any thread.
 *
 * <p>Where threads of the application drive the engine in turn ({@link Progress}), its thread is the one that owns it at the moment.
 *
 * <p>Work requests travel through rings and need only {@link #wake}. Control commands (create, modify, destroy) are rare and travel
 * through {@link #call}. In a simulation the caller's thread is the engine's thread: {@code call} runs the command at once and
 * {@code wake} does nothing.
 */
public interface EngineThread {
    /**
     * Runs a command on the engine's thread and returns after it has run. Rethrows what the command throws. A call from the engine's
     * own thread runs the command at once. After the engine has stopped the command runs on the caller's thread, since then no other
     * thread touches the engine.
     */
    void call(Runnable command);

    /**
     * As {@link #call(Runnable)}, for a command with a result.
     *
     * @return what the command returned.
     */
    default <T> T call(Supplier<T> command) {
        AtomicReference<T> result = new AtomicReference<>();
        call(() -> result.set(command.get()));
        return result.get();
    }

    /** Returns after the engine has received and polled once more. Not in a listener. */
    default void awaitIteration() {
        // A loop receives and polls between two commands of one thread.
        call(() -> { });
        call(() -> { });
    }

    /** Whether the caller runs on the engine's thread. It may then touch the engine directly instead of through a ring. */
    boolean isCurrent();

    /**
     * Whether a wait of the caller would stop the engine: the caller is the thread that does nothing but run it, as in a listener. False
     * where the engine runs on the thread of whoever drives it.
     */
    default boolean wouldBlock() {
        return false;
    }

    /**
     * Reports an exception that the engine contained: of a queue pair, which is in ERROR now, of a listener or of connection management.
     * Called on the engine's thread.
     *
     * @param where the part of the engine that threw, for a sentence that begins with it.
     */
    void report(String where, Throwable fault);

    /**
     * Runs work that may wait for the file system on another thread, and returns at once. Where there is none, as in a simulation, the
     * caller's thread runs the work before this returns. Engine thread.
     */
    default void offload(Runnable work) {
        work.run();
    }

    /** Who drives the engine. */
    default Progress mode() {
        return Progress.THREAD;
    }

    /**
     * Drives the engine for one bounded iteration, unless another thread does so now or the mode is {@link Progress#THREAD}. Never waits
     * and never throws; in a listener of this engine it does nothing. Any thread.
     *
     * @return whether there was anything to do.
     */
    default boolean progress() {
        return false;
    }

    /** The threads that polled are about to sleep: the engine's own thread, where there is one, drives the engine from now on. */
    default void onPollingEnds() {
        // Nobody else drives it.
    }

    /**
     * Waits in {@link Progress#MANUAL} mode, where nobody else would make the condition true.
     *
     * @param condition tried after each progress.
     * @param progress  drives the engines of the NIC; returns whether there was anything to do.
     * @param timeoutNs longest wait in nanoseconds; 0 or less for one try, {@link Long#MAX_VALUE} waits for ever.
     * @return the last result of the condition.
     * @throws InterruptedException when the waiting thread is interrupted.
     */
    default boolean await(BooleanSupplier condition, BooleanSupplier progress, long timeoutNs) throws InterruptedException {
        progress.getAsBoolean();
        return condition.getAsBoolean();
    }

    /** Makes a sleeping engine poll soon. Cheap; several wakes before that poll count as one. */
    void wake();
}
