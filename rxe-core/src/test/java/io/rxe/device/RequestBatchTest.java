package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.MemoryBinding;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.MemoryWindow;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.RequestBatch;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** Requests that are filled in where the queue keeps them do what copied ones do, and are refused with the same sentences. */
class RequestBatchTest {
    private final NicPair nics = new NicPair();
    private final NicPair.End a = nics.left;
    private final NicPair.End b = nics.right;

    @Test
    @DisplayName("a batch of every kind moves its data and completes in order; slots that were used before keep nothing")
    void movesData() {
        for (int lap = 0; lap < 40; lap++) {
            try (RequestBatch<ReceiveRequest> batch = b.pair.beginReceives()) {
                batch.next().id(10).add(b.region, 0, 8);
                assertTrue(batch.post());
                batch.next().id(11).add(b.region, 8, 4).add(b.region, 12, 4);
                assertTrue(batch.post());
            }
            a.memory.putLong(0, lap + 1);
            try (RequestBatch<WorkRequest> batch = a.pair.beginSends()) {
                batch.next().send().id(1).add(a.region, 0, 8);
                assertTrue(batch.post());
                batch.next().sendWithImmediate(lap).id(2).inline(ByteBuffer.allocate(8).putLong(0, -lap));
                assertTrue(batch.post());
                batch.next().read(b.region.address(), b.region.rKey()).id(3).add(a.region, 64, 8);
                assertTrue(batch.post());
            }
            nics.run();
            for (int id = 1; id <= 3; id++) {
                assertTrue(a.take(id).isSuccess());
            }
            assertFalse(b.take(10).hasImmediate());
            assertEquals(lap, b.take(11).immediate());
            assertEquals(lap + 1, b.memory.getLong(0));
            assertEquals(-lap, b.memory.getLong(8));
            assertEquals(lap + 1, a.memory.getLong(64));
        }
    }

    @Test
    @DisplayName("a window is bound in a batch")
    void bindsWindow() {
        MemoryWindow window = a.domain.allocateWindow(MemoryWindowType.TYPE_2);
        MemoryRegion region = a.domain.register(a.memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.MW_BIND);
        int key = window.nextRKey();
        try (RequestBatch<WorkRequest> batch = a.pair.beginSends()) {
            batch.next().bindWindow(null, 0, MemoryBinding.NONE);
            assertTrue(assertThrows(IllegalArgumentException.class, batch::post).getMessage().contains("memory window is null"));
            batch.next().bindWindow(window, key, new MemoryBinding(region, region.address(), 64, AccessFlags.REMOTE_WRITE)).id(1);
            assertTrue(batch.post());
        }
        nics.run();
        assertTrue(a.take(1).isSuccess());
        b.post(new WorkRequest().write(region.address(), key).id(2).inline(ByteBuffer.allocate(8).putLong(0, 77)));
        nics.run();
        assertTrue(b.take(2).isSuccess());
        assertEquals(77, a.memory.getLong(0));
    }

    @Test
    @DisplayName("what is withdrawn never leaves, and a window keeps its key; the batch goes on")
    void withdraws() {
        MemoryWindow window = a.domain.allocateWindow(MemoryWindowType.TYPE_2);
        int key = window.rKey();
        try (RequestBatch<WorkRequest> batch = a.pair.beginSends();
             RequestBatch<ReceiveRequest> receives = b.pair.beginReceives()) {
            batch.next().bindWindow(window, window.nextRKey(), MemoryBinding.NONE).id(1);
            assertTrue(batch.post());
            batch.next().send().id(2);
            assertTrue(batch.post());
            batch.next();
            batch.withdraw();
            assertTrue(refusal(batch::post).contains("call next()"));
            batch.next().sendWithImmediate(77).id(3);
            assertTrue(batch.post());
            receives.next().id(4);
            assertTrue(receives.post());
            receives.withdraw();
            receives.next().id(5);
            assertTrue(receives.post());
        }
        nics.run();
        assertEquals(key, window.rKey());
        assertTrue(a.take(3).isSuccess());
        assertEquals(77, b.take(5).immediate());
        assertEquals(0, a.pair.outstandingSends());
    }

    @Test
    @DisplayName("a refused request is not posted, says what a copied one says, and the batch goes on")
    void refuses() {
        WorkRequest tooLong = new WorkRequest().write(0, 0).inline(ByteBuffer.allocate(4096));
        String copied = assertThrows(IllegalArgumentException.class, () -> a.pair.postSend(tooLong)).getMessage();
        try (RequestBatch<WorkRequest> batch = a.pair.beginSends()) {
            batch.next().write(0, 0).inline(ByteBuffer.allocate(4096));
            assertEquals(copied, assertThrows(IllegalArgumentException.class, batch::post).getMessage());
            batch.next().write(b.region.address(), b.region.rKey()).id(1).add(a.region, 0, 8);
            assertTrue(batch.post());
        }
        nics.run();
        assertTrue(a.take(1).isSuccess());
        assertEquals(0, a.pair.outstandingSends());
    }

