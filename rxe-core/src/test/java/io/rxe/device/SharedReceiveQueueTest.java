package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.port.EngineThread;
import io.rxe.port.MulticastPort;
import io.rxe.port.OwnThread;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.RequestBatch;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.wire.Gid;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A shared receive queue between the thread of its engine, where a listener posts, and threads that resize and close it. */
class SharedReceiveQueueTest {
    private static final long DEADLOCK_AFTER_S = 20;

    /** An engine thread that runs a listener before each command, as one that is busy when the command comes. */
    private static final class BusyThread implements EngineThread {
        private Runnable listener = () -> { };
        private final CountDownLatch firstCall = new CountDownLatch(1);
        private RuntimeException thrown;

        @Override
        public void call(Runnable command) {
            Thread engine = new Thread(() -> {
                listener.run();
                try {
                    command.run();
                } catch (RuntimeException e) {
                    thrown = e;
                }
            });
            engine.setDaemon(true);
            engine.start();
            try {
                engine.join(TimeUnit.SECONDS.toMillis(DEADLOCK_AFTER_S));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            } finally {
                firstCall.countDown();
            }
            assertFalse(engine.isAlive(), "the engine's thread waits for the thread that waits for it");
            if (thrown != null) {
                RuntimeException mine = thrown;
                thrown = null;
                throw mine;
            }
        }

        @Override
        public boolean isCurrent() {
            return false;
        }

        @Override
        public void report(String where, Throwable fault) {
            throw new AssertionError(where, fault);
        }

        @Override
        public void wake() {
            // Nothing is polled.
        }
    }

    private final BusyThread thread = new BusyThread();
    private final Nic nic = new Nic(TestConfig.of(Gid.parse("10.0.0.1"), 4791, PathMtu.MTU_4096, 1), new Random(7)::nextInt,
        List.of(thread), MulticastPort.NONE, null);
    private final SharedReceiveQueue queue = nic.allocateProtectionDomain().createSharedReceiveQueue(4, 1);

    @Test
    @DisplayName("resize does not wait for a listener that posts, asks for the capacity and arms the limit on the engine's thread")
    void aListenerMayPostDuringResize() {
        thread.listener = () -> {
            assertTrue(queue.postReceive(new ReceiveRequest().id(1)));
            assertEquals(4, queue.capacity());
            queue.armLimit(1);
        };
        queue.resize(8);
        assertEquals(8, queue.capacity());
        assertEquals(1, queue.size());
        assertThrows(IllegalArgumentException.class, () -> {
            thread.listener = () -> assertTrue(queue.postReceive(new ReceiveRequest().id(2)));
            queue.resize(1);
        });
        assertEquals(2, queue.size());
    }

    @Test
    @DisplayName("the capacity does not become less than the armed limit, below which a queue that is full would be at once")
    void theCapacityHasRoomForTheLimit() {
        queue.armLimit(3);
        String text = assertThrows(IllegalArgumentException.class, () -> queue.resize(2)).getMessage();
        assertTrue(text.contains("capacity 2") && text.contains("3, the limit"), text);
        assertEquals(4, queue.capacity());
        queue.armLimit(2);
        queue.resize(2);
        assertEquals(2, queue.capacity());
    }

    @Test
    @DisplayName("close does not wait for a listener that posts on the engine's thread; the listener is refused")
    void aListenerMayPostDuringClose() {
        assertTrue(queue.postReceive(new ReceiveRequest().id(1)));
        boolean[] isRefused = {false};
        thread.listener = () -> {
            try {
                queue.postReceive(new ReceiveRequest().id(2));
            } catch (IllegalStateException e) {
                isRefused[0] = e.getMessage().contains("closed");
            }
        };
        queue.close();
        assertTrue(isRefused[0]);
        assertEquals(0, queue.size());
    }

    @Test
    @DisplayName("resize waits for another thread's batch, and the engine's thread does not, which that thread may need before it ends it")
    void aBatchDelaysResize() throws Exception {
        CompletableFuture<Void> resized;
        try (RequestBatch<ReceiveRequest> batch = queue.beginReceives()) {
            resized = CompletableFuture.runAsync(() -> queue.resize(8), OwnThread::run);
            assertTrue(thread.firstCall.await(2 * DEADLOCK_AFTER_S, TimeUnit.SECONDS));
            batch.next().id(1);
            assertTrue(batch.post());
        }
        resized.get(DEADLOCK_AFTER_S, TimeUnit.SECONDS);
        assertEquals(8, queue.capacity());
        assertEquals(1, queue.size());
    }

    @Test
    @DisplayName("close does not wait for a batch that another thread has begun, and perhaps never ends")
    void closeEndsABatch() throws Exception {
        RequestBatch<ReceiveRequest> batch = queue.beginReceives();
        CompletableFuture.runAsync(queue::close, OwnThread::run).get(DEADLOCK_AFTER_S, TimeUnit.SECONDS);
        batch.next().id(1);
        assertThrows(IllegalStateException.class, batch::post);
        batch.close();
    }
}
