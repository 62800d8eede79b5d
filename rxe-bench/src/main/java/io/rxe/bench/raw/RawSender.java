package io.rxe.bench.raw;

import java.io.IOException;

/** The sending side of a flow: keeps a window full. Runs on one thread; another may read the counts and stop it. */
final class RawSender {
    /** Number of a frame that only requests an acknowledgement: the receiver may not run yet. */
    static final long HELLO = -1;
    private static final int MAX_BATCH_BYTES = 65507;
    private static final int MAX_SEGMENTS = 64;
    private static final long HELLO_INTERVAL_NS = 20_000_000L;

    private final int payloadBytes;
    private final int window;
    private volatile boolean stopped;
    private volatile long sent;

    /**
     * @param payloadBytes of each frame.
     * @param window       most frames in flight.
     */
    RawSender(int payloadBytes, int window) {
        this.payloadBytes = payloadBytes;
        this.window = window;
    }

    /** Frames sent. */
    long sent() {
        return sent;
    }

    void stop() {
        stopped = true;
    }

    /** Sends until it is stopped. */
    Void run(RawSocket socket, int port) throws IOException {
        RawFrame frames = new RawFrame(payloadBytes);
        RawFrame acks = new RawFrame(Long.BYTES);
        int length = frames.lengthBytes();
        int segments = Math.min(MAX_SEGMENTS, MAX_BATCH_BYTES / length);
        long posted = 0;
        long acked = 0;
        awaitReceiver(socket, port, frames, acks);
        socket.segment(length);
        while (!stopped) {
            if (posted + segments > acked + window) {
                if (socket.receive(acks) >= Long.BYTES) {
                    acked = acks.numberAt(0);
                } else {
                    Thread.onSpinWait();
                }
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

    private void awaitReceiver(RawSocket socket, int port, RawFrame frames, RawFrame acks) throws IOException {
        long helloNs = System.nanoTime() - HELLO_INTERVAL_NS;
        while (!stopped && socket.receive(acks) < Long.BYTES) {
            if (System.nanoTime() - helloNs >= HELLO_INTERVAL_NS) {
                frames.make(0, HELLO);
                socket.send(frames, frames.lengthBytes(), port);
                helloNs = System.nanoTime();
            }
            Thread.onSpinWait();
        }
    }
}
