package io.rxe.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Slots of messages and one-sided operations")
class SlotPoolTest {
    private static Set<Integer> takeAll(SlotPool pool) {
        Set<Integer> taken = new TreeSet<>();
        for (int slot = pool.take(); slot != SlotPool.NONE; slot = pool.take()) {
            assertTrue(taken.add(slot), "slot " + slot + " was taken twice");
        }
        assertTrue(pool.isEmpty());
        return taken;
    }

    @Test
    @DisplayName("a pile of slots comes back together, above those that are free, and each once")
    void pile() {
        SlotPool pool = new SlotPool(4);
        assertEquals(Set.of(0, 1, 2, 3), takeAll(pool));
        pool.release(2);
        int pile = pool.pile(3, pool.pile(1, 0));
        assertEquals(Set.of(2), takeAll(pool), "a pile is not free before it is released");
        pool.release(2);
        pool.release(pile, 0);
        assertEquals(3, pool.take(), "the uppermost of the pile");
        pool.release(3);
        assertEquals(Set.of(0, 1, 2, 3), takeAll(pool));
    }

    @Test
    @DisplayName("threads that take and release never hold one slot twice, and none is lost")
    void threads() throws Exception {
        int slots = 5;
        SlotPool pool = new SlotPool(slots);
        AtomicIntegerArray holders = new AtomicIntegerArray(slots);
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            List<Future<?>> ends = new ArrayList<>();
            for (int thread = 0; thread < 3; thread++) {
                boolean piles = thread == 0;
                ends.add(threads.submit(() -> takeAndRelease(pool, holders, piles)));
            }
            for (Future<?> end : ends) {
                end.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertEquals(Set.of(0, 1, 2, 3, 4), takeAll(pool));
    }

    private static void takeAndRelease(SlotPool pool, AtomicIntegerArray holders, boolean piles) {
        for (int round = 0; round < 200_000; round++) {
            int first = take(pool, holders);
            int second = piles ? take(pool, holders) : SlotPool.NONE;
            leave(holders, first);
            leave(holders, second);
            if (first != SlotPool.NONE && second != SlotPool.NONE) {
                pool.release(pool.pile(second, first), first);
            } else if (first != SlotPool.NONE || second != SlotPool.NONE) {
                pool.release(Math.max(first, second));
            }
        }
    }

    private static int take(SlotPool pool, AtomicIntegerArray holders) {
        int slot = pool.take();
        if (slot != SlotPool.NONE) {
            assertEquals(1, holders.incrementAndGet(slot), () -> "slot " + slot + " has two holders");
        }
        return slot;
    }

    private static void leave(AtomicIntegerArray holders, int slot) {
        if (slot != SlotPool.NONE) {
            holders.decrementAndGet(slot);
        }
    }
}
