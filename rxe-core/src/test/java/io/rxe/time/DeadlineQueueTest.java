package io.rxe.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.Random;
import org.junit.jupiter.api.Test;

class DeadlineQueueTest {
    private final DeadlineQueue queue = new DeadlineQueue();

    @Test
    void anEmptyQueueHasNoDeadline() {
        assertEquals(DeadlineQueue.NONE, queue.earliestNs());
        assertNull(queue.pollDue(Long.MAX_VALUE));
    }

    @Test
    void anEntryIsDueAtItsDeadlineAndNotBefore() {
        DeadlineQueue.Entry entry = new DeadlineQueue.Entry();
        queue.set(entry, 100);
        assertNull(queue.pollDue(99));
        assertSame(entry, queue.pollDue(100));
        assertEquals(DeadlineQueue.NONE, entry.deadlineNs());
        assertNull(queue.pollDue(Long.MAX_VALUE));
    }

    @Test
    void settingNoneRemovesAndRemovingTwiceHasNoEffect() {
        DeadlineQueue.Entry entry = new DeadlineQueue.Entry();
        queue.set(entry, 5);
        queue.set(entry, DeadlineQueue.NONE);
        queue.remove(entry);
        assertEquals(DeadlineQueue.NONE, queue.earliestNs());
        queue.set(entry, 7);
        assertEquals(7, queue.earliestNs());
    }

    @Test
    void itAgreesWithALinearSearchForRandomOperations() {
        Random random = new Random(4);
        DeadlineQueue.Entry[] entries = new DeadlineQueue.Entry[300];
        long[] model = new long[entries.length];
        for (int i = 0; i < entries.length; i++) {
            entries[i] = new DeadlineQueue.Entry();
            model[i] = DeadlineQueue.NONE;
        }
        for (int step = 0; step < 50_000; step++) {
            int which = random.nextInt(entries.length);
            if (random.nextInt(4) != 0) {
                model[which] = random.nextInt(8) == 0 ? DeadlineQueue.NONE : random.nextInt(1000);
                queue.set(entries[which], model[which]);
            } else if (random.nextBoolean()) {
                model[which] = DeadlineQueue.NONE;
                queue.remove(entries[which]);
            } else {
                pollAndCompare(entries, model, random.nextInt(300));
            }
            assertEquals(earliest(model), queue.earliestNs());
            assertEquals(model[which], entries[which].deadlineNs());
        }
    }

    private void pollAndCompare(DeadlineQueue.Entry[] entries, long[] model, long nowNs) {
        long expected = earliest(model);
        DeadlineQueue.Entry due = queue.pollDue(nowNs);
        assertEquals(expected <= nowNs, due != null);
        for (int i = 0; due != null && i < entries.length; i++) {
            if (entries[i] == due) {
                assertEquals(expected, model[i]);
                model[i] = DeadlineQueue.NONE;
            }
        }
    }

    private static long earliest(long[] model) {
        long earliest = DeadlineQueue.NONE;
        for (long deadline : model) {
            earliest = Math.min(earliest, deadline);
        }
        return earliest;
    }
}
