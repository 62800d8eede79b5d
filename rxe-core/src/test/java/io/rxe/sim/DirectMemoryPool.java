package io.rxe.sim;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Direct memory for one simulation, in blocks aligned to 64 bytes. The next simulation of the thread reuses it: allocation is slow. */
final class DirectMemoryPool {
    private static final ThreadLocal<ByteBuffer> CACHE = new ThreadLocal<>();
    private static final byte[] PATTERN = new byte[4096];

    static {
        Arrays.fill(PATTERN, ElementLayout.UNTOUCHED);
    }

    private ByteBuffer memoryPool;
    private int used;

    DirectMemoryPool() {
        memoryPool = CACHE.get();
        if (memoryPool == null) {
            renew(4 << 20);
        }
    }

    private void renew(int bytes) {
        memoryPool = ByteBuffer.allocateDirect(bytes).alignedSlice(64);
        CACHE.set(memoryPool);
        used = 0;
    }

    /** Allocates a block filled with {@link ElementLayout#UNTOUCHED}. */
    ByteBuffer allocate(int bytes) {
        int rounded = bytes + 63 & ~63;
        if (used + rounded > memoryPool.capacity()) {
            // Allocated blocks stay valid: they keep the old buffer reachable.
            renew(Math.max(2 * memoryPool.capacity(), 2 * rounded));
        }
        ByteBuffer block = memoryPool.slice(used, rounded);
        used += rounded;
        for (int at = 0; at < rounded; at += PATTERN.length) {
            block.put(at, PATTERN, 0, Math.min(PATTERN.length, rounded - at));
        }
        return block.slice(0, bytes);
    }
}
