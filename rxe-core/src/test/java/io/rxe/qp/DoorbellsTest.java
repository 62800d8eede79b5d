package io.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.qp.Doorbells.Doorbell;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DoorbellsTest {
    private static final int THREADS = 4;
    private static final int DOORBELLS_EACH = 16;
    private static final int RINGS_EACH = 50_000;

    private final Doorbells<Integer> doorbells = new Doorbells<>();

    @Test
    @DisplayName("doorbells are answered in the order in which they rang, each once, and ring again after that")
    void inOrder() {
        List<Doorbell<Integer>> all = List.of(new Doorbell<>(0), new Doorbell<>(1), new Doorbell<>(2));
        assertTrue(doorbells.ring(all.get(1)));
        assertTrue(doorbells.ring(all.get(0)));
        assertFalse(doorbells.ring(all.get(1)));
        assertEquals(1, doorbells.poll());
        assertTrue(doorbells.ring(all.get(1)), "behind those that rang before");
        assertTrue(doorbells.ring(all.get(2)));
        assertEquals(0, doorbells.poll());
        assertEquals(1, doorbells.poll());
        assertEquals(2, doorbells.poll());
        assertNull(doorbells.poll());
    }

    @Test
    @DisplayName("of doorbells that threads ring while they are answered, each ring that counts is answered once")
    void noRingIsLost() throws InterruptedException {
        AtomicInteger[] rings = new AtomicInteger[THREADS * DOORBELLS_EACH];
        List<Thread> threads = new ArrayList<>();
        for (int first = 0; first < rings.length; first += DOORBELLS_EACH) {
            List<Doorbell<Integer>> own = new ArrayList<>();
            for (int i = first; i < first + DOORBELLS_EACH; i++) {
                rings[i] = new AtomicInteger();
                own.add(new Doorbell<>(i));
            }
            int offset = first;
            threads.add(new Thread(() -> {
                for (int i = 0; i < RINGS_EACH; i++) {
                    int which = i % DOORBELLS_EACH;
                    if (doorbells.ring(own.get(which))) {
                        rings[offset + which].incrementAndGet();
                    }
                }
            }));
        }
        int[] answers = new int[rings.length];
        threads.forEach(Thread::start);
        while (threads.stream().anyMatch(Thread::isAlive)) {
            answerAll(answers);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        answerAll(answers);
        for (int i = 0; i < rings.length; i++) {
            assertEquals(rings[i].get(), answers[i], "doorbell " + i);
        }
    }

    private void answerAll(int[] answers) {
        for (Integer rung = doorbells.poll(); rung != null; rung = doorbells.poll()) {
            answers[rung]++;
        }
    }
}
