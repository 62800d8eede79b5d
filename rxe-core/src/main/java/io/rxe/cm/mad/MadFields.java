package io.rxe.cm.mad;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.rxe.wire.Gid;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** Reads and writes the kinds of fields in a MAD, all big-endian. An index is that of the first byte of the field. */
final class MadFields {
    private static final int LOW_24_BITS = 0x00FF_FFFF;

    private MadFields() {
    }

    static int int32(DirectBuffer buffer, int index) {
        return buffer.getInt(index, BIG_ENDIAN);
    }

    static void int32(MutableDirectBuffer buffer, int index, int value) {
        buffer.putInt(index, value, BIG_ENDIAN);
    }

    static long int64(DirectBuffer buffer, int index) {
        return buffer.getLong(index, BIG_ENDIAN);
    }

    static void int64(MutableDirectBuffer buffer, int index, long value) {
        buffer.putLong(index, value, BIG_ENDIAN);
    }

    static int int16(DirectBuffer buffer, int index) {
        return buffer.getShort(index, BIG_ENDIAN) & 0xFFFF;
    }

    static void int16(MutableDirectBuffer buffer, int index, int value) {
        buffer.putShort(index, (short) value, BIG_ENDIAN);
    }

    static int int8(DirectBuffer buffer, int index) {
        return buffer.getByte(index) & 0xFF;
    }

    static void int8(MutableDirectBuffer buffer, int index, int value) {
        buffer.putByte(index, (byte) value);
    }

    /** The upper 24 bits of a word: three bytes from index on; the fourth belongs to another field. */
    static int int24(DirectBuffer buffer, int index) {
        return int32(buffer, index) >>> 8;
    }

    static void int24(MutableDirectBuffer buffer, int index, int value) {
        int32(buffer, index, int32(buffer, index) & 0xFF | (value & LOW_24_BITS) << 8);
    }

    /** Some bits of one byte; shift counts from its lowest bit. */
    static int bits(DirectBuffer buffer, int index, int shift, int width) {
        return int8(buffer, index) >> shift & (1 << width) - 1;
    }

    static void bits(MutableDirectBuffer buffer, int index, int shift, int width, int value) {
        int mask = (1 << width) - 1 << shift;
        int8(buffer, index, int8(buffer, index) & ~mask | value << shift & mask);
    }

    static Gid gid(DirectBuffer buffer, int index) {
        return new Gid(int64(buffer, index), int64(buffer, index + 8));
    }

    static void gid(MutableDirectBuffer buffer, int index, Gid value) {
        int64(buffer, index, value.high());
        int64(buffer, index + 8, value.low());
    }

    static byte[] bytes(DirectBuffer buffer, int index, int length) {
        byte[] copy = new byte[length];
        buffer.getBytes(index, copy);
        return copy;
    }

    /** Writes data and fills the rest of the area with zeros. */
    static void bytes(MutableDirectBuffer buffer, int index, int areaLength, byte[] data, String message) {
        if (data.length > areaLength) {
            throw new IllegalArgumentException("private data of " + data.length + " bytes > " + areaLength + " of a " + message
                + ": send less here and the rest over the connection");
        }
        buffer.putBytes(index, data);
        buffer.setMemory(index + data.length, areaLength - data.length, (byte) 0);
    }
}
