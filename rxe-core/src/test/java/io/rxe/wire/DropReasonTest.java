package io.rxe.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DropReasonTest {
    @Test
    void everyReasonHasItsOwnIdAndItsNameAsLabel() {
        Set<Integer> ids = new HashSet<>();
        for (DropReason reason : DropReason.values()) {
            assertTrue(ids.add(reason.id()), reason + " repeats id " + reason.id());
            assertTrue(reason.id() >= 0 && reason.id() < 64, reason + " id " + reason.id());
            assertEquals(reason.name().toLowerCase(Locale.ROOT), reason.label());
            assertTrue(reason.sentence().endsWith("."), reason.sentence());
        }
        assertEquals(0, DropReason.NONE.id());
        assertEquals(DropReason.NONE, DropReason.values()[0]);
    }
}
