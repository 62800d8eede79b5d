package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.WorkRequest;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Registered memory is free when its region is closed, whatever used it last. */
class MemoryReleaseTest {
    private static final int ATTEMPTS = 200;

    private enum Use {
        WRITE, READ, ATOMIC
    }

    private final NicPair nics = new NicPair();

    @ParameterizedTest
    @EnumSource(Use.class)
    @DisplayName("a queue pair keeps no reference to memory that was deregistered")
    void memoryIsFreeWhenItsRegionIsClosed(Use use) throws InterruptedException {
        WeakReference<ByteBuffer> memory = useAndDeregister(use);
        for (int i = 0; i < ATTEMPTS && memory.get() != null; i++) {
            System.gc();
            Thread.sleep(5);
        }
        assertNull(memory.get(), "the memory of a closed region is still reachable");
    }

    private WeakReference<ByteBuffer> useAndDeregister(Use use) {
        ByteBuffer memory = ByteBuffer.allocateDirect(1 << 16);
        MemoryRegion region = nics.right.domain.register(memory, AccessFlags.ALL);
        WorkRequest request = new WorkRequest().id(1);
        switch (use) {
            case WRITE -> request.write(region.address(), region.rKey()).add(nics.left.region, 0, 5000);
            case READ -> request.read(region.address(), region.rKey()).add(nics.left.region, 0, 5000);
            case ATOMIC -> request.fetchAndAdd(region.address(), region.rKey(), 1).add(nics.left.region, 0, 8);
        }
        nics.left.post(request);
        nics.run();
        assertEquals(CompletionStatus.SUCCESS, nics.left.take(1).status());
        region.close();
        return new WeakReference<>(memory);
    }
}
