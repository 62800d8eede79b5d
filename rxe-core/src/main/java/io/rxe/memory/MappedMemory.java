package io.rxe.memory;

import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.UnsafeApi;

/**
 * Faults of memory-mapped files. An access behind the end of a truncated file makes the JVM throw InternalError, but compiled code may
 * run on for long before the JVM delivers it, and then it hits whatever runs. {@link #deliverFault} makes the JVM deliver it at once, so
 * that it fails the request that caused it.
 */
final class MappedMemory {
    /** Offset of the field that only buffers of mapped files have set; -1 on a JVM without that field. */
    private static final long FILE_OFFSET = fileOffset();

    private static final boolean AARCH64 = "aarch64".equals(System.getProperty("os.arch"));

    /** Not final, so that the JIT compiler cannot replace the allocation. */
    private static volatile int none;
    private static volatile byte[][] lastArray;
    private static volatile byte lastByte;

    private MappedMemory() {
    }

    private static long fileOffset() {
        try {
            return UnsafeApi.objectFieldOffset(MappedByteBuffer.class.getDeclaredField("fd"));
        } catch (NoSuchFieldException e) {
            return -1;
        }
    }

    /** Whether a buffer is memory of a mapped file. Without the field false: then a fault may fail another queue pair. */
    static boolean isMapped(ByteBuffer buffer) {
        return FILE_OFFSET >= 0 && buffer instanceof MappedByteBuffer && UnsafeApi.getReference(buffer, FILE_OFFSET) != null;
    }

    /**
     * Throws InternalError if a byte faults. For use before an atomic operation: a fault in one ends the JVM where the interpreter runs it.
     */
    static void touch(DirectBuffer buffer, int index) {
        lastByte = buffer.getByte(index);
        deliverFault();
    }

    /**
     * Copies a part of the memory, from it or into it; {@link #deliverFault} is to follow. On AArch64 by long: a fault in the routine with
     * which the JVM copies ends the JVM there (SIGBUS in {@code forward_copy_longs}, JDK 17).
     */
    static void copy(DirectBuffer from, int fromIndex, MutableDirectBuffer to, int toIndex, int lengthBytes) {
        if (AARCH64) {
            copyByLong(from, fromIndex, to, toIndex, lengthBytes);
        } else {
            to.putBytes(toIndex, from, fromIndex, lengthBytes);
        }
    }

    static void copyByLong(DirectBuffer from, int fromIndex, MutableDirectBuffer to, int toIndex, int lengthBytes) {
        int done = 0;
        for (; done <= lengthBytes - Long.BYTES; done += Long.BYTES) {
            to.putLong(toIndex + done, from.getLong(fromIndex + done));
        }
        for (; done < lengthBytes; done++) {
            to.putByte(toIndex + done, from.getByte(fromIndex + done));
        }
    }

    /**
     * Throws InternalError if an access before it faulted. JDK 17 delivers a pending fault only where compiled code calls into the JVM;
     * creating an array of two dimensions does, the cheapest such call known. Later JDKs deliver it at any return.
     */
    static void deliverFault() {
        int length = none + 1;
        lastArray = new byte[length][length];
    }
}
