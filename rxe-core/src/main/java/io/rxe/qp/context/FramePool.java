package io.rxe.qp.context;

import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Frames for packets that arrived behind a gap, shared by the queue pairs of an engine. Grows by chunks up to a number of bytes. Allocates
 * nothing while packets arrive in order.
 *
 * <pre>
 *   chunk 0   | 1152 | 1152 | 1152 | ...      frames of one size in each chunk
 *   chunk 1   | 128 | 128 | 128 | 128 | ...   a chunk of which no frame is taken serves any size
 * </pre>
 *
 * <p>Neither a queue pair nor a peer can hold what all share: a queue pair gets a frame only while the bytes it holds, plus those of its
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
        private long bytes;

        private PeerShare(Gid peer) {
            this.peer = peer;
        }
    }

    /** Memory for frames of one size; which of them are free. */
    private static final class Chunk {
        private final UnsafeBuffer buffer;
        private final short[] free;
        private int frameBytes;
        private int frames;
        private int freeCount;

        private Chunk(ByteBuffer bytes) {
            buffer = new UnsafeBuffer(bytes);
            free = new short[buffer.capacity() / SIZES[0]];
        }

        private void divide(int bytes) {
            frameBytes = bytes;
            frames = buffer.capacity() / bytes;
            for (freeCount = 0; freeCount < frames; freeCount++) {
                free[freeCount] = (short) (frames - 1 - freeCount);
            }
        }
    }

    /** Returned by {@link #acquire} when there is no frame for this queue pair. */
    public static final int NONE = -1;
    /** Fewest bytes of a pool: some packets of the longest kind. */
    public static final int MIN_BYTES = 1 << 16;

    /** Bytes of a frame: a READ request, or the headers and the payload of a full packet of each path MTU. */
    private static final int[] SIZES = {128, 256 + 128, 512 + 128, 1024 + 128, 2048 + 128, 4096 + 128};
    private static final int CHUNK_BYTES = 1 << 18;
    /** A frame is the number of its chunk and its place in it. */
    private static final int PLACE_BITS = 11;
    private static final int PLACE_MASK = (1 << PLACE_BITS) - 1;

    /** After an allocation failed, requests for a frame until the next one is tried; each failure doubles it. */
    private static final int FIRST_PAUSE = 1 << 12;
    private static final int LONGEST_PAUSE = 1 << 20;

    private final long maxBytes;
    private final IntFunction<ByteBuffer> allocator;
    private final Map<Gid, PeerShare> peers = new HashMap<>();
    private Chunk[] chunks = new Chunk[0];
    /** For each size the chunks with a free frame and a taken one, then a row of those without a taken one. */
    private final int[][] open = new int[SIZES.length + 1][0];
    private final int[] openCount = new int[SIZES.length + 1];
    private long allocatedBytes;
    private long usedBytes;
    private int pause = FIRST_PAUSE;
    private int pauseLeft;

    /** @param maxBytes most bytes it holds. */
    public FramePool(long maxBytes) {
        this(maxBytes, ByteBuffer::allocate);
    }

    /** @param allocator allocates a number of bytes, or throws OutOfMemoryError. */
    FramePool(long maxBytes, IntFunction<ByteBuffer> allocator) {
        this.maxBytes = maxBytes;
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

    /** A queue pair reaches its peer at another address from now on: takes what it holds with it, and returns its share there. */
    public PeerShare move(PeerShare share, Gid peer, long heldBytes) {
        PeerShare moved = join(peer);
        share.bytes -= heldBytes;
        moved.bytes += heldBytes;
        leave(share);
        return moved;
    }

    /**
     * Takes a frame for a queue pair that holds some bytes already; {@link #NONE} when its share, that of its peer, the pool or memory is
     * used up.
     *
     * @param bytes at most 4224.
     */
    public int acquire(PeerShare share, long heldBytes, int bytes) {
        int size = sizeOf(bytes);
        if (heldBytes + share.bytes + SIZES[size] > maxBytes - inUse() || openCount[size] == 0 && !open(size)) {
            return NONE;
        }
        int number = open[size][openCount[size] - 1];
        Chunk chunk = chunks[number];
        int place = chunk.free[--chunk.freeCount];
        if (chunk.freeCount == 0) {
            openCount[size]--;
        }
        share.bytes += chunk.frameBytes;
        usedBytes += chunk.frameBytes;
        return number << PLACE_BITS | place;
    }

    private static int sizeOf(int bytes) {
        int size = 0;
        while (SIZES[size] < bytes) {
            size++;
        }
        return size;
    }

    /** Frames that a queue pair could take now for packets of a length. */
    public long available(PeerShare share, long heldBytes, int bytes) {
        // Each frame taken makes the share larger, what is left smaller, and what the queue pair holds larger.
        return Math.max(0, (maxBytes - inUse() - heldBytes - share.bytes) / (3L * SIZES[sizeOf(bytes)]));
    }

    /** The buffer that a taken frame lies in. */
    public UnsafeBuffer buffer(int frame) {
        return chunks[frame >>> PLACE_BITS].buffer;
    }

    /** Where a taken frame begins. */
    public int offset(int frame) {
        return (frame & PLACE_MASK) * frameBytes(frame);
    }

    /** Bytes of a taken frame, at least those asked for. */
    public int frameBytes(int frame) {
        return chunks[frame >>> PLACE_BITS].frameBytes;
    }

    public void release(int frame, PeerShare share) {
        int number = frame >>> PLACE_BITS;
        Chunk chunk = chunks[number];
        share.bytes -= chunk.frameBytes;
        usedBytes -= chunk.frameBytes;
        chunk.free[chunk.freeCount++] = (short) (frame & PLACE_MASK);
        int size = sizeOf(chunk.frameBytes);
        if (chunk.freeCount == 1) {
            push(size, number);
        }
        if (chunk.freeCount == chunk.frames) {
            remove(size, number);
            push(SIZES.length, number);
        }
    }

    /** Bytes of the frames taken now. */
    public long inUse() {
        return usedBytes;
    }

    /** Finds a chunk for frames of a size. */
    private boolean open(int size) {
        if (openCount[SIZES.length] == 0 && !grow()) {
            return false;
        }
        int number = open[SIZES.length][--openCount[SIZES.length]];
        chunks[number].divide(SIZES[size]);
        push(size, number);
        return true;
    }

    private void push(int row, int number) {
        open[row][openCount[row]++] = number;
    }

    private void remove(int row, int number) {
        int at = 0;
        while (open[row][at] != number) {
            at++;
        }
        System.arraycopy(open[row], at + 1, open[row], at, --openCount[row] - at);
    }

    private boolean grow() {
        int bytes = (int) Math.min(CHUNK_BYTES, maxBytes - allocatedBytes);
        if (bytes < SIZES[SIZES.length - 1] || pauseLeft > 0 && --pauseLeft > 0) {
            return false;
        }
        int number = chunks.length;
        try {
            Chunk chunk = new Chunk(allocator.apply(bytes));
            Chunk[] more = Arrays.copyOf(chunks, number + 1);
            for (int row = 0; row < open.length; row++) {
                open[row] = Arrays.copyOf(open[row], number + 1);
            }
            more[number] = chunk;
            chunks = more;
        } catch (OutOfMemoryError e) {
            // Out-of-order packets are dropped, with a counter, until memory is free again; the peer retransmits them. Java collects
            // garbage before it gives up: at each packet that would stop the engine.
            pauseLeft = pause;
            pause = Math.min(2 * pause, LONGEST_PAUSE);
            return false;
        }
        pause = FIRST_PAUSE;
        allocatedBytes += bytes;
        push(SIZES.length, number);
        return true;
    }
}
