package io.rxe.qp;

import io.rxe.wire.HeaderValidator;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Room for packets that have to wait, shared by the queue pairs of an engine. Grows by chunks up to a bound; nothing is allocated
 * while packets arrive in order.
 *
 * <p>Owned by the engine thread.
 */
public final class FramePool {
    /** Answer of {@link #acquire} when every frame is taken. */
    public static final int NONE = -1;
    /** Frames of one chunk. */
    private static final int CHUNK = 64;
    /** A cache line more than the longest packet. */
    private static final int FRAME_BYTES = (HeaderValidator.MAX_LENGTH + 127) & ~63;

    private final int maxFrames;
    private UnsafeBuffer[] frames = new UnsafeBuffer[0];
    private int[] free = new int[0];
    private int freeCount;

    /** @param maxFrames most frames it holds. */
    public FramePool(int maxFrames) {
        this.maxFrames = maxFrames;
    }

    /** Takes a frame; {@link #NONE} when the bound is reached. */
    public int acquire() {
        if (freeCount == 0 && !grow()) {
            return NONE;
        }
        return free[--freeCount];
    }

    /** The buffer of a taken frame. */
    public UnsafeBuffer frame(int index) {
        return frames[index];
    }

    /** Gives a frame back. */
    public void release(int index) {
        free[freeCount++] = index;
    }

    /** Frames taken now. */
    public int inUse() {
        return frames.length - freeCount;
    }

    private boolean grow() {
        int count = Math.min(CHUNK, maxFrames - frames.length);
        if (count <= 0) {
            return false;
        }
        int before = frames.length;
        frames = Arrays.copyOf(frames, before + count);
        free = Arrays.copyOf(free, before + count);
        ByteBuffer chunk = ByteBuffer.allocateDirect(count * FRAME_BYTES);
        for (int i = 0; i < count; i++) {
            frames[before + i] = new UnsafeBuffer(chunk.slice(i * FRAME_BYTES, FRAME_BYTES));
            free[freeCount++] = before + i;
        }
        return true;
    }
}
