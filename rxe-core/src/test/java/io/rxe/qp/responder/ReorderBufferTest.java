package io.rxe.qp.responder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.port.Flow;
import io.rxe.qp.context.FramePool;
import io.rxe.qp.context.InboundPacket;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import io.rxe.wire.Opcode;
import io.rxe.wire.Reth;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is kept behind gaps, compared with a map. */
class ReorderBufferTest {
    private static final int MTU = 256;
    private static final Gid PEER = Gid.parse("10.0.0.2");
    private static final Flow FLOW = new Flow(PEER, Gid.parse("10.0.0.1"), 4791, 4791);

    private final FramePool pool = new FramePool(8 << 20);
    private final ReorderBuffer buffer = new ReorderBuffer(pool);
    private final Random random = new Random(9);
    private final InboundPacket packet = new InboundPacket();

    /** A READ of a number of packets, or a WRITE of 1. */
    private InboundPacket request(long seq, int packets) {
        Opcode opcode = packets > 1 ? Opcode.RC_RDMA_READ_REQUEST : Opcode.RC_RDMA_WRITE_MIDDLE;
        int length = opcode.headerLength() + (packets > 1 ? 0 : MTU) + 4;
        UnsafeBuffer bytes = new UnsafeBuffer(new byte[length]);
        Bth.write(bytes, 0, opcode, false, 0, 0x11, false, (int) seq & 0xFFFFFF);
        if (packets > 1) {
            Reth.write(bytes, opcode.rethOffset(), 0, 0, (long) (packets - 1) * MTU + 1);
        }
        packet.wrap(bytes, 0, length, FLOW);
        return packet;
    }

    @Test
    @DisplayName("R1 G2 whatever arrives in whatever order, it holds and finds what a map holds, and in the end nothing")
    void itHoldsWhatAMapHolds() {
        buffer.start(PEER);
        for (long start : new long[] {1 << 24, (1L << 31) - 40_000, (1L << 40) - 7}) {
            long expected = start;
            TreeMap<Long, Integer> kept = new TreeMap<>();
            for (int step = 0; step < 4_000; step++) {
                long seq = expected + 1 + random.nextInt(random.nextInt(4) == 0 ? ReorderBuffer.LONG_WINDOW - 1 : 300);
                if (!buffer.has(seq)) {
                    int packets = random.nextInt(20) == 0 ? 2 + random.nextInt(600) : 1;
                    assertTrue(buffer.keep(seq, request(seq, packets)));
                    kept.put(seq, packets);
                }
                if (random.nextInt(3) == 0) {
                    expected = advance(expected, kept);
                }
                assertEquals(kept.size(), buffer.count());
                if (step % 50 == 0) {
                    compare(expected, kept);
                }
            }
            buffer.clear();
            assertEquals(0, buffer.count());
            assertEquals(0, pool.inUse());
            assertEquals(-1, buffer.firstKept(expected, expected));
        }
    }

    /** The expected PSN moves: over one, over what is kept behind it, or far as with a READ. */
    private long advance(long from, TreeMap<Long, Integer> kept) {
        long expected = from + (random.nextInt(10) == 0 ? 1 + random.nextInt(70_000) : 1);
        buffer.forget(from, expected);
        kept.headMap(expected).clear();
        while (kept.containsKey(expected)) {
            assertTrue(buffer.has(expected));
            assertEquals((int) expected & 0xFFFFFF, buffer.peek(expected, FLOW).psn());
            assertTrue(buffer.isSame(expected, buffer.peek(expected, FLOW)));
            buffer.drop(expected);
            int packets = kept.remove(expected);
            buffer.forget(expected, expected + packets);
            expected += packets;
            kept.headMap(expected).clear();
        }
        return expected;
    }

    private void compare(long expected, TreeMap<Long, Integer> kept) {
        for (int i = 0; i < 20; i++) {
            long seq = expected + random.nextInt(ReorderBuffer.LONG_WINDOW);
            assertEquals(kept.containsKey(seq), buffer.has(seq), () -> seq + " behind " + expected);
        }
        long at = expected;
        Map.Entry<Long, Integer> next = kept.ceilingEntry(at);
        while (next != null) {
            assertEquals(next.getKey(), buffer.firstKept(at, expected));
            at = next.getKey();
            for (Integer packets = kept.get(at); packets != null; packets = kept.get(at)) {
                at += packets;
            }
            assertEquals(at, buffer.endOfRun(next.getKey(), expected, MTU));
            next = kept.ceilingEntry(at);
        }
        assertEquals(-1, buffer.firstKept(at, expected));
    }

    @Test
    @DisplayName("R1 a page of the index counts as a frame, and leaves with the last request on it")
    void pagesAreFrames() {
        buffer.start(PEER);
        assertTrue(buffer.keep(0x100, request(0x100, 2)));
        assertTrue(buffer.keep(0x101, request(0x101, 2)));
        assertEquals(1152 + 2 * 128, pool.inUse());
        assertTrue(buffer.keep(0x1FFF, request(0x1FFF, 2)));
        assertEquals(2 * 1152 + 3 * 128, pool.inUse());
        buffer.drop(0x1FFF);
        buffer.drop(0x100);
        assertEquals(1152 + 128, pool.inUse());
        buffer.drop(0x101);
        assertEquals(0, pool.inUse());
    }

    @Test
    @DisplayName("R1 a request that finds no frame leaves no page behind")
    void nothingIsLeftWithoutAFrame() {
        FramePool small = new FramePool(FramePool.MIN_BYTES);
        ReorderBuffer alone = new ReorderBuffer(small);
        alone.start(PEER);
        long seq = 1;
        while (alone.keep(seq, request(seq, 1))) {
            seq += 256;
        }
        long used = small.inUse();
        assertTrue(used <= FramePool.MIN_BYTES / 3, used + " bytes");
        assertFalse(alone.keep(seq + 256, request(seq + 256, 1)));
        assertEquals(used, small.inUse());
        alone.stop();
        assertEquals(0, small.inUse());
    }
}
