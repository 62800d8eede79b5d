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
    private static final int MAX_BATCH_BYTES = 65507;
    private static final int MAX_SEGMENTS = 64;
    /** Fits the receive buffer of any machine, including the kernel's overhead for each frame. */
    private static final int WINDOW_BYTES = 1 << 20;
    private static final int WINDOW_FRAMES = 2048;
    private static final int ACKS_PER_WINDOW = 8;

    private final int payloadBytes;
    private final boolean coalescing;
    private final int window;
    private volatile boolean stopped;
    /** Written by the receiving thread only, once for each receive call: rare enough to need no padding. */
    private volatile long received;
    private volatile long sent;
    private volatile long spoiled;

    /**
     * @param payloadBytes of each frame.
     * @param coalescing   whether the kernel coalesces received frames (UDP_GRO); otherwise each takes a receive call.
     */
    RawBandwidth(int payloadBytes, boolean coalescing) {
        this.payloadBytes = payloadBytes;
        this.coalescing = coalescing;
        this.window = Math.min(WINDOW_FRAMES, WINDOW_BYTES / payloadBytes);
    }

    /** Runs it; times in nanoseconds. */
    RawGoodput run(long warmUpNs, long durationNs) throws IOException {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (RawSocket from = RawSocket.open(); RawSocket to = RawSocket.open()) {
            if (coalescing) {
                to.coalesce();
            }
            Future<Void> receiver = threads.submit(() -> receive(to, from.port()));
            Future<Void> sender = threads.submit(() -> send(from, to.port()));
            LockSupport.parkNanos(warmUpNs);
            long startNs = System.nanoTime();
            long first = received;
            long nowNs = startNs;
            while (nowNs - startNs < durationNs && !sender.isDone() && !receiver.isDone()) {
                LockSupport.parkNanos(Math.min(10_000_000, durationNs - (nowNs - startNs)));
                nowNs = System.nanoTime();
            }
            long frames = received - first;
            long lost = Math.max(0, sent - received - window);
            stopped = true;
            finish(sender);
            finish(receiver);
            return new RawGoodput(payloadBytes, frames, nowNs - startNs, lost, spoiled);
        } finally {
            stopped = true;
            threads.shutdownNow();
        }
    }

    private static void finish(Future<Void> thread) throws IOException {
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

    private Void send(RawSocket socket, int port) throws IOException {
        RawFrame frames = new RawFrame(payloadBytes);
        RawFrame acks = new RawFrame(Long.BYTES);
        int length = frames.lengthBytes();
        int segments = Math.min(MAX_SEGMENTS, MAX_BATCH_BYTES / length);
        long posted = 0;
        long ackedFrames = 0;
        socket.segment(length);
        while (!stopped) {
            while (socket.receive(acks) >= Long.BYTES) {
                ackedFrames = acks.numberAt(0);
            }
            if (posted + segments > ackedFrames + window) {
                Thread.onSpinWait();
                continue;
            }
            for (int i = 0; i < segments; i++) {
                frames.make(i * length, posted + i);
            }
            while (!socket.send(frames, segments * length, port) && !stopped) {
                Thread.onSpinWait();
            }
            posted += segments;
            sent = posted;
        }
        return null;
    }

    private Void receive(RawSocket socket, int port) throws IOException {
        RawFrame frames = new RawFrame(payloadBytes);
        RawFrame acks = new RawFrame(Long.BYTES);
        int length = frames.lengthBytes();
        int ackEvery = Math.max(1, window / ACKS_PER_WINDOW);
        long taken = 0;
        long acked = 0;
        long wrong = 0;
        while (!stopped) {
            int bytes = socket.receive(frames);
            for (int at = 0; at + length <= bytes; at += length) {
                wrong += frames.take(at) ? 0 : 1;
                taken++;
            }
            if (bytes > 0) {
                received = taken;
                spoiled = wrong;
            }
            if (taken - acked >= ackEvery) {
                acks.putNumber(0, taken);
                socket.send(acks, Long.BYTES, port);
                acked = taken;
            }
        }
        return null;
    }
}
