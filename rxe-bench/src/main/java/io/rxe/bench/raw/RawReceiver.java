package io.rxe.bench.raw;

import java.io.IOException;

/**
 * The receiving side of a flow: acknowledges with the number of frames received so far. Runs on one thread; another may read the counts
 * and stop it.
 */
final class RawReceiver {
    private static final int ACKS_PER_WINDOW = 8;

    private final int payloadBytes;
    private final int ackEvery;
    private volatile boolean stopped;
    /** Written once for each receive call: rare enough to need no padding. */
    private volatile long received;
    private volatile long spoiled;

    /**
     * @param payloadBytes of each frame.
     * @param window       most frames in flight.
     */
    RawReceiver(int payloadBytes, int window) {
        this.payloadBytes = payloadBytes;
        this.ackEvery = Math.max(1, window / ACKS_PER_WINDOW);
    }

    /** Frames received. */
    long received() {
        return received;
    }

    /** Frames among them whose CRC was wrong. */
    long spoiled() {
        return spoiled;
    }

    void stop() {
        stopped = true;
    }

    /** Receives until it is stopped. */
    Void run(RawSocket socket, int port) throws IOException {
        RawFrame frames = new RawFrame(payloadBytes);
        RawFrame acks = new RawFrame(Long.BYTES);
        int length = frames.lengthBytes();
        long taken = 0;
        long acked = 0;
        long wrong = 0;
        while (!stopped) {
            int bytes = socket.receive(frames);
            boolean greeted = false;
            for (int at = 0; at + length <= bytes; at += length) {
                if (frames.numberAt(at) == RawSender.HELLO) {
                    greeted = true;
                    continue;
                }
                wrong += frames.take(at) ? 0 : 1;
                taken++;
            }
            if (bytes > 0) {
                received = taken;
                spoiled = wrong;
            }
            if (greeted || taken - acked >= ackEvery) {
                acks.putNumber(0, taken);
                socket.send(acks, Long.BYTES, port);
                acked = taken;
            }
        }
        return null;
    }
}
