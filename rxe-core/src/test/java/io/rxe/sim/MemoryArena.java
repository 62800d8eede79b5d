package io.rxe.sim;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Direct memory for one simulation, cut into blocks that begin on 64 bytes; used again by the next one, because direct memory is dear. */
final class MemoryArena {
    private static final ThreadLocal<ByteBuffer> CACHE = new ThreadLocal<>();
    private static final byte[] PATTERN = new byte[4096];

    static {
        Arrays.fill(PATTERN, Pieces.UNTOUCHED);
    }

    private ByteBuffer arena;
    private int used;

    MemoryArena() {
        arena = CACHE.get();
        if (arena == null) {
            renew(4 << 20);
        }
    }

    private void renew(int bytes) {
        arena = ByteBuffer.allocateDirect(bytes).alignedSlice(64);
        CACHE.set(arena);
        used = 0;
    }

    /** A block of so many bytes, all {@link Pieces#UNTOUCHED}. */
    ByteBuffer allocate(int bytes) {
        int rounded = bytes + 63 & ~63;
        if (used + rounded > arena.capacity()) {
            // Blocks handed out stay valid: they keep the old arena reachable.
            renew(Math.max(2 * arena.capacity(), 2 * rounded));
        }
        ByteBuffer block = arena.slice(used, rounded);
        used += rounded;
        for (int at = 0; at < rounded; at += PATTERN.length) {
            block.put(at, PATTERN, 0, Math.min(PATTERN.length, rounded - at));
        }
        return block.slice(0, bytes);
    }
}
