package io.rxe.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link CreditTable} prints: a receiver that posts slowly costs RNR NAKs without credits, and none with them. */
class CreditTableTest {
    @ParameterizedTest
    @ValueSource(doubles = {0.1, 1, 10, 100})
    @DisplayName("R19 Q15 between two of ours a slow receiver costs no RNR NAK and no retransmission")
    void creditsSpareRnrNaks(double intervalMs) {
        CreditTable.Line without = CreditTable.measure(intervalMs, 0, false);
        CreditTable.Line with = CreditTable.measure(intervalMs, 0, true);
        assertTrue(without.rnrNaks() > 0, without::toString);
        assertEquals(0, with.rnrNaks(), with::toString);
        assertEquals(0, with.retransmitted(), with::toString);
        assertTrue(with.elapsedMs() <= without.elapsedMs() + intervalMs, () -> with + " is slower than " + without);
    }
}
