package io.rxe.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Regions, the key table, scatter and gather. */
class RegionTest {
    private static final int READ = 1 << 2;

    private static Region region(int key, long base, int... lengths) {
        ByteBuffer[] buffers = new ByteBuffer[lengths.length];
        for (int i = 0; i < lengths.length; i++) {
            buffers[i] = ByteBuffer.allocateDirect(lengths[i]);
        }
        return new Region(key, 1, READ, base, new BufferList(buffers));
    }

    @Test
    @DisplayName("R20 eight bytes are written at once where address and memory are aligned and lie in one buffer")
    void alignedPlacesAreWrittenAtOnce() {
        ByteBuffer first = ByteBuffer.allocateDirect(16);
        ByteBuffer odd = ByteBuffer.allocateDirect(32).position(4).slice();
        Region region = new Region(1, 1, READ, 0x1000, new BufferList(first, odd));
        assertTrue(region.isAligned(0x1000));
        assertTrue(region.isAligned(0x1008));
        assertFalse(region.isAligned(0x1004), "the address is no multiple of 8");
        assertFalse(region.isAligned(0x1010), "the memory is no multiple of 8");
        Region odd12 = new Region(1, 1, READ, 0x1000, new BufferList(ByteBuffer.allocateDirect(12)));
        assertFalse(odd12.isAligned(0x1008), "it crosses the end of the buffer");
        assertTrue(region.writeAtomically(0x1008, new UnsafeBuffer(new byte[] {9, 1, 2, 3, 4, 5, 6, 7, 8}), 1));
        byte[] written = new byte[16];
        first.get(0, written);
        assertArrayEquals(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}, written);
    }

    @Test
    @DisplayName("R21 memory that maps no file has nothing to force")
    void plainMemoryIsNotForced() {
        assertTrue(region(1, 0x1000, 64).force(0x1000, 64));
        assertFalse(Region.isPersistent(ByteBuffer.allocateDirect(8)));
    }

    @Test
    @DisplayName("R10 bounds are right for every address and length, compared with unlimited integers")
    void boundsNeverOverflow() {
        Random random = new Random(5);
        long[] interesting = {0, 1, -1, 7, Long.MAX_VALUE, Long.MIN_VALUE, -64, -63, 1L << 32, 0xFFFF_FFFFL};
        BigInteger circle = BigInteger.ONE.shiftLeft(64);
        for (long base : interesting) {
            Region region = region(1, base, 64);
            for (int i = 0; i < 20_000; i++) {
                long address = base + (random.nextInt(3) == 0 ? interesting[random.nextInt(interesting.length)] : random.nextInt(140) - 70);
                long length = random.nextInt(3) == 0 ? interesting[random.nextInt(interesting.length)] : random.nextInt(140);
                BigInteger offset = BigInteger.valueOf(address).subtract(BigInteger.valueOf(base)).mod(circle);
                boolean inside = length >= 0 && offset.add(BigInteger.valueOf(length)).compareTo(BigInteger.valueOf(64)) <= 0;
                assertEquals(inside, region.contains(address, length), () -> base + " " + address + " " + length);
            }
        }
    }

    @Test
    void aRegionOfSeveralBuffersIsOneRange() {
        Random random = new Random(6);
        Region region = region(1, 1000, 10, 1, 100, 7, 64);
        assertEquals(182, region.length());
        byte[] model = new byte[182];
        for (int i = 0; i < 20_000; i++) {
            int from = random.nextInt(182);
            byte[] bytes = new byte[random.nextInt(182 - from + 1)];
            if (random.nextBoolean()) {
                random.nextBytes(bytes);
                region.write(1000 + from, new UnsafeBuffer(bytes), 0, bytes.length);
                System.arraycopy(bytes, 0, model, from, bytes.length);
            } else {
                UnsafeBuffer target = new UnsafeBuffer(new byte[bytes.length + 2]);
                region.read(1000 + from, target, 1, bytes.length);
                byte[] expected = new byte[bytes.length + 2];
                System.arraycopy(model, from, expected, 1, bytes.length);
                assertArrayEquals(expected, target.byteArray());
            }
        }
    }

    @Test
    void positionAndLimitOfABufferAreTheRegion() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(64);
        buffer.position(16).limit(32);
        Region region = new Region(1, 1, 0, 0, new BufferList(buffer));
        assertEquals(16, region.length());
        region.write(0, new UnsafeBuffer(new byte[] {9}), 0, 1);
        assertEquals(9, buffer.get(16));
        assertEquals(Region.addressOf(buffer), Region.addressOf(buffer.duplicate()));
    }

    @Test
    void atomicsWorkInEveryBuffer() {
        Region region = region(1, 0, 16, 32);
        assertEquals(0, region.fetchAndAdd(16, 5));
        assertEquals(5, region.compareAndSwap(16, 5, 7));
        assertEquals(7, region.compareAndSwap(16, 5, 9));
        assertEquals(7, region.fetchAndAdd(16, 0));
        assertEquals(0, region.fetchAndAdd(8, 1));
    }

    @Test
    @DisplayName("R10 a key is found only with its domain, its rights, inside its range, and until it is revoked")
    void keysAreFoundOnlyAsGranted() {
        KeyTable table = new KeyTable();
        KeyCache keys = new KeyCache(table);
        Region region = region(-5, 100, 50);
        assertNotNull(table.add(KeySlot.Type.REGION, region));
        assertNull(table.add(KeySlot.Type.REGION, region(-5, 0, 8)), "a key in use");
        assertSame(region, keys.find(-5, 1, READ, 100, 50));
        assertSame(region, keys.find(-5, 1, 0, 150, 0));
        assertNull(keys.find(-5, 2, READ, 100, 50));
        assertNull(keys.find(-5, 1, READ | 2, 100, 50));
        assertNull(keys.find(-5, 1, READ, 100, 51));
        assertNull(keys.find(-5, 1, READ, 99, 1));
        assertNull(keys.find(5, 1, READ, 100, 1));
        table.remove(table.slot(-5));
        assertTrue(region.isRevoked());
        assertNull(keys.find(-5, 1, READ, 100, 50), "the key was still cached");
        assertEquals(0, table.size());
        Region next = region(-5, 0, 8);
        assertNotNull(table.add(KeySlot.Type.REGION, next));
        assertSame(next, keys.find(-5));
    }

    @Test
    void aRevokedRegionIsNotFoundBeforeItsKeyIsRemoved() {
        KeyTable table = new KeyTable();
        Region region = region(3, 0, 8);
        table.add(KeySlot.Type.REGION, region);
        region.revoke();
        assertNull(table.find(3));
        assertNull(new KeyCache(table).find(3));
    }

    @Test
    @DisplayName("W7 keys that share a place in the cache are all found, and an index has one key at a time")
    void keysThatShareACacheSlotAreAllFound() {
        KeyTable table = new KeyTable();
        KeyCache keys = new KeyCache(table);
        List<Region> regions = IntStream.range(0, 300).mapToObj(i -> region(i << 8, 0, 8)).toList();
        regions.forEach(region -> table.add(KeySlot.Type.REGION, region));
        for (int round = 0; round < 2; round++) {
            regions.forEach(region -> assertSame(region, keys.find(region.key())));
        }
        assertNull(table.add(KeySlot.Type.REGION, region(299 << 8 | 1, 0, 8)), "the same index");
        assertNull(keys.find(299 << 8 | 1), "the same index with other bits of the owner");
        keys.forgetRevoked();
        assertSame(regions.get(299), keys.find(299 << 8), "not revoked");
        table.remove(table.slot(299 << 8));
        assertNull(keys.find(299 << 8));
        assertNull(table.find(299 << 8));
        assertNotNull(table.add(KeySlot.Type.REGION, region(299 << 8 | 1, 0, 8)));
    }

    @Test
    @DisplayName("W9 a region is closed when its change by another thread has ended: then the old one is revoked, and it stays closed")
    void aChangeEndsBeforeTheClose() {
        Region old = region(7, 0, 8);
        KeySlot slot = new KeyTable().add(KeySlot.Type.REGION, old);
        assertTrue(slot.beginChange());
        assertFalse(slot.close(), "closed while it was changed");
        slot.change(region(7, 8, 8));
        assertTrue(old.isRevoked());
        slot.endChange();
        assertTrue(slot.close() && slot.close());
        assertTrue(slot.isClosed());
        assertFalse(slot.hold(), "a window was bound to a closed region");
        assertFalse(slot.beginChange(), "a closed region was changed");
    }

    @Test
    void removingARegionLeavesALaterOneWithTheSameKey() {
        KeyTable keys = new KeyTable();
        KeySlot first = keys.add(KeySlot.Type.REGION, region(7, 0, 8));
        keys.remove(first);
        Region second = region(7, 0, 8);
        keys.add(KeySlot.Type.REGION, second);
        keys.remove(first);
        assertSame(second, keys.find(7));
    }

    @Test
    void gatherAndScatterFollowTheList() {
        KeyTable table = new KeyTable();
        KeyCache keys = new KeyCache(table);
        table.add(KeySlot.Type.REGION, region(0x100, 0, 300));
        table.add(KeySlot.Type.REGION, region(0x200, 5000, 300));
        Random random = new Random(8);
        for (int round = 0; round < 2000; round++) {
            ScatterGatherList list = new ScatterGatherList();
            byte[] model = new byte[1000];
            int total = 0;
            for (int i = 0; i < 5; i++) {
                int length = random.nextInt(4) == 0 ? 0 : random.nextInt(100);
                boolean inFirst = i % 2 == 0;
                long address = (inFirst ? 0 : 5000) + i * 50;
                list.add(address, Math.min(length, 50), inFirst ? 0x100 : 0x200);
                total += Math.min(length, 50);
            }
            assertEquals(total, list.totalBytes());
            byte[] payload = new byte[total];
            random.nextBytes(payload);
            assertTrue(ScatterGather.scatter(list, keys, 1, READ, 0, new UnsafeBuffer(payload), 0, total));
            int from = total == 0 ? 0 : random.nextInt(total);
            UnsafeBuffer target = new UnsafeBuffer(model);
            assertTrue(ScatterGather.gather(list, keys, 1, from, target, 3, total - from));
            for (int i = 0; i < total - from; i++) {
                assertEquals(payload[from + i], model[3 + i]);
            }
            assertFalse(ScatterGather.gather(list, keys, 1, from, target, 0, total - from + 1), "more than the list holds");
            assertFalse(ScatterGather.scatter(list, keys, 1, READ | 1, 0, target, 0, Math.max(1, total)), "a right that is missing");
        }
    }

    @Test
    @DisplayName("Q2 empty elements need no key")
    void emptyElementsNeedNoKey() {
        KeyTable table = new KeyTable();
        KeyCache keys = new KeyCache(table);
        table.add(KeySlot.Type.REGION, region(1, 0, 8));
        ScatterGatherList list = new ScatterGatherList();
        list.add(-1, 0, 99);
        list.add(0, 8, 1);
        assertTrue(ScatterGather.isUsable(list, keys, 1, READ));
        list.add(1, 8, 1);
        assertFalse(ScatterGather.isUsable(list, keys, 1, READ));
    }

    @Test
    void aListHasItsLimits() {
        ScatterGatherList list = new ScatterGatherList();
        for (int i = 0; i < ScatterGatherList.MAX_ELEMENTS; i++) {
            list.add(i, 0xFFFF_FFFFL, i);
        }
        assertEquals(32 * 0xFFFF_FFFFL, list.totalBytes());
        assertEquals(0xFFFF_FFFFL, list.length(31));
        assertTrue(assertThrows(IllegalArgumentException.class, () -> list.add(0, 1, 0)).getMessage().contains("32"));
        assertTrue(assertThrows(IllegalArgumentException.class, () -> list.add(0, -1, 0)).getMessage().contains("-1"));
        assertTrue(assertThrows(IllegalArgumentException.class, () -> list.add(0, 1L << 32, 0)).getMessage().contains("4294967296"));
        ScatterGatherList copy = new ScatterGatherList();
        copy.copyFrom(list);
        list.clear();
        assertEquals(32, copy.count());
        assertEquals(31, copy.key(31));
        assertEquals(0, list.totalBytes());
    }

    @Test
    @DisplayName("a truncated mapped file fails the very access that faults, in compiled code too, and nothing later")
    void aFaultFailsTheAccessThatCausedIt(@TempDir Path directory) throws IOException {
        int page = 4096;
        int last = 15 * page;
        try (FileChannel file = FileChannel.open(directory.resolve("mapped"), StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
            ByteBuffer mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, 16 * page);
            Region region = new Region(1, 1, 0, 0, new BufferList(mapped));
            UnsafeBuffer packet = new UnsafeBuffer(ByteBuffer.allocateDirect(page));
            for (int i = 0; i < 30_000; i++) {
                assertTrue(region.read(last, packet, 0, page) && region.write(last, packet, 0, page));
                region.fetchAndAdd(last, 1);
                region.compareAndSwap(last, 1, 0);
            }
            file.truncate(page);
            for (int i = 0; i < 100; i++) {
                assertFalse(region.read(last, packet, 0, page), "read " + i);
                assertTrue(region.read(0, packet, 0, page), "read " + i + " of what is left");
                assertFalse(region.write(last, packet, 0, page), "write " + i);
                assertTrue(region.write(0, packet, 0, page), "write " + i + " of what is left");
                assertThrows(InternalError.class, () -> region.fetchAndAdd(last, 1));
                assertThrows(InternalError.class, () -> region.compareAndSwap(last, 1, 0));
            }
        }
    }
}
