package io.rxe.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import java.util.TreeSet;
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
    @DisplayName("slots that are held come back together, above those that are free, and each once")
    void held() {
        SlotPool pool = new SlotPool(4);
        assertEquals(Set.of(0, 1, 2, 3), takeAll(pool));
        pool.releaseHeld();
        pool.release(2);
        pool.hold(0);
        pool.hold(3);
        assertEquals(Set.of(2), takeAll(pool), "what is held is not free");
        pool.release(2);
        pool.releaseHeld();
        pool.releaseHeld();
        assertEquals(Set.of(0, 2, 3), takeAll(pool));
        pool.hold(1);
        pool.releaseHeld();
        assertEquals(Set.of(1), takeAll(pool));
    }
}
