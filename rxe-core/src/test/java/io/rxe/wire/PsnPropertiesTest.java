package io.rxe.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Properties of all sequence numbers. */
class PsnPropertiesTest {
    @Property
    void distanceUndoesAddition(@ForAll int psn, @ForAll int n) {
        int wrapped = n << 8 >> 8;
        assertEquals(wrapped, Psn.subtract(Psn.add(psn, n), psn));
    }

    @Property
    void theDistanceBackIsTheOppositeUnlessItIsHalfTheCircle(@ForAll int a, @ForAll int b) {
        int distance = Psn.subtract(a, b);
        assertEquals(distance == -0x800000 ? distance : -distance, Psn.subtract(b, a));
    }
}
