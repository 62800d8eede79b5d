package io.rxe.qp.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pool of frames for out-of-order packets at its bounds. */
public class FramePoolTest {
    private static final int FRAME = 1152;
    private static final int PACKET = 1064;

    private boolean memoryIsUsedUp = true;

    private int allocations;

    private ByteBuffer allocate(int bytes) {
        allocations++;
        if (memoryIsUsedUp) {
            throw new OutOfMemoryError("Cannot reserve " + bytes + " bytes of direct buffer memory");
        }
        return ByteBuffer.allocateDirect(bytes);
    }

    private static Gid peer(int number) {
        return Gid.parse("10.0.0." + number);
    }

    /** Takes all that a queue pair gets; returns the number of frames. */
    private static int takeAll(FramePool pool, FramePool.PeerShare share) {
        long held = 0;
        int frame = pool.acquire(share, held, PACKET);
        while (frame != FramePool.NONE) {
            held += pool.frameBytes(frame);
            frame = pool.acquire(share, held, PACKET);
        }
        return (int) (held / FRAME);
    }

    @Test
    @DisplayName("R1 a queue pair alone holds a third of the pool, and queue pairs of one peer leave frames to another peer")
    void sharesAreBounded() {
        FramePool pool = new FramePool(1200 * FRAME);
        FramePool.PeerShare greedy = pool.join(peer(1));
        assertEquals(400, pool.available(greedy, 0, PACKET));
        assertEquals(400, takeAll(pool, greedy));
        assertEquals(0, pool.available(greedy, 400 * FRAME, PACKET));
        for (int i = 0; i < 1000; i++) {
            takeAll(pool, greedy);
        }
        assertEquals(600 * FRAME, pool.inUse());
        assertEquals(200, takeAll(pool, pool.join(peer(2))));
    }

