package io.rxe.qp.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The pool of frames for out-of-order packets at its bounds. */
public class FramePoolTest {
    private boolean memoryIsUsedUp = true;

    private int allocations;

    private ByteBuffer allocate(int bytes) {
        allocations++;
        if (memoryIsUsedUp) {
            throw new OutOfMemoryError("Cannot reserve " + bytes + " bytes of direct buffer memory");
        }
        return ByteBuffer.allocateDirect(bytes);
    }

    private static int takeAll(FramePool pool, FramePool.PeerShare share) {
        int held = 0;
        while (pool.acquire(share, held) != FramePool.NONE) {
            held++;
        }
        return held;
    }

    @Test
    @DisplayName("a queue pair alone holds a third of the pool, and queue pairs of one peer leave frames to another peer")
    void sharesAreBounded() {
        FramePool pool = new FramePool(192);
        FramePool.PeerShare greedy = pool.join(Gid.parse("10.0.0.1"));
        assertEquals(64, takeAll(pool, greedy));
        for (int i = 0; i < 10; i++) {
            takeAll(pool, greedy);
        }
        assertEquals(96, pool.inUse());
        assertTrue(takeAll(pool, pool.join(Gid.parse("10.0.0.2"))) > 0);
    }

    @Test
    @DisplayName("without memory there is no frame; with memory again there is")
    void withoutMemoryThereIsNoFrame() {
        FramePool pool = new FramePool(256, this::allocate);
        FramePool.PeerShare share = pool.join(Gid.parse("10.0.0.1"));
        assertEquals(FramePool.NONE, pool.acquire(share, 0));
        assertEquals(FramePool.NONE, pool.acquire(share, 0));
        memoryIsUsedUp = false;
        int frame = FramePool.NONE;
        for (int i = 0; i < 10_000 && frame == FramePool.NONE; i++) {
            frame = pool.acquire(share, 0);
        }
        assertNotEquals(FramePool.NONE, frame);
        assertTrue(pool.frame(frame).capacity() >= 4096);
        assertEquals(1, pool.inUse());
        memoryIsUsedUp = true;
        int taken = 1;
        while (pool.acquire(share, 0) != FramePool.NONE) {
            taken++;
        }
        assertEquals(64, taken, "a chunk that cannot be allocated changes nothing");
        assertEquals(64, pool.inUse());
    }

    @Test
    @DisplayName("without memory, Java collects garbage at each attempt: there is none at each packet behind a gap")
    void aFailedAllocationIsNotTriedAgainAtOnce() {
        FramePool pool = new FramePool(256, this::allocate);
        FramePool.PeerShare share = pool.join(Gid.parse("10.0.0.1"));
        for (int i = 0; i < 1_000_000; i++) {
            pool.acquire(share, 0);
        }
        assertEquals(8, allocations);
    }
}
