package io.rxe.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HandlerQueueTest {
    private static final ByteBuffer MESSAGE = ByteBuffer.allocate(4);

    private final List<Throwable> reported = new ArrayList<>();

    @BeforeEach
    void collect() {
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> reported.add(thrown));
    }

    @AfterEach
    void forget() {
        Thread.currentThread().setUncaughtExceptionHandler(null);
    }

    @Test
    @DisplayName("an Error that no handler threw fails the connection, and does not hold up its end")
    void theEndArrivesBehindAnError() {
        List<String> seen = new ArrayList<>();
        Queue<Runnable> executor = new ArrayDeque<>();
        HandlerQueue queue = new HandlerQueue(executor::add, message -> {
            throw new StackOverflowError("planted");
        }, (what, why) -> seen.add(what + ": " + why), () -> seen.add("handled"));
        queue.offer(0, MESSAGE);
        executor.remove().run();
        queue.offer(1, MESSAGE);
        queue.finish(() -> seen.add("finished"));
        assertEquals(List.of("handing on messages threw: java.lang.StackOverflowError: planted", "finished"), seen);
        assertEquals(0, executor.size());
    }

    @Test
    @DisplayName("a failure that cannot be told, for want of memory, holds up no end, and the next message tells it")
    void theEndArrivesBehindAFailureThatIsNotTold() {
        List<String> seen = new ArrayList<>();
        Queue<Runnable> executor = new ArrayDeque<>();
        boolean[] hasMemory = new boolean[1];
        HandlerQueue queue = new HandlerQueue(executor::add, message -> {
            throw new StackOverflowError("planted");
        }, (what, why) -> {
            if (!hasMemory[0]) {
                throw new StackOverflowError("planted again");
            }
            seen.add(what + ": " + why);
        }, () -> seen.add("handled"));
        queue.offer(0, MESSAGE);
        executor.remove().run();
        hasMemory[0] = true;
        queue.offer(1, MESSAGE);
        queue.offer(2, MESSAGE);
        queue.finish(() -> seen.add("finished"));
        assertEquals(List.of("handing on messages threw: java.lang.StackOverflowError: planted", "finished"), seen);
        assertEquals(0, executor.size());
        assertEquals("planted again", reported.get(0).getMessage());
    }

    @Test
    @DisplayName("an executor that refuses holds up no end either where that cannot be told")
    void theEndArrivesBehindARefusalThatIsNotTold() {
        List<String> seen = new ArrayList<>();
        HandlerQueue queue = new HandlerQueue(task -> {
            throw new StackOverflowError("planted");
        }, message -> { }, (what, why) -> {
            throw new StackOverflowError("planted again");
        }, () -> { });
        queue.offer(0, MESSAGE);
        queue.finish(() -> seen.add("finished"));
        assertEquals(List.of("finished"), seen);
    }
}
