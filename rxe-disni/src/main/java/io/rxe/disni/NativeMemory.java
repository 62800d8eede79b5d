package io.rxe.disni;

import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/** Memory by its address, as programs of DiSNI hand it over: they allocate it themselves, and must keep it until it is deregistered. */
final class NativeMemory {
    private static final long ADDRESS = UnsafeApi.objectFieldOffset(Buffer.class, "address");
    private static final long CAPACITY = UnsafeApi.objectFieldOffset(Buffer.class, "capacity");
    private static final long LIMIT = UnsafeApi.objectFieldOffset(Buffer.class, "limit");
    private static final ByteBuffer EMPTY = ByteBuffer.allocateDirect(0);

    private NativeMemory() {
    }

    /**
     * Returns a buffer over memory. Java 17 has no public way to make one, so this fills in the fields of one over nothing.
     *
     * @param lengthBytes 0 or more.
     */
    static ByteBuffer buffer(long address, int lengthBytes) {
        if (address == 0 || lengthBytes < 0) {
            throw VerbFailure.of(VerbError.EINVAL, "memory of " + lengthBytes + " bytes at address 0x" + Long.toHexString(address)
                + " cannot be used: give the address of memory of 0 to 2147483647 bytes");
        }
        ByteBuffer buffer = EMPTY.duplicate();
        UnsafeApi.putLong(buffer, ADDRESS, address);
        UnsafeApi.putInt(buffer, CAPACITY, lengthBytes);
        UnsafeApi.putInt(buffer, LIMIT, lengthBytes);
        return buffer;
    }

    /** Returns the address of a direct buffer's index 0. */
    static long address(ByteBuffer buffer) {
        return BufferUtil.address(buffer);
    }

    /** Copies memory into an array. */
    static byte[] copy(long address, int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        if (lengthBytes > 0) {
            buffer(address, lengthBytes).get(bytes);
        }
        return bytes;
    }
}
