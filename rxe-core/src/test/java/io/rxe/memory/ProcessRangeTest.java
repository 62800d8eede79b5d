package io.rxe.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.port.RangeFaults;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Random;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Memory of a native program, by its address. What faults for real is for the programs of rxe-ibverbs. */
class ProcessRangeTest {
    private static final long WHOLE = -1;

    private final ByteBuffer memory = ByteBuffer.allocateDirect(64);
    private final long address = BufferUtil.address(memory);

    /** Faults that other threads have, or, of atomics, this one. */
    private static final class Faults implements RangeFaults {
        private long others;
        private boolean fails;

        @Override
        public long count() {
            return others++;
        }

        @Override
        public long compareAndSwap(long address, long compare, long swap) {
            return address ^ compare ^ swap;
        }

        @Override
        public long fetchAndAdd(long address, long addend) {
            return address + addend;
        }

        @Override
        public void store(long address, long value) {
            if (fails) {
                throw new InternalError("planted");
            }
            others = value;
        }

        @Override
        public void copy(long from, long to, long lengthBytes) {
            if (fails) {
                throw new InternalError("planted");
            }
            UnsafeApi.copyMemory(from, to, lengthBytes);
        }
    }

    private final Faults faults = new Faults();

    private Region region(long base, long at, long length) {
        return new Region(1, 1, 0, base, new ProcessRange(at, length, faults));
    }

    @Test
    @DisplayName("it copies from and to its addresses, into heap and direct packets, while other threads have faults")
    void copies() {
        Region region = region(0x1000, address, 64);
        byte[] bytes = new byte[20];
        new Random(1).nextBytes(bytes);
        assertTrue(region.write(0x1003, new UnsafeBuffer(bytes), 4, 16));
        byte[] written = new byte[16];
        memory.get(3, written);
        for (UnsafeBuffer packet : new UnsafeBuffer[] {new UnsafeBuffer(new byte[32]), new UnsafeBuffer(ByteBuffer.allocateDirect(32))}) {
            assertTrue(region.read(0x1003, packet, 2, 16));
            byte[] read = new byte[16];
            packet.getBytes(2, read);
            assertArrayEquals(written, read);
            assertThrows(IndexOutOfBoundsException.class, () -> region.read(0x1003, packet, 20, 16));
            assertThrows(IndexOutOfBoundsException.class, () -> region.write(0x1003, packet, 20, 16));
        }
        for (int i = 0; i < 16; i++) {
            assertEquals(bytes[4 + i], written[i]);
        }
    }

    @Test
    @DisplayName("what changes eight bytes at once is left to those who catch its faults; aligned is what is so in memory too")
    void atomics() {
        Region region = region(0x1000, 0x7000, 64);
        assertEquals(0x7008 ^ 5 ^ 9, region.compareAndSwap(0x1008, 5, 9));
        assertEquals(0x7008 + 3, region.fetchAndAdd(0x1008, 3));
        assertTrue(region.writeAtomically(0x1008, new UnsafeBuffer(new byte[] {0, 7, 0, 0, 0, 0, 0, 0, 0}), 1));
        assertEquals(7, faults.others);
        faults.fails = true;
        assertFalse(region.writeAtomically(0x1008, new UnsafeBuffer(new byte[8]), 0));
        assertTrue(region.isAligned(0x1008) && region.memory().isAligned(0x1000));
        assertFalse(region(0x1000, 0x7004, 64).isAligned(0x1008) || region(0x1000, 0x7004, 64).memory().isAligned(0x1000));
        assertTrue(region.force(0x1000, 64));
    }

    @Test
    @DisplayName("R10 bounds of the whole address space, and of long regions, are right for every address and length")
    void boundsNeverOverflow() {
        Random random = new Random(7);
        BigInteger circle = BigInteger.ONE.shiftLeft(64);
        for (long length : new long[] {WHOLE, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 47}) {
            Region region = region(0, 0, length);
            for (int i = 0; i < 20_000; i++) {
                long at = random.nextBoolean() ? random.nextLong() : random.nextInt(200) - 100;
                long bytes = random.nextBoolean() ? random.nextInt() : random.nextLong();
                BigInteger end = BigInteger.valueOf(at).mod(circle).add(BigInteger.valueOf(bytes));
                boolean inside = bytes >= 0 && end.compareTo(BigInteger.valueOf(length).mod(circle)) <= 0;
                assertEquals(inside, region.contains(at, bytes), () -> length + " " + at + " " + bytes);
            }
        }
    }
}
