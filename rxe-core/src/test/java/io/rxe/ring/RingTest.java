package io.rxe.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RingTest {
    private static Ring<int[]> ring(int capacity) {
        return new Ring<>(capacity, () -> new int[1]);
    }

    @ParameterizedTest
    @CsvSource({"1,1", "2,2", "3,4", "5,8", "4096,4096", "4097,8192"})
    void theCapacityIsThePowerOfTwoAtOrAbove(int asked, int given) {
        assertEquals(given, ring(asked).capacity());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Ring.MAX_CAPACITY + 1, Integer.MIN_VALUE})
    void aCapacityOutOfRangeIsRejected(int asked) {
        String text = assertThrows(IllegalArgumentException.class, () -> ring(asked)).getMessage();
        assertTrue(text.contains(String.valueOf(asked)) && text.contains(String.valueOf(Ring.MAX_CAPACITY)), text);
    }

    @Test
    void claimReturnsNullWhileTheRingIsFull() {
        Ring<int[]> ring = ring(2);
        for (int i = 0; i < 2; i++) {
            ring.claim()[0] = i;
            ring.publish();
        }
        assertNull(ring.claim());
        assertEquals(2, ring.size());
        assertEquals(0, ring.get(ring.consumerIndex())[0]);
        ring.release(1);
        assertNotNull(ring.claim());
        assertEquals(1, ring.size());
    }

    @Test
    void aClaimThatIsNotPublishedIsVoid() {
        Ring<int[]> ring = ring(4);
        assertSame(ring.claim(), ring.claim());
        assertEquals(0, ring.size());
        assertEquals(ring.producerIndex(), ring.consumerIndex());
    }

    @Test
    void slotsAreCreatedOnceAndReused() {
        int[] made = new int[1];
        Ring<int[]> ring = new Ring<>(4, () -> {
            made[0]++;
            return new int[1];
        });
        for (int i = 0; i < 100; i++) {
            ring.claim();
            ring.publish();
            ring.release(ring.consumerIndex() + 1);
        }
        assertEquals(4, made[0]);
    }

    @Test
    void itAgreesWithAQueueForRandomOperations() {
        Random random = new Random(9);
        Ring<int[]> ring = ring(8);
        ArrayDeque<Integer> model = new ArrayDeque<>();
        for (int step = 0; step < 100_000; step++) {
            if (random.nextBoolean()) {
                int[] slot = ring.claim();
                assertEquals(model.size() == 8, slot == null);
                if (slot != null) {
                    slot[0] = step;
                    ring.publish();
                    model.add(step);
                }
            } else if (!model.isEmpty()) {
                int count = 1 + random.nextInt(model.size());
                for (int i = 0; i < count; i++) {
                    assertEquals(model.poll(), ring.get(ring.consumerIndex() + i)[0]);
                }
                ring.release(ring.consumerIndex() + count);
            }
            assertEquals(model.size(), ring.size());
        }
    }

    @Test
    void twoThreadsSeeEveryValueInOrder() throws InterruptedException {
        Ring<long[]> ring = new Ring<>(64, () -> new long[1]);
        long count = 200_000;
        AtomicReference<String> failure = new AtomicReference<>();
        Thread consumer = new Thread(() -> {
            for (long expected = 0; expected < count; expected++) {
                while (ring.consumerIndex() == ring.producerIndex()) {
                    Thread.onSpinWait();
                }
                long seen = ring.get(expected)[0];
                if (seen != expected) {
                    failure.compareAndSet(null, "expected " + expected + " but saw " + seen);
                }
                ring.release(expected + 1);
            }
        });
        consumer.start();
        for (long value = 0; value < count; value++) {
            long[] slot = ring.claim();
            while (slot == null) {
                Thread.onSpinWait();
                slot = ring.claim();
            }
            slot[0] = value;
            ring.publish();
        }
        consumer.join();
        assertNull(failure.get());
    }
}
