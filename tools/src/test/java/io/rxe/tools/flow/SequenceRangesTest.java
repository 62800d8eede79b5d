package io.rxe.tools.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SequenceRangesTest {
    @Test
    void itIsTheSetThatABitForEachNumberWouldBe() {
        SplittableRandom random = new SplittableRandom(11);
        SequenceRanges ranges = new SequenceRanges();
        BitSet bits = new BitSet();
        for (int round = 0; round < 5000; round++) {
            int from = random.nextInt(1000);
            int to = from + 1 + random.nextInt(30);
            if (random.nextBoolean()) {
                ranges.add(from, to);
                bits.set(from, to);
            } else {
                ranges.remove(from, to);
                bits.clear(from, to);
            }
            assertEquals(bits.cardinality(), ranges.size());
            int probe = random.nextInt(1100);
            assertEquals(bits.get(probe), ranges.contains(probe));
        }
    }

    @Test
    void itForgetsTheLowestRangesButCountsThem() {
        SequenceRanges ranges = new SequenceRanges();
        for (int i = 0; i < SequenceRanges.MAX_RANGES + 10; i++) {
            ranges.add(3L * i, 3L * i + 2);
        }
        assertEquals(2 * (SequenceRanges.MAX_RANGES + 10), ranges.size());
        assertTrue(ranges.isForgotten(0) && !ranges.contains(0));
        assertFalse(ranges.isForgotten(30));
        assertTrue(ranges.contains(30));
    }
}
