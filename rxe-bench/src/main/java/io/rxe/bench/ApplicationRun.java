package io.rxe.bench;

import io.rxe.verbs.CompletionChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** One measurement: runs both sides of its application in one of three ways, until one side ends it or fails. */
final class ApplicationRun {
    private static final int LOOK_MASK = (1 << 12) - 1;

    private final Application application;
    private final Workload workload;
    private final long stallNs;
    private final CountDownLatch ended = new CountDownLatch(1);
    // Both sides may fail; the first failure explains the second.
    private final AtomicReference<TransferFailure> failure = new AtomicReference<>();

    /** @param stallNs longest wait for a completion, in nanoseconds. */
    ApplicationRun(Application application, Workload workload, long stallNs) {
        this.application = application;
        this.workload = workload;
        this.stallNs = stallNs;
    }

    /** The channel for the completions of a side; null where no engine runs it. */
    CompletionChannel channel(ApplicationSide side) {
        return application == Application.ENGINES ? CompletionChannel.calling(queue -> onCompletions(side)) : null;
    }

    // No notification reports a completion made between the last poll and arming, so this polls once more after arming. The lock waits
    // for the thread that begins: only one at a time may post to a queue pair.
    private void onCompletions(ApplicationSide side) {
        synchronized (side) {
            try {
                do {
                    side.poll();
                    side.arm();
                } while (side.poll());
            } catch (TransferFailure e) {
                fail(e);
            }
        }
    }

    void end() {
        ended.countDown();
    }

    private void fail(TransferFailure cause) {
        failure.compareAndSet(null, cause);
        end();
    }

    /**
     * Runs both sides until the end.
     *
     * @param first      the side that begins.
     * @param begin      posts its first requests, on the calling thread.
     * @param expectedNs time that the measurement takes.
     * @throws TransferFailure the first failure of a side, or a stall.
     */
    void await(ApplicationSide first, ApplicationSide second, Runnable begin, long expectedNs) {
        switch (application) {
            case ENGINES -> {
                second.arm();
                first.arm();
                synchronized (first) {
                    begin.run();
                }
                awaitEngines(expectedNs);
            }
            case CALLER -> {
                begin.run();
                pollBoth(first, second);
            }
            case THREADS -> {
                begin.run();
                pollInThreads(first, second);
            }
        }
        if (failure.get() != null) {
            throw failure.get();
        }
    }

    private boolean isRunning() {
        return ended.getCount() > 0;
    }

    private String awaited() {
        return "completions of " + workload;
    }

    private void awaitEngines(long expectedNs) {
        try {
            if (!ended.await(expectedNs + stallNs, TimeUnit.NANOSECONDS)) {
                throw new TransferFailure("nothing happened for a long time while waiting for " + awaited());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TransferFailure("interrupted while waiting for " + awaited());
        }
    }

    private void pollBoth(ApplicationSide first, ApplicationSide second) {
        StallWatch watch = new StallWatch(stallNs, this::awaited);
        while (isRunning()) {
            if (first.poll() | second.poll()) {
                watch.progress();
            } else {
                watch.idle();
            }
        }
    }

    private void pollInThreads(ApplicationSide first, ApplicationSide second) {
        CompletableFuture<Void> peer = CompletableFuture.runAsync(() -> spin(second, Long.MAX_VALUE), body -> {
            Thread thread = new Thread(body, "rxe-bench-peer");
            thread.setDaemon(true);
            thread.start();
        });
        spin(first, stallNs);
        peer.join();
    }

    private void spin(ApplicationSide side, long limitNs) {
        try {
            long idleSinceNs = 0;
            int idles = 0;
            while (isRunning()) {
                if (side.poll()) {
                    idles = 0;
                } else if ((++idles & LOOK_MASK) == 0) {
                    // The clock costs more than a poll.
                    long nowNs = System.nanoTime();
                    if (idles == LOOK_MASK + 1) {
                        idleSinceNs = nowNs;
                    } else if (nowNs - idleSinceNs > limitNs) {
                        throw new TransferFailure(StallWatch.sentence(limitNs, awaited()));
                    }
                }
            }
        } catch (TransferFailure e) {
            fail(e);
        }
    }
}
