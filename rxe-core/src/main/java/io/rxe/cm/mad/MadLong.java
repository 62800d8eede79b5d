package io.rxe.cm.mad;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * A number of 64 bits in a MAD, big-endian.
 *
 * @param index of its first byte, from the start of the MAD.
 */
public record MadLong(int index) {
    static MadLong int64(int body) {
        return new MadLong(MadHeader.LENGTH + body);
    }

    /** Reads the field of a MAD at an offset of a buffer. */
    public long get(DirectBuffer buffer, int offset) {
        return buffer.getLong(offset + index, BIG_ENDIAN);
    }

    /** Writes the field. */
    public void set(MutableDirectBuffer buffer, int offset, long value) {
        buffer.putLong(offset + index, value, BIG_ENDIAN);
    }
}
