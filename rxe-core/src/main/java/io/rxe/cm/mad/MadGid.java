package io.rxe.cm.mad;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.rxe.wire.Gid;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * A GID in a MAD, 16 bytes.
 *
 * @param index of its first byte, from the start of the MAD or of the header that the field belongs to.
 */
public record MadGid(int index) {
    static MadGid gid(int body) {
        return new MadGid(MadHeader.LENGTH + body);
    }

    /** Reads the field of a MAD, or of a header, at an offset of a buffer. */
    public Gid get(DirectBuffer buffer, int offset) {
        return new Gid(buffer.getLong(offset + index, BIG_ENDIAN), buffer.getLong(offset + index + 8, BIG_ENDIAN));
    }

    /** Writes the field. */
    public void set(MutableDirectBuffer buffer, int offset, Gid value) {
        buffer.putLong(offset + index, value.high(), BIG_ENDIAN);
        buffer.putLong(offset + index + 8, value.low(), BIG_ENDIAN);
    }
}
