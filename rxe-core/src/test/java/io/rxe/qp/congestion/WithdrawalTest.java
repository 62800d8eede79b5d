package io.rxe.qp.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Before the first answer the delay controller")
class WithdrawalTest {
    private static final int PACKET_BYTES = 1000;
    private static final long MS = 1_000_000;

    private final DelayControl window = new DelayControl(64 * PACKET_BYTES, 100_000L * PACKET_BYTES, PACKET_BYTES);
    private long nowNs = 1_000 * MS;

    private long packets() {
        return window.windowBytes() / PACKET_BYTES;
    }

    /** Sends a packet, which arrives. */
    private void resent() {
        nowNs += MS;
        window.onSent(PACKET_BYTES, nowNs);
        window.onFilled();
        window.onArrived(PACKET_BYTES, nowNs);
    }

    @Test
    @DisplayName("takes the loss of all for a queue: a packet leaves at a time until a round trip is known, and it does not double then")
    void lossesCutIt() {
        window.onLost(15, 15 * PACKET_BYTES);
        window.onLost(15, 15 * PACKET_BYTES);
        assertEquals(32, packets());
        window.onLost(2, 2 * PACKET_BYTES);
        for (int i = 0; i < 4; i++) {
            assertEquals(1, packets());
            resent();
            window.onSample(70 * MS, 0, 0, false, nowNs);
        }
        answered();
        assertTrue(packets() < 4, () -> packets() + " packets");
    }

    @Test
    @DisplayName("has a packet leave at a time when half of the window was lost at once, and doubles again")
    void halfAtOnceCutsIt() {
        window.onLost(16, 16 * PACKET_BYTES);
        assertEquals(1, packets());
        answered();
        assertTrue(packets() >= 4, () -> packets() + " packets");
    }

    private void answered() {
        for (int i = 0; i < 4; i++) {
            nowNs += MS;
            for (long left = packets(); left > 0; left--) {
                window.onSent(PACKET_BYTES, nowNs - MS);
                window.onFilled();
                window.onSample(MS, 0, 0, true, nowNs);
                window.onArrived(PACKET_BYTES, nowNs);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"16, 32", "32, 32", "48, 48", "128, 64"})
    @DisplayName("opens again when more arrives than has left since: what seemed lost was late")
    void whatWasLateRestoresIt(int lost, int then) {
        window.onLost(lost, lost * PACKET_BYTES);
        resent();
        assertEquals(1, packets());
        window.onArrived(PACKET_BYTES, nowNs);
        assertEquals(then, packets());
    }
}
