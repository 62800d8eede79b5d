package io.rxe.cm.mad;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * A number of at most 32 bits in a MAD, big-endian. It is read and written with the word of 1, 2 or 4 bytes in which it lies; the other
 * bits of the word belong to other fields and stay.
 *
 * @param index     of the first byte of the word, from the start of the MAD or of the header that the field belongs to.
 * @param wordBytes 1, 2 or 4.
 * @param shift     bits of the word below the field.
 * @param mask      of the field's width.
 */
public record MadField(int index, int wordBytes, int shift, int mask) {
    /** A field that fills its word. */
    static MadField whole(int index, int bytes) {
        return new MadField(index, bytes, 0, -1 >>> Integer.SIZE - 8 * bytes);
    }

    /** A byte of the body. */
    static MadField int8(int body) {
        return whole(MadHeader.LENGTH + body, 1);
    }

    static MadField int16(int body) {
        return whole(MadHeader.LENGTH + body, 2);
    }

    static MadField int32(int body) {
        return whole(MadHeader.LENGTH + body, 4);
    }

    /** The upper 24 bits of a word. */
    static MadField int24(int body) {
        return new MadField(MadHeader.LENGTH + body, 4, 8, 0xFF_FFFF);
    }

    /** The upper 20 bits of a word. */
    static MadField int20(int body) {
        return new MadField(MadHeader.LENGTH + body, 4, 12, 0xF_FFFF);
    }

    /** Some bits of a byte of the body; shift counts from its lowest bit. */
    static MadField bits(int body, int shift, int width) {
        return new MadField(MadHeader.LENGTH + body, 1, shift, (1 << width) - 1);
    }

    /** One bit of a byte of the body. */
    static MadField flag(int body, int bit) {
        return bits(body, bit, 1);
    }

    /** @param offset of the MAD, or of the field's header, in the buffer. */
    public int get(DirectBuffer buffer, int offset) {
        return word(buffer, offset + index) >>> shift & mask;
    }

    /** Whether any bit of the field is set. */
    public boolean isSet(DirectBuffer buffer, int offset) {
        return get(buffer, offset) != 0;
    }

    /** Writes the field; higher bits of the value are left out. */
    public void set(MutableDirectBuffer buffer, int offset, int value) {
        int at = offset + index;
        int word = word(buffer, at) & ~(mask << shift) | (value & mask) << shift;
        switch (wordBytes) {
            case 1 -> buffer.putByte(at, (byte) word);
            case 2 -> buffer.putShort(at, (short) word, BIG_ENDIAN);
            default -> buffer.putInt(at, word, BIG_ENDIAN);
        }
    }

    /** Writes a flag. */
    public void set(MutableDirectBuffer buffer, int offset, boolean value) {
        set(buffer, offset, value ? 1 : 0);
    }

    private int word(DirectBuffer buffer, int at) {
        return switch (wordBytes) {
            case 1 -> buffer.getByte(at);
            case 2 -> buffer.getShort(at, BIG_ENDIAN);
            default -> buffer.getInt(at, BIG_ENDIAN);
        };
    }
}
