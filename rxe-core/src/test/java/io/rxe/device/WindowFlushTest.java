package io.rxe.device;

import static io.rxe.device.WindowPair.BASE;
import static io.rxe.device.WindowPair.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.FlushLevel;
import io.rxe.verbs.FlushType;
import io.rxe.verbs.MemoryBinding;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.MemoryWindow;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** FLUSH through a memory window: rules W1, W2, R21. */
class WindowFlushTest {
    private static final int OFFSET = 1000;
    private static final int LENGTH = 64;

    private final WindowPair pair = new WindowPair();

    @BeforeEach
    void peersKnowFlush() {
        pair.nics.unguarded();
    }

    private MemoryWindow bound(MemoryRegion region, int access) {
        MemoryWindow window = pair.owner.domain.allocateWindow(MemoryWindowType.TYPE_2);
        pair.succeeds(new WorkRequest().id(1).bindWindow(window, window.nextRKey(),
            new MemoryBinding(region, region.address() + OFFSET, LENGTH, access)));
        return window;
    }

    private CompletionStatus flush(long address, int key, long bytes, int type, FlushLevel level) {
        WorkCompletion completion = pair.run(pair.peer, new WorkRequest().id(9).flush(address, key, bytes, type, level));
        return completion.status();
    }

    @Test
    @DisplayName("W2 R21 a window with FLUSH_GLOBAL is flushed, in part and as a whole, although its region grants no FLUSH")
    void aWindowIsFlushed() {
        int key = bound(pair.region, WRITE | AccessFlags.FLUSH_GLOBAL).rKey();
        assertEquals(CompletionStatus.SUCCESS, flush(BASE + OFFSET + 8, key, 16, FlushType.GLOBAL, FlushLevel.RANGE));
        assertEquals(CompletionStatus.SUCCESS, flush(0, key, 0, FlushType.GLOBAL, FlushLevel.REGION));
    }

    @Test
    @DisplayName("W2 R21 what lies outside the window is refused, although the region has it")
    void outsideIsRefused() {
        int key = bound(pair.region, AccessFlags.FLUSH_GLOBAL).rKey();
        assertEquals(CompletionStatus.REM_ACCESS_ERR, flush(BASE + OFFSET, key, LENGTH + 1, FlushType.GLOBAL, FlushLevel.RANGE));
    }

    @Test
    @DisplayName("W2 R21 a window without the right is not flushed")
    void withoutTheRightItIsRefused() {
        int key = bound(pair.region, WRITE).rKey();
        assertEquals(CompletionStatus.REM_ACCESS_ERR, flush(0, key, 0, FlushType.GLOBAL, FlushLevel.REGION));
    }

    @Test
    @DisplayName("W2 R21 the window of another queue pair is not flushed, not even as a whole")
    void ofAnotherQueuePairItIsRefused() {
        int key = pair.boundByOther(AccessFlags.FLUSH_GLOBAL);
        assertEquals(CompletionStatus.REM_ACCESS_ERR, flush(0, key, 0, FlushType.GLOBAL, FlushLevel.REGION));
    }

    @Test
    @DisplayName("W1 a window with FLUSH_PERSISTENT needs a region with that right: MW_BIND_ERR")
    void persistenceNeedsARegionWithIt() {
        MemoryWindow window = pair.owner.domain.allocateWindow(MemoryWindowType.TYPE_2);
        pair.fails(CompletionStatus.MW_BIND_ERR, new WorkRequest().id(1).bindWindow(window, window.nextRKey(),
            MemoryBinding.of(pair.region, AccessFlags.FLUSH_PERSISTENT)), "does not grant FLUSH_PERSISTENT");
    }

    @Test
    @DisplayName("W2 R21 a window of a mapped file is forced to it")
    void aWindowOfAFileIsForced(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("store");
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemoryRegion region = pair.owner.domain.register(file.map(FileChannel.MapMode.READ_WRITE, 0, 8192),
                AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND | AccessFlags.FLUSH_PERSISTENT);
            MemoryWindow window = bound(region, WRITE | AccessFlags.FLUSH_PERSISTENT);
            assertEquals(CompletionStatus.SUCCESS, flush(region.address() + OFFSET, window.rKey(), LENGTH, FlushType.PERSISTENT,
                FlushLevel.RANGE));
            window.close();
            region.close();
        }
    }
}
