package io.rxe.sim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * Direct memory for one simulation, in blocks aligned to 64 bytes, or memory of a mapped file. The next simulation of the thread reuses
 * both: allocation is slow.
 */
final class DirectMemoryPool {
    private static final ThreadLocal<ByteBuffer> CACHE = new ThreadLocal<>();
    private static final ThreadLocal<ByteBuffer> FILE_CACHE = new ThreadLocal<>();
    private static final byte[] PATTERN = new byte[4096];

    static {
        Arrays.fill(PATTERN, ElementLayout.UNTOUCHED);
    }

    private final ThreadLocal<ByteBuffer> cache;
    private ByteBuffer memoryPool;
    private int used;

    DirectMemoryPool(boolean ofFile) {
        cache = ofFile ? FILE_CACHE : CACHE;
        memoryPool = cache.get();
        if (memoryPool == null) {
            renew(4 << 20);
        }
    }

    /** Whether its memory can be flushed to persistence. */
    boolean isOfFile() {
        return cache == FILE_CACHE;
    }

    private void renew(int bytes) {
        memoryPool = cache == FILE_CACHE ? mapFile(bytes) : ByteBuffer.allocateDirect(bytes).alignedSlice(64);
        cache.set(memoryPool);
        used = 0;
    }

    /** Maps a file without a name, in memory where the system has a place for such files. */
    private static ByteBuffer mapFile(int bytes) {
        Path shared = Path.of("/dev/shm");
        try {
            Path file = Files.isWritable(shared) ? Files.createTempFile(shared, "rxe-sim", null) : Files.createTempFile("rxe-sim", null);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                return channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot map a temporary file of " + bytes + " bytes", e);
        }
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
