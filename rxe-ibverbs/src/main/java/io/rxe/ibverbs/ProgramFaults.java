package io.rxe.ibverbs;

import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.verbs.MemoryFaults;
import org.agrona.UnsafeApi;

/**
 * Faults in memory that the program has unmapped or protected; {@code signals.c} catches them, {@code faults.c} counts them. Any thread.
 */
final class ProgramFaults implements MemoryFaults {
    /** Not final, so that the JIT compiler cannot replace the allocation. */
    private static volatile int none;
    private static volatile byte[][] lastArray;

    private final long counterAddress = counter();

    @Override
    public long count() {
        return UnsafeApi.getLongVolatile(null, counterAddress);
    }

    @Override
    public native long compareAndSwap(long address, long compare, long swap);

    @Override
    public native long fetchAndAdd(long address, long addend);

    @Override
    public native void store(long address, long value);

    @Override
    public native void copy(long from, long to, long lengthBytes);

    /**
     * Copies memory of the program that is not registered for it.
     *
     * @throws RuntimeException {@link VerbFailure} when it faulted where other memory is registered. Elsewhere the program gets its
     *                          fault, as from any memcpy.
     */
    void copyInline(long from, long to, long lengthBytes) {
        long before = count();
        try {
            UnsafeApi.copyMemory(from, to, lengthBytes);
            if (count() != before) {
                // JDK 17 delivers the error of a fault where compiled code calls into the JVM, as an array of two dimensions does.
                int length = none + 1;
                lastArray = new byte[length][length];
            }
        } catch (InternalError e) {
            throw VerbFailure.of(VerbError.EFAULT, lengthBytes + " bytes at 0x" + Long.toHexString(from)
                + " are not mapped, or protected");
        }
    }

    /** Returns where the count of faults is. */
    private static native long counter();

    /**
     * Brings pages in, or begins to.
     *
     * @param writes whether they are to be written.
     * @param waits  whether they must be there on return.
     * @return 0 or an errno.
     */
    static native int prefetch(long address, long lengthBytes, boolean writes, boolean waits);
}
