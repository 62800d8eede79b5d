package io.rxe.net.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FileWriterTest {
    private final FileWriter writer = new FileWriter("writer");
    private final CountDownLatch release = new CountDownLatch(1);
    private final CountDownLatch begun = new CountDownLatch(1);

    private void block() {
        begun.countDown();
        try {
            release.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void anotherThreadDoesTheWorkInOrder() throws InterruptedException {
        List<Integer> done = Collections.synchronizedList(new ArrayList<>());
        AtomicReference<Thread> thread = new AtomicReference<>();
        writer.execute(this::block);
        writer.execute(() -> thread.set(Thread.currentThread()));
        for (int i = 0; i < 10; i++) {
            int number = i;
            writer.execute(() -> done.add(number));
        }
        CountDownLatch last = new CountDownLatch(1);
        writer.execute(last::countDown);
        assertEquals(List.of(), done, "nothing is done while the first waits, and nobody waits for it");
        release.countDown();
        assertTrue(last.await(30, TimeUnit.SECONDS));
        assertNotSame(Thread.currentThread(), thread.get());
        assertEquals(List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), done);
        writer.close();
    }

    @Test
    void howeverMuchWaitsTheCallerDoesNothingItself() throws InterruptedException {
        writer.execute(this::block);
        begun.await();
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        CountDownLatch last = new CountDownLatch(2000);
        for (int i = 0; i < 2000; i++) {
            writer.execute(() -> {
                threads.add(Thread.currentThread());
                last.countDown();
            });
        }
        assertEquals(Set.of(), threads);
        release.countDown();
        assertTrue(last.await(30, TimeUnit.SECONDS));
        assertFalse(threads.contains(Thread.currentThread()));
        writer.close();
    }

    @Test
    void afterTheEndNothingBegins() throws InterruptedException {
        writer.execute(this::block);
        begun.await();
        AtomicReference<Thread> thread = new AtomicReference<>();
        writer.execute(() -> thread.set(Thread.currentThread()));
        writer.close();
        release.countDown();
        writer.execute(() -> thread.set(Thread.currentThread()));
        assertFalse(thread.get() == Thread.currentThread(), "not on the caller's thread");
        assertSame(null, thread.get());
    }

    @Test
    @DisplayName("where the process may start no thread, the caller does the work")
    void withoutThreads() {
        InheritableThreadLocal<Boolean> noThreads = new InheritableThreadLocal<>() {
            @Override
            protected Boolean childValue(Boolean value) {
                throw new OutOfMemoryError("unable to create native thread: planted");
            }
        };
        AtomicReference<Thread> thread = new AtomicReference<>();
        noThreads.set(true);
        try {
            writer.execute(() -> thread.set(Thread.currentThread()));
        } finally {
            noThreads.remove();
        }
        assertSame(Thread.currentThread(), thread.get());
        writer.close();
    }
}
