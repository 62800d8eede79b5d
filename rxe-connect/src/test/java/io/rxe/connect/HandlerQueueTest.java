package io.rxe.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HandlerQueueTest {
    private static final ByteBuffer MESSAGE = ByteBuffer.allocate(4);

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
}
