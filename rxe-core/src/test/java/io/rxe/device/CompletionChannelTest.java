package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.WaitDriver;
import io.rxe.verbs.WorkRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Threads that wait in a completion channel wake when it, its queues or their device end, however long they would wait. */
class CompletionChannelTest {
    private static final long HANGS_AFTER_S = 20;
    /** More than a failing engine makes of a step that throws no OutOfMemoryError. */
    private static final int ATTEMPTS = 200;
    private static final int ROUNDS = 2_000;

    private final NicPair nics = new NicPair(new Reporting());
    private final CompletionChannel channel = new CompletionChannel();
    private final List<Thread> waiters = new ArrayList<>();
    private final AtomicInteger woken = new AtomicInteger();

    private void startWaiters() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            Thread waiter = new Thread(() -> {
                try {
                    assertNull(channel.await(Long.MAX_VALUE));
                    woken.incrementAndGet();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            waiter.setDaemon(true);
            waiter.start();
            waiters.add(waiter);
        }
        for (Thread waiter : waiters) {
            while (waiter.getState() != Thread.State.TIMED_WAITING) {
                Thread.sleep(1);
            }
        }
    }

    private void allWake() throws InterruptedException {
        for (Thread waiter : waiters) {
            waiter.join(TimeUnit.SECONDS.toMillis(HANGS_AFTER_S));
            assertFalse(waiter.isAlive(), "a thread in await still waits");
        }
        assertEquals(waiters.size(), woken.get());
    }

    @Test
    @DisplayName("close wakes every thread in await, and later calls are refused")
    void closeWakesEveryWaiter() throws InterruptedException {
        startWaiters();
        channel.close();
        allWake();
        assertThrows(IllegalStateException.class, () -> channel.await(Long.MAX_VALUE));
        assertThrows(IllegalStateException.class, channel::wakeup);
        assertThrows(IllegalStateException.class, () -> nics.leftNic.createCompletionQueue(4, channel));
    }

    @Test
    @DisplayName("wakeup wakes every thread in await, or else the next one, once")
    void wakeupWakes() throws InterruptedException {
        startWaiters();
        channel.wakeup();
        allWake();
        channel.wakeup();
        channel.wakeup();
        assertNull(channel.await(Long.MAX_VALUE));
    }

    @Test
    @DisplayName("wakeup is not lost when the only thread in await is leaving with a queue")
    void wakeupIsKeptForTheNextWait() throws InterruptedException {
        CompletionQueue queue = nics.leftNic.createCompletionQueue(4, channel);
        AtomicInteger waits = new AtomicInteger();
        channel.attach(() -> false, (condition, timeoutNs) -> {
            assertEquals(1, waits.incrementAndGet(), "a thread waits after wakeup");
            channel.signal(queue);
            assertTrue(condition.getAsBoolean());
            // The thread still counts as waiting, and has its queue.
            channel.wakeup();
            return true;
        });
        assertEquals(queue, channel.await(Long.MAX_VALUE));
        assertNull(channel.await(Long.MAX_VALUE));
        assertEquals(1, waits.get());
    }

    @Test
    @DisplayName("closing the last queue of a channel wakes every thread, and a new queue makes it usable again")
    void closingTheLastQueueWakesEveryWaiter() throws InterruptedException {
        CompletionQueue queue = nics.leftNic.createCompletionQueue(4, channel);
        startWaiters();
        queue.close();
        queue.close();
        allWake();
        assertThrows(IllegalStateException.class, () -> channel.await(Long.MAX_VALUE));
        NicPair.End end = nics.end(nics.leftNic, channel);
        NicPair.End peer = nics.end(nics.rightNic, null);
        nics.connect(end, peer);
        end.queue.requestNotification(false);
        end.post(new WorkRequest().id(1).write(peer.region.address(), peer.region.rKey()).add(end.region, 0, 8));
        nics.run();
        assertEquals(end.queue, channel.await(Long.MAX_VALUE));
    }

    @Test
    @DisplayName("closing one of two queues wakes the threads that wait, once")
    void closingOneQueueWakesTheWaiters() throws InterruptedException {
        CompletionQueue one = nics.leftNic.createCompletionQueue(4, channel);
        CompletionQueue other = nics.rightNic.createCompletionQueue(4, channel);
        startWaiters();
        one.close();
        allWake();
        channel.signal(other);
        assertEquals(other, channel.await(0));
        assertNull(channel.await(0));
    }

    @Test
    @DisplayName("a queue that is created while the last other one closes keeps the channel usable")
    void aQueueCreatedWhileTheLastOneClosesCounts() throws Exception {
        AtomicInteger waits = new AtomicInteger();
        WaitDriver countsWaits = (condition, timeoutNs) -> {
            waits.incrementAndGet();
            return condition.getAsBoolean();
        };
        channel.attach(() -> false, countsWaits);
        AtomicInteger turn = new AtomicInteger();
        AtomicInteger closed = new AtomicInteger();
        Thread closer = new Thread(() -> {
            for (int round = 1; round <= ROUNDS; round++) {
                while (turn.get() < round && !Thread.currentThread().isInterrupted()) {
                    Thread.yield();
                }
                channel.detach();
                closed.set(round);
            }
        });
        closer.setDaemon(true);
        closer.start();
        for (int round = 1; round <= ROUNDS; round++) {
            turn.set(round);
            channel.attach(() -> false, countsWaits);
            while (closed.get() < round) {
                Thread.yield();
            }
            // The first may return because of the new queue.
            channel.await(1);
            int before = waits.get();
            channel.await(1);
            assertTrue(waits.get() > before, "round " + round + ": the channel has a queue, and await does not wait");
        }
    }

    @Test
    @DisplayName("closing the NIC wakes every thread in await")
    void closingTheNicWakesEveryWaiter() throws InterruptedException {
        nics.leftNic.createCompletionQueue(4, channel);
        startWaiters();
        nics.leftNic.close();
        allWake();
        assertThrows(IllegalStateException.class, () -> channel.await(0));
    }

    @Test
    @DisplayName("a NIC that fails wakes every thread in await")
    void aFailedNicWakesEveryWaiter() throws InterruptedException {
        nics.leftNic.createCompletionQueue(4, channel);
        startWaiters();
        nics.leftNic.engine(0).fail(new OutOfMemoryError("planted"));
        allWake();
        assertThrows(IllegalStateException.class, () -> channel.await(Long.MAX_VALUE));
    }

    @Test
    @DisplayName("a NIC that fails wakes every thread in await although a listener throws each time, as code does that was never linked")
    void aFailedNicWakesEveryWaiterBehindAListenerThatThrows() throws InterruptedException {
        nics.leftNic.createCompletionQueue(4, channel);
        nics.leftNic.onAsyncEvent(event -> {
            throw new NoClassDefFoundError("planted");
        });
        startWaiters();
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            nics.leftNic.engine(0).fail(new OutOfMemoryError("planted"));
        }
        allWake();
    }

    @Test
    @DisplayName("several completions wake as many threads, and a thread that comes later finds what is left")
    void everyCompletionIsReportedOnce() throws Exception {
        CompletionQueue queue = nics.leftNic.createCompletionQueue(4, channel);
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            List<Future<CompletionQueue>> reported = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                reported.add(threads.submit(() -> channel.await(Long.MAX_VALUE)));
            }
            for (int i = 0; i < 4; i++) {
                channel.signal(queue);
            }
            for (Future<CompletionQueue> one : reported) {
                assertEquals(queue, one.get(HANGS_AFTER_S, TimeUnit.SECONDS));
            }
            assertEquals(queue, channel.await(Long.MAX_VALUE));
            assertNull(channel.await(0));
        } finally {
            threads.shutdownNow();
        }
    }
}
