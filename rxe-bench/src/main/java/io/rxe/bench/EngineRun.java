package io.rxe.bench;

import io.rxe.verbs.CompletionChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * One measurement with the application on the threads of the engines. The thread that started it waits here until the application
 * ends the run or fails.
 */
final class EngineRun {
    private final Workload workload;
    private final CountDownLatch ended = new CountDownLatch(1);
    // Two engines may fail; the first failure explains the second.
    private final AtomicReference<TransferFailure> failure = new AtomicReference<>();

    EngineRun(Workload workload) {
        this.workload = workload;
    }

    /**
     * A channel for the completions of one side.
     *
     * @param poll polls completions and handles them; returns whether there were any.
     * @param arm  requests a notification for the next completion.
     */
    CompletionChannel channel(BooleanSupplier poll, Runnable arm) {
        return CompletionChannel.calling(queue -> onCompletions(poll, arm));
    }

    // No notification reports a completion made between the last poll and arming, so this polls once more after arming.
    private void onCompletions(BooleanSupplier poll, Runnable arm) {
        try {
            do {
                poll.getAsBoolean();
                arm.run();
            } while (poll.getAsBoolean());
        } catch (TransferFailure e) {
            failure.compareAndSet(null, e);
            end();
        }
    }

    /** Ends the run. */
    void end() {
        ended.countDown();
    }

    /**
     * Waits for the end.
     *
     * @param limitNs longest wait, in nanoseconds.
     * @throws TransferFailure the first failure on an engine's thread, or a stall.
     */
    void await(long limitNs) {
        try {
            if (!ended.await(limitNs, TimeUnit.NANOSECONDS)) {
                throw new TransferFailure("nothing happened for a long time while waiting for completions of " + workload);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TransferFailure("interrupted while waiting for completions of " + workload);
        }
        if (failure.get() != null) {
            throw failure.get();
        }
    }
}
