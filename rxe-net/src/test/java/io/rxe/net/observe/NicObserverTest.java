package io.rxe.net.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.port.Warnings;
import io.rxe.port.EngineEvent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class NicObserverTest {
    private static final long MS = 1_000_000;

    private final List<String> warnings = new ArrayList<>();
    private final NicObserver observer = new NicObserver("test", 0, new FrameVerdict(), null, new Warnings(warnings::add));

    private void refusal(long atMs, int psn) {
        observer.onEvent(EngineEvent.RNR_WAIT, atMs * MS, 0x11, psn, MS);
    }

    @Test
    @DisplayName("a peer that has no receive request for one packet for a second is told of once; one that posts them late is not")
    void aForgottenReceive() {
        for (int ms = 0; ms < 5000; ms += 10) {
            refusal(ms, ms / 900);
        }
        assertEquals(List.of(), warnings, "each packet got its receive request within the second");
        for (int ms = 5000; ms <= 7000; ms += 10) {
            refusal(ms, 0xAC);
        }
        assertEquals(1, warnings.size(), warnings::toString);
        assertTrue(warnings.get(0).contains("queue pair 0x11") && warnings.get(0).contains("0x0000ac")
            && warnings.get(0).contains("post receives there"), warnings::toString);
    }

    @Test
    @DisplayName("a queue pair that was reset begins anew")
    void aReset() {
        refusal(0, 1);
        observer.onEvent(EngineEvent.STATE_CHANGE, MS, 0x11, 0, 0);
        refusal(1500, 1);
        assertEquals(List.of(), warnings);
        refusal(2600, 1);
        refusal(2700, 1);
        assertEquals(1, warnings.size(), warnings::toString);
        // Nothing is kept of a QPN that is free again: the next queue pair with it is warned of as well.
        observer.onEvent(EngineEvent.STATE_CHANGE, 2800 * MS, 0x11, 0, 0);
        refusal(2900, 5);
        refusal(4000, 5);
        assertEquals(2, warnings.size(), warnings::toString);
    }
}
