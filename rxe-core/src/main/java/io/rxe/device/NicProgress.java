package io.rxe.device;

import io.rxe.port.EngineThread;
import io.rxe.port.Progress;
import io.rxe.verbs.WaitDriver;
import java.util.List;

/** How threads that poll or wait drive the engines of one NIC; see {@link Progress}. Any thread. */
public final class NicProgress {
    private final EngineThread[] threads;
    private final Progress mode;
    private final WaitDriver driver;

    /** @param engines the threads of all engines, in one mode. */
    NicProgress(List<EngineThread> engines) {
        this.threads = engines.toArray(new EngineThread[0]);
        this.mode = threads[0].mode();
        this.driver = mode == Progress.MANUAL
            ? (condition, timeoutNs) -> threads[0].await(condition, this::drive, timeoutNs) : null;
    }

    /** Drives a NIC that has no thread while a thread waits; null where it has threads. */
    public WaitDriver driver() {
        return driver;
    }

    /**
     * Drives each engine that no other thread drives now for one bounded iteration. Never waits and never throws. In a listener it does
     * nothing, as where engines have threads that are never replaced.
     *
     * @return whether there was anything to do.
     */
    public boolean drive() {
        if (mode == Progress.THREAD || threads.length > 1 && isInListener()) {
            return false;
        }
        boolean busy = false;
        for (EngineThread thread : threads) {
            busy |= thread.progress();
        }
        return busy;
    }

    /** Returns after each engine has received and polled once more, whoever drives it; in a listener of one, at once. */
    void awaitIteration() {
        if (!isInListener()) {
            for (EngineThread thread : threads) {
                thread.awaitIteration();
            }
        }
    }

    /** As {@link #awaitIteration()}, for one engine. */
    void awaitIteration(EngineThread thread) {
        if (!isInListener()) {
            thread.awaitIteration();
        }
    }

    /** Whether the caller is one of the engines, which runs listeners too: it must not wait for what it reports itself. */
    public boolean isOnEngineThread() {
        for (EngineThread thread : threads) {
            if (thread.wouldBlock()) {
                return true;
            }
        }
        return false;
    }

    /** A single engine refuses by itself; of several none is driven within another. */
    private boolean isInListener() {
        for (EngineThread thread : threads) {
            if (thread.isCurrent()) {
                return true;
            }
        }
        return false;
    }

    /**
     * A thread polled an empty completion queue. If the queue is armed, the thread is about to sleep, and what has a thread is left to it.
     *
     * @return whether the thread drove the engines, or another did meanwhile.
     */
    boolean onEmptyPoll(boolean isArmed) {
        if (mode == Progress.THREAD || isArmed && mode == Progress.POLLING) {
            return false;
        }
        drive();
        return true;
    }

    /** A completion queue was armed: a thread is about to sleep. */
    void onArmed() {
        if (mode == Progress.POLLING) {
            for (EngineThread thread : threads) {
                thread.onPollingEnds();
            }
        }
    }
}