    @Test
    @DisplayName("a full queue refuses, and takes requests again when there is room")
    void isFull() {
        List<Integer> posted = new ArrayList<>();
        try (RequestBatch<WorkRequest> batch = a.pair.beginSends()) {
            do {
                posted.add(posted.size());
                batch.next().write(b.region.address(), b.region.rKey()).id(posted.size()).signaled(false).add(a.region, 0, 8);
            } while (batch.post());
        }
        assertEquals(a.pair.capabilities().maxSendRequests() + 1, posted.size());
        nics.run();
        a.post(new WorkRequest().id(7).write(b.region.address(), b.region.rKey()).add(a.region, 0, 8));
        nics.run();
        assertTrue(a.take(7).isSuccess());
    }

    @Test
    @DisplayName("a shared receive queue takes requests in place, until it is full or closed")
    void sharedReceives() {
        SharedReceiveQueue shared = b.domain.createSharedReceiveQueue(2, 1);
        assertThrows(IllegalStateException.class, () -> b.domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, b.queue,
            b.queue).withSharedReceiveQueue(shared)).beginReceives());
        try (RequestBatch<ReceiveRequest> batch = shared.beginReceives()) {
            batch.next().add(b.region, 0, 8).add(b.region, 8, 8);
            assertTrue(assertThrows(IllegalArgumentException.class, batch::post).getMessage().contains("maxElements 1"));
            for (int i = 0; i < 3; i++) {
                batch.next().add(b.region, 0, 8);
                assertEquals(i < 2, batch.post());
            }
        }
        assertEquals(2, shared.size());
        RequestBatch<ReceiveRequest> batch = shared.beginReceives();
        batch.next();
        assertTrue(refusal(() -> shared.resize(4)).contains("this thread has begun a batch"));
        shared.close();
        assertTrue(refusal(batch::post).contains("is closed"));
        batch.close();
        assertTrue(refusal(shared::beginReceives).contains("is closed: create another"));
    }

    @Test
    @DisplayName("a queue pair that was closed begins no batch")
    void closed() {
        a.pair.close();
        assertTrue(refusal(a.pair::beginSends).contains("is closed: create another"));
        assertTrue(refusal(a.pair::beginReceives).contains("is closed: create another"));
    }

    private static String refusal(Executable call) {
        return assertThrows(IllegalStateException.class, call).getMessage();
    }

    @Test
    @Timeout(10)
    @DisplayName("a thread that posts beside its own batch is refused instead of waiting for itself, and so is a second batch")
    void besideItsOwn() {
        String word = "this thread has begun a batch of this queue";
        try (RequestBatch<WorkRequest> batch = a.pair.beginSends();
             RequestBatch<ReceiveRequest> receives = a.pair.beginReceives()) {
            assertTrue(refusal(() -> a.pair.postSend(new WorkRequest().send())).contains(word));
            assertTrue(refusal(a.pair::beginSends).contains(word));
            assertTrue(refusal(() -> a.pair.postReceive(new ReceiveRequest())).contains(word));
            batch.next().write(b.region.address(), b.region.rKey()).id(1).add(a.region, 0, 8);
            assertTrue(batch.post());
            receives.next();
        }
        nics.run();
        assertTrue(a.take(1).isSuccess());
    }

    @Test
    @Timeout(10)
    @DisplayName("a batch that is closed again lets nobody into the batch of another thread, and neither does one that is used there")
    void closedTwice() throws Exception {
        RequestBatch<WorkRequest> batch = a.pair.beginSends();
        batch.close();
        CountDownLatch filled = new CountDownLatch(1);
        CountDownLatch triedToEnter = new CountDownLatch(1);
        FutureTask<Void> other = new FutureTask<>(() -> {
            RequestBatch<WorkRequest> own = a.pair.beginSends();
            own.next().write(b.region.address(), b.region.rKey()).id(1).add(a.region, 0, 8);
            filled.countDown();
            triedToEnter.await();
            assertTrue(own.post());
            own.close();
            return null;
        });
        new Thread(other).start();
        filled.await();
        batch.close();
        assertTrue(refusal(batch::next).contains("has no open batch"));
        assertTrue(refusal(batch::post).contains("has no open batch"));
        triedToEnter.countDown();
        other.get();
        nics.run();
        assertTrue(a.take(1).isSuccess());
        assertEquals(0, a.pair.outstandingSends());
    }

    @Test
    @DisplayName("a request is posted once: what follows needs another")
    void postedOnce() {
        try (RequestBatch<WorkRequest> batch = a.pair.beginSends()) {
            assertTrue(refusal(batch::post).contains("call next()"));
            batch.next().write(b.region.address(), b.region.rKey()).id(1).add(a.region, 0, 8);
            assertTrue(batch.post());
            assertTrue(refusal(batch::post).contains("call next()"));
        }
        nics.run();
        assertTrue(a.take(1).isSuccess());
    }
}
