package io.rxe.cm.mad;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The area of a MAD for private data or additional information. The message has no length of the data: unused bytes are zero.
 *
 * @param index  of its first byte, from the start of the MAD.
 * @param length in bytes.
 * @param name   of the message, for what is refused.
 */
public record MadArea(int index, int length, String name) {
    static MadArea area(int body, int length, String name) {
        return new MadArea(MadHeader.LENGTH + body, length, name);
    }

    /** Returns a copy of the whole area of a MAD at an offset of a buffer. */
    public byte[] get(DirectBuffer buffer, int offset) {
        return get(buffer, offset, length);
    }

    /** Returns a copy of its first bytes. */
    byte[] get(DirectBuffer buffer, int offset, int bytes) {
        byte[] copy = new byte[bytes];
        buffer.getBytes(offset + index, copy);
        return copy;
    }

    /**
     * Writes data, and zeros behind it.
     *
     * @throws IllegalArgumentException for more data than the area has room for.
     */
    public void set(MutableDirectBuffer buffer, int offset, byte[] data) {
        if (data.length > length) {
            throw new IllegalArgumentException("private data of " + data.length + " bytes > " + length + " of a " + name
                + ": send less here and the rest over the connection");
        }
        buffer.putBytes(offset + index, data);
        buffer.setMemory(offset + index + data.length, length - data.length, (byte) 0);
    }
}
