package io.rxe.qp.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Batches of packets that leave at a rate")
class PacerTest {
    private static final long MS = 1_000_000;
    private static final long BATCH_NS = MS / 10;
    private static final long PER_SECOND = 1_000_000;
    private static final int BATCH_BYTES = 100;

    private long bytesPerSecond = PER_SECOND;
    private final SendRate rate = new SendRate() {
        @Override
        public long bytesPerSecond() {
            return bytesPerSecond;
        }

        @Override
        public long batchNs() {
            return BATCH_NS;
        }
    };
    private final Pacer pacer = new Pacer(rate);

    /** Sends what a second's thousandth may bring, 1000 bytes, and asks for more. */
    private void sendForAMillisecond(long nowNs) {
        // What a batch that was late may bring.
        pacer.onSent(BATCH_BYTES, nowNs);
        pacer.onSent(1000, nowNs);
        assertFalse(pacer.isOpen(0, nowNs));
    }

    @Test
    @DisplayName("what was sent lasts as long as it does at the rate")
    void itWaits() {
        sendForAMillisecond(0);
        assertEquals(MS, pacer.opensNs());
        assertFalse(pacer.isOpen(0, MS - 1));
        assertTrue(pacer.isOpen(0, MS));
        assertFalse(pacer.isOpen(BATCH_BYTES, MS), "what is promised counts as sent");
    }

    @Test
    @DisplayName("when the rate rises, the rest of what was sent at the low one lasts as long as it does at the new one")
    void aHigherRateOpensItSooner() {
        sendForAMillisecond(0);
        bytesPerSecond = 10 * PER_SECOND;
        assertFalse(pacer.isOpen(0, MS / 2));
        assertEquals(MS / 2 + MS / 20, pacer.opensNs());
        assertTrue(pacer.isOpen(0, MS / 2 + MS / 20));
    }

    @Test
    @DisplayName("when the rate falls, what was sent lasts longer")
    void aLowerRateOpensItLater() {
        sendForAMillisecond(0);
        bytesPerSecond = PER_SECOND / 2;
        assertFalse(pacer.isOpen(0, MS / 2));
        assertEquals(MS / 2 + MS, pacer.opensNs());
    }

    @Test
    @DisplayName("while nothing is paced it is open, and what was sent then does not close it later")
    void unpaced() {
        sendForAMillisecond(0);
        bytesPerSecond = SendRate.UNPACED;
        assertTrue(pacer.isOpen(0, 1));
        pacer.onSent(1_000_000, 1);
        bytesPerSecond = PER_SECOND;
        assertTrue(pacer.isOpen(0, 2));
    }

    /** Sends as much as may leave now. */
    private static int leaving(Pacer pacer, long nowNs) {
        int bytes = 0;
        while (pacer.isOpen(0, nowNs)) {
            pacer.onSent(BATCH_BYTES / 2, nowNs);
            bytes += BATCH_BYTES / 2;
        }
        return bytes;
    }

    @Test
    @DisplayName("what has waited for a late thread makes up for some of it, what comes after a silence for nothing")
    void aLateThread() {
        Pacer lenient = new Pacer(rate, MS / 2);
        assertEquals(2 * BATCH_BYTES, leaving(lenient, 0), "nothing has waited");
        assertEquals(2 * BATCH_BYTES + 500, leaving(lenient, 2 * MS), "half a millisecond of nearly two");
        assertTrue(lenient.isOpen(0, 3 * MS), "and then there is nothing to send");
        assertEquals(2 * BATCH_BYTES, leaving(lenient, 9 * MS));
        assertEquals(2 * BATCH_BYTES, leaving(pacer, 0));
        assertEquals(2 * BATCH_BYTES, leaving(pacer, 2 * MS), "a sender that has to spare the queue");
    }

    @Test
    @DisplayName("what was sent without waiting keeps it closed until a time at most")
    void muchIsForgiven() {
        pacer.onSent(1000 * BATCH_BYTES, 0);
        assertFalse(pacer.isOpen(0, 0));
        assertTrue(pacer.opensNs() > 9 * MS);
        pacer.forgive(3 * MS);
        assertFalse(pacer.isOpen(0, 2 * MS));
        assertTrue(pacer.isOpen(0, 3 * MS));
    }
}
