package io.rxe.bench.raw;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Goodput of one flow between two threads: a sender that keeps a window full, and a receiver that acknowledges with the number of
 * frames received so far.
 */
final class RawBandwidth {
    /** Fits the receive buffer of any machine, including the kernel's overhead for each frame. */
    private static final int WINDOW_BYTES = 1 << 20;
    private static final int WINDOW_FRAMES = 2048;

    private final int payloadBytes;
    private final boolean coalescing;
    private final int window;

    /**
     * @param payloadBytes of each frame.
     * @param coalescing   whether the kernel coalesces received frames (UDP_GRO); otherwise each takes a receive call.
     */
    RawBandwidth(int payloadBytes, boolean coalescing) {
        this.payloadBytes = payloadBytes;
        this.coalescing = coalescing;
        this.window = window(payloadBytes);
    }

    /** Most frames in flight. */
    static int window(int payloadBytes) {
        return Math.min(WINDOW_FRAMES, WINDOW_BYTES / payloadBytes);
    }

    /** Runs it; times in nanoseconds. */
    RawGoodput run(long warmUpNs, long durationNs) throws IOException {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        RawSender sending = new RawSender(payloadBytes, window);
        RawReceiver receiving = new RawReceiver(payloadBytes, window);
        try (RawSocket from = RawSocket.open(); RawSocket to = RawSocket.open()) {
            if (coalescing) {
                to.coalesce();
            }
            Future<?> receiver = threads.submit(() -> receiving.run(to, from.port()));
            Future<?> sender = threads.submit(() -> sending.run(from, to.port()));
            LockSupport.parkNanos(warmUpNs);
            long startNs = System.nanoTime();
            long first = receiving.received();
            long nowNs = startNs;
            while (nowNs - startNs < durationNs && !sender.isDone() && !receiver.isDone()) {
                LockSupport.parkNanos(Math.min(10_000_000, durationNs - (nowNs - startNs)));
                nowNs = System.nanoTime();
            }
            long frames = receiving.received() - first;
            long lost = Math.max(0, sending.sent() - receiving.received() - window);
            sending.stop();
            receiving.stop();
            finish(sender);
            finish(receiver);
            return new RawGoodput(payloadBytes, frames, nowNs - startNs, lost, receiving.spoiled());
        } finally {
            sending.stop();
            receiving.stop();
            threads.shutdownNow();
        }
    }

    private static void finish(Future<?> thread) throws IOException {
        try {
            thread.get(10, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IOException("raw UDP failed: " + e.getCause().getMessage(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a raw UDP thread was ending", e);
        } catch (java.util.concurrent.TimeoutException e) {
            throw new IOException("a raw UDP thread does not end", e);
        }
    }
}
