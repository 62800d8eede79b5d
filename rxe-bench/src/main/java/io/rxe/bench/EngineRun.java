package io.rxe.bench;

import io.rxe.verbs.CompletionChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * One measurement with the application on the threads of the engines, and its end, for which the thread that began it waits: the
 * application says when it is done, or fails.
 */
final class EngineRun {
    private final Workload workload;
    private final CountDownLatch over = new CountDownLatch(1);
    // Each side has an engine of its own, and the first failure explains the others.
    private final AtomicReference<TransferFailure> failure = new AtomicReference<>();

    EngineRun(Workload workload) {
        this.workload = workload;
    }

    /**
     * A channel for the completions of one side.
     *
     * @param take takes what has completed and does what follows from it; answers whether there was anything.
     * @param arm  has the channel told of what completes next.
     */
    CompletionChannel channel(BooleanSupplier take, Runnable arm) {
        return CompletionChannel.calling(queue -> onCompletions(take, arm));
    }

    // Of what completes after it was taken and before it is armed nobody is told: so it looks again.
    private void onCompletions(BooleanSupplier take, Runnable arm) {
        try {
            do {
                take.getAsBoolean();
                arm.run();
            } while (take.getAsBoolean());
        } catch (TransferFailure e) {
            failure.compareAndSet(null, e);
            end();
        }
    }

    /** Nothing is left to do. */
    void end() {
        over.countDown();
    }

    /**
     * Waits for the end.
     *
     * @param limitNs longest wait, in nanoseconds.
     * @throws TransferFailure the first failure on an engine's thread, or for a stall.
     */
    void await(long limitNs) {
        try {
            if (!over.await(limitNs, TimeUnit.NANOSECONDS)) {
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
