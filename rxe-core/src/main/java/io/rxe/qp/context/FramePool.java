package io.rxe.qp.context;

import io.rxe.wire.Gid;
import io.rxe.wire.HeaderValidator;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Frames for packets that arrived behind a gap, shared by the queue pairs of an engine. Grows by chunks up to a bound. Allocates nothing
 * while packets arrive in order.
 *
 * <p>Neither a queue pair nor a peer can hold what all share: a queue pair gets a frame only while the frames it holds, plus those of its
 * peer, are fewer than those left. So a queue pair alone gets a third of the pool, a peer with many of them half of it.
 *
 * <p>The frames are on the heap. When registered buffers use up the direct memory, Java looks for more of it for half a second and longer,
 * asleep: on an engine's thread that ends connections.
 *
 * <p>Owned by the engine thread.
 */
public final class FramePool {
    /** What the queue pairs of one peer hold. */
    public static final class PeerShare {
        private final Gid peer;
        private int queuePairs;
        private int frames;

        private PeerShare(Gid peer) {
            this.peer = peer;
        }
    }

    /** Returned by {@link #acquire} when there is no frame for this queue pair. */
    public static final int NONE = -1;
    /** Frames of one chunk. */
    private static final int CHUNK = 64;
    /** A cache line more than the longest packet. */
    private static final int FRAME_BYTES = (HeaderValidator.MAX_LENGTH + 127) & ~63;

    /** After an allocation failed, requests for a frame until the next one is tried; each failure doubles it. */
    private static final int FIRST_PAUSE = 1 << 12;
    private static final int LONGEST_PAUSE = 1 << 20;

    private final int maxFrames;
    private final IntFunction<ByteBuffer> allocator;
    private UnsafeBuffer[] frames = new UnsafeBuffer[0];
    private int[] free = new int[0];
    private int freeCount;
    private int pause = FIRST_PAUSE;
    private int pauseLeft;
    private final Map<Gid, PeerShare> peers = new HashMap<>();

    /** @param maxFrames most frames it holds. */
    public FramePool(int maxFrames) {
        this(maxFrames, ByteBuffer::allocate);
    }

    /** @param allocator allocates a number of bytes, or throws OutOfMemoryError. */
    FramePool(int maxFrames, IntFunction<ByteBuffer> allocator) {
        this.maxFrames = maxFrames;
        this.allocator = allocator;
    }

    /** A queue pair connects to a peer; it must {@link #leave}. */
    public PeerShare join(Gid peer) {
        PeerShare share = peers.computeIfAbsent(peer, PeerShare::new);
        share.queuePairs++;
        return share;
    }

    /** A queue pair that holds no frames is reset. */
    public void leave(PeerShare share) {
        if (--share.queuePairs == 0) {
            peers.remove(share.peer);
        }
    }

    /**
     * Takes a frame for a queue pair that holds some already; {@link #NONE} when its share, that of its peer, the pool or memory is used
     * up.
     */
    public int acquire(PeerShare share, int held) {
        if (held + share.frames >= maxFrames - inUse() || freeCount == 0 && !grow()) {
            return NONE;
        }
        share.frames++;
        return free[--freeCount];
    }

    /** The buffer of a taken frame. */
    public UnsafeBuffer frame(int index) {
        return frames[index];
    }

    /** Returns a frame to the pool. */
    public void release(int index, PeerShare share) {
        share.frames--;
        free[freeCount++] = index;
    }

    /** Frames taken now. */
    public int inUse() {
        return frames.length - freeCount;
    }

    private boolean grow() {
        int count = Math.min(CHUNK, maxFrames - frames.length);
        if (count <= 0 || pauseLeft > 0 && --pauseLeft > 0) {
            return false;
        }
        int before = frames.length;
        UnsafeBuffer[] more;
        int[] places;
        try {
            ByteBuffer chunk = allocator.apply(count * FRAME_BYTES);
            more = Arrays.copyOf(frames, before + count);
            places = Arrays.copyOf(free, before + count);
            for (int i = 0; i < count; i++) {
                more[before + i] = new UnsafeBuffer(chunk.slice(i * FRAME_BYTES, FRAME_BYTES));
            }
        } catch (OutOfMemoryError e) {
            // Out-of-order packets are dropped, with a counter, until memory is free again; the peer retransmits them. Java collects
            // garbage before it gives up: at each packet that would stop the engine.
            pauseLeft = pause;
            pause = Math.min(2 * pause, LONGEST_PAUSE);
            return false;
        }
        pause = FIRST_PAUSE;
        frames = more;
        free = places;
        for (int i = 0; i < count; i++) {
            free[freeCount++] = before + i;
        }
        return true;
    }
}
