package io.rxe.net.observe;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Keeps the latest blocks of a pcapng stream in memory until they are written to the file. Each {@code write} is one whole block, as
 * {@link io.rxe.capture.CaptureWriter} makes them; blocks that hold no packet (section, interface) go straight to the file.
 *
 * <pre>
 *         tail                    head
 *   ------[ block | block | block ]------      positions only grow; the array index is position modulo capacity
 * </pre>
 */
final class CaptureRing extends OutputStream {
    private static final int ENHANCED_PACKET = 6;
    private static final int LENGTH_OFFSET = 4;

    private final OutputStream file;
    private final byte[] ring;
    private long tail;
    private long head;

    /**
     * @param file          gets the blocks when the ring is drained; closed with the ring.
     * @param capacityBytes size of the ring.
     */
    CaptureRing(OutputStream file, int capacityBytes) {
        this.file = file;
        this.ring = new byte[capacityBytes];
    }

    @Override
    public void write(int singleByte) {
        throw new IllegalStateException("single bytes cannot be kept, only whole blocks: use write(byte[], int, int)");
    }

    @Override
    public void write(byte[] bytes, int offset, int lengthBytes) throws IOException {
        if (word(bytes, offset) != ENHANCED_PACKET) {
            file.write(bytes, offset, lengthBytes);
            return;
        }
        if (lengthBytes > ring.length) {
            return;
        }
        while (head + lengthBytes - tail > ring.length) {
            tail += oldestLength();
        }
        int at = (int) (head % ring.length);
        int first = Math.min(lengthBytes, ring.length - at);
        System.arraycopy(bytes, offset, ring, at, first);
        System.arraycopy(bytes, offset + first, ring, 0, lengthBytes - first);
        head += lengthBytes;
    }

    private int oldestLength() {
        int length = 0;
        for (int i = Integer.BYTES - 1; i >= 0; i--) {
            length = length << Byte.SIZE | ring[(int) ((tail + LENGTH_OFFSET + i) % ring.length)] & 0xFF;
        }
        return length;
    }

    private static int word(byte[] bytes, int offset) {
        return bytes[offset] & 0xFF | (bytes[offset + 1] & 0xFF) << 8 | (bytes[offset + 2] & 0xFF) << 16 | bytes[offset + 3] << 24;
    }

    /** Writes the blocks kept to the file, and empties the ring. */
    void drain() throws IOException {
        while (tail < head) {
            int at = (int) (tail % ring.length);
            int part = (int) Math.min(head - tail, ring.length - at);
            file.write(ring, at, part);
            tail += part;
        }
        file.flush();
    }

    @Override
    public void flush() throws IOException {
        file.flush();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