    @Test
    @DisplayName("R1 M1 a queue pair whose peer moves takes what it holds to the share of the other address")
    void aQueuePairMoves() {
        FramePool pool = new FramePool(1200 * FRAME);
        FramePool.PeerShare share = pool.join(peer(1));
        int frame = pool.acquire(share, 0, PACKET);
        FramePool.PeerShare moved = pool.move(share, peer(2), FRAME);
        FramePool.PeerShare second = pool.join(peer(2));
        assertEquals((1200 - 2) / 3, pool.available(second, 0, PACKET));
        assertEquals((1200 - 1) / 3, pool.available(pool.join(peer(1)), 0, PACKET));
        pool.release(frame, moved);
        assertEquals(400, pool.available(second, 0, PACKET));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 128, 129, 1152, 1153, 4224})
    @DisplayName("R1 the pool is bounded in bytes whatever the size of its frames, frames do not overlap, and a released one is used again")
    void thePoolIsBounded(int bytes) {
        int max = 3 << 20;
        FramePool pool = new FramePool(max);
        List<Integer> frames = new ArrayList<>();
        List<FramePool.PeerShare> shares = new ArrayList<>();
        Map<Long, Integer> places = new HashMap<>();
        FramePool.PeerShare share = pool.join(peer(0));
        for (int frame = pool.acquire(share, 0, bytes); frame != FramePool.NONE; frame = pool.acquire(share, 0, bytes)) {
            frames.add(frame);
            shares.add(share);
            assertTrue(pool.frameBytes(frame) >= bytes);
            pool.buffer(frame).boundsCheck(pool.offset(frame), pool.frameBytes(frame));
            long place = (long) System.identityHashCode(pool.buffer(frame)) << 32 | pool.offset(frame) / pool.frameBytes(frame);
            assertEquals(null, places.put(place, frame));
            pool.buffer(frame).putInt(pool.offset(frame), frame);
            share = pool.join(Gid.parse("10." + frames.size() / 65536 + "." + frames.size() / 256 % 256 + "." + frames.size() % 256));
        }
        assertTrue(pool.inUse() <= max && pool.inUse() > max - (max >> 4), pool.inUse() + " bytes in use");
        frames.forEach(frame -> assertEquals(frame, pool.buffer(frame).getInt(pool.offset(frame))));
        int middle = frames.size() / 2;
        pool.release(frames.get(middle), shares.get(middle));
        assertEquals(frames.get(middle), pool.acquire(shares.get(middle), 0, bytes));
    }

    @Test
    @DisplayName("R1 memory that frames of one size leave serves another size")
    void memoryServesEverySize() {
        FramePool pool = new FramePool(1 << 20);
        FramePool.PeerShare share = pool.join(peer(1));
        for (int bytes : new int[] {128, 4224, 384, 4224, 128, 1152}) {
            List<Integer> frames = new ArrayList<>();
            long held = 0;
            for (int frame = pool.acquire(share, 0, bytes); frame != FramePool.NONE; frame = pool.acquire(share, 0, bytes)) {
                frames.add(frame);
                held += pool.frameBytes(frame);
            }
            assertTrue(held > (1 << 19) - 5000, held + " bytes in frames of " + bytes);
            assertEquals(held, pool.inUse());
            frames.forEach(frame -> pool.release(frame, share));
            assertEquals(0, pool.inUse());
        }
    }

    @Test
    @DisplayName("R1 frames of all sizes, taken and released in any order, never overlap")
    void framesNeverOverlap() {
        Random random = new Random(5);
        FramePool pool = new FramePool(1 << 20);
        FramePool.PeerShare share = pool.join(peer(1));
        List<int[]> taken = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            boolean isFull = false;
            if (random.nextInt(100) < (i / 500 % 2 == 0 ? 60 : 40)) {
                int bytes = 1 + random.nextInt(random.nextBoolean() ? 120 : 4200);
                int frame = pool.acquire(share, 0, bytes);
                isFull = frame == FramePool.NONE;
                if (!isFull) {
                    pool.buffer(frame).setMemory(pool.offset(frame), bytes, (byte) i);
                    taken.add(new int[] {frame, bytes, (byte) i});
                }
            }
            if (!taken.isEmpty() && (isFull || random.nextBoolean())) {
                int[] frame = taken.remove(random.nextInt(taken.size()));
                for (int at = 0; at < frame[1]; at += 97) {
                    assertEquals(frame[2], pool.buffer(frame[0]).getByte(pool.offset(frame[0]) + at));
                }
                pool.release(frame[0], share);
            }
        }
        taken.forEach(frame -> pool.release(frame[0], share));
        assertEquals(0, pool.inUse());
    }

    @Test
    @DisplayName("without memory there is no frame; with memory again there is")
    void withoutMemoryThereIsNoFrame() {
        FramePool pool = new FramePool(1 << 20, this::allocate);
        FramePool.PeerShare share = pool.join(peer(1));
        assertEquals(FramePool.NONE, pool.acquire(share, 0, PACKET));
        assertEquals(FramePool.NONE, pool.acquire(share, 0, PACKET));
        memoryIsUsedUp = false;
        int frame = FramePool.NONE;
        for (int i = 0; i < 10_000 && frame == FramePool.NONE; i++) {
            frame = pool.acquire(share, 0, PACKET);
        }
        assertNotEquals(FramePool.NONE, frame);
        assertEquals(FRAME, pool.inUse());
        memoryIsUsedUp = true;
        int taken = 1;
        while (pool.acquire(share, 0, PACKET) != FramePool.NONE) {
            taken++;
        }
        assertEquals((1 << 18) / FRAME, taken, "a chunk that cannot be allocated changes nothing");
        assertEquals(taken * FRAME, pool.inUse());
    }

    @Test
    @DisplayName("without memory, Java collects garbage at each attempt: there is none at each packet behind a gap")
    void aFailedAllocationIsNotTriedAgainAtOnce() {
        FramePool pool = new FramePool(1 << 20, this::allocate);
        FramePool.PeerShare share = pool.join(peer(1));
        for (int i = 0; i < 1_000_000; i++) {
            pool.acquire(share, 0, PACKET);
        }
        assertEquals(8, allocations);
    }
}
