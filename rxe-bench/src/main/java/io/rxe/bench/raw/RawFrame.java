package io.rxe.bench.raw;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Builds and reads frames of one length, back to back in a buffer, copying their payload from and to user memory.
 *
 * <pre>
 *   | 16 bytes: frame number, zeroes | payload | CRC-32 |
 * </pre>
 *
 * <p>Owned by one thread. Allocates nothing after its construction.
 */
final class RawFrame {
    static final int HEADER_BYTES = 16;
    static final int OVERHEAD_BYTES = HEADER_BYTES + Integer.BYTES;
    static final int BUFFER_BYTES = 1 << 16;
    /** User memory: larger than the caches of a core, smaller than the shared cache. */
    private static final int MEMORY_BYTES = 1 << 20;
    private static final int PATTERN = 31;

    private final int payloadBytes;
    private final ByteBuffer bytes = BufferUtil.allocateDirectAligned(BUFFER_BYTES, 64);
    private final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
    private final UnsafeBuffer memory = new UnsafeBuffer(BufferUtil.allocateDirectAligned(MEMORY_BYTES, 64));
    private final CRC32 crc = new CRC32();
    private int place;

    RawFrame(int payloadBytes) {
        this.payloadBytes = payloadBytes;
        for (int i = 0; i < MEMORY_BYTES; i++) {
            memory.putByte(i, (byte) (i * PATTERN >> 3));
        }
    }

    int lengthBytes() {
        return payloadBytes + OVERHEAD_BYTES;
    }

    /** Address of the first frame, for the socket. */
    long address() {
        return buffer.addressOffset();
    }

    /** Builds a frame at an offset in the buffer. */
    void make(int offset, long number) {
        buffer.putLong(offset, number);
        buffer.putLong(offset + Long.BYTES, 0);
        buffer.putBytes(offset + HEADER_BYTES, memory, nextPlace(), payloadBytes);
        buffer.putInt(offset + HEADER_BYTES + payloadBytes, crcAt(offset));
    }

    /** Copies a frame's payload out; false if its CRC is wrong. */
    boolean take(int offset) {
        boolean good = buffer.getInt(offset + HEADER_BYTES + payloadBytes) == crcAt(offset);
        memory.putBytes(nextPlace(), buffer, offset + HEADER_BYTES, payloadBytes);
        return good;
    }

    /** Reads a frame number, or the count of an acknowledgement. */
    long numberAt(int offset) {
        return buffer.getLong(offset);
    }

    void putNumber(int offset, long number) {
        buffer.putLong(offset, number);
    }

    private int crcAt(int offset) {
        bytes.limit(offset + HEADER_BYTES + payloadBytes).position(offset);
        crc.reset();
        crc.update(bytes);
        bytes.clear();
        return (int) crc.getValue();
    }

    private int nextPlace() {
        int here = place;
        place += payloadBytes;
        if (place + payloadBytes > MEMORY_BYTES) {
            place = 0;
        }
        return here;
    }
}
