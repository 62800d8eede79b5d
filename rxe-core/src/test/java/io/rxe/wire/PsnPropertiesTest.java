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
    void beforeIsTheMirrorOfAfter(@ForAll int a, @ForAll int b) {
        boolean opposite = Psn.subtract(a, b) == -0x800000;
        assertEquals(Psn.isBefore(a, b), Psn.isAfter(b, a) || opposite);
    }
}
