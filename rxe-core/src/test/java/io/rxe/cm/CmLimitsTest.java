package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.time.TokenBucket;
import org.junit.jupiter.api.Test;

/** The rate limit of replies, and the ranges of configured values. */
class CmLimitsTest {
    private static final long MS = 1_000_000;

    @Test
    void bucketGrantsATenthOfASecondAtOnceAndThenItsRate() {
        TokenBucket bucket = new TokenBucket(100);
        int taken = 0;
        while (bucket.take(5)) {
            taken++;
        }
        assertEquals(10, taken);
        assertFalse(bucket.take(5 + 9 * MS));
        assertEquals(5 + 10 * MS, bucket.dueNs(5 + 9 * MS));
        assertTrue(bucket.take(5 + 10 * MS));
        assertFalse(bucket.take(5 + 10 * MS));
        taken = 0;
        while (bucket.take(5 + 100_000 * MS)) {
            taken++;
        }
        assertEquals(10, taken, "an idle bucket fills up to the burst");
    }

    @Test
    void valuesOutOfRangeAreRejectedWithNameValueAndLimit() {
        String message = assertThrows(IllegalArgumentException.class, () -> CmLimits.of("10.0.0.1").retries(16).config()).getMessage();
        assertEquals("maxRetries 16 is not in 0..15", message);
        assertThrows(IllegalArgumentException.class, () -> CmLimits.of("10.0.0.1").exchanges(0).config());
        assertThrows(IllegalArgumentException.class, () -> CmLimits.of("10.0.0.1").peerExchanges(0).config());
        assertThrows(IllegalArgumentException.class, () -> new ConnectParameters().retryCount(8));
        assertThrows(IllegalArgumentException.class, () -> new ConnectParameters().initiatorDepth(129));
        assertThrows(IllegalArgumentException.class, () -> new ConnectParameters().ackTimeoutCode(32));
        assertThrows(IllegalArgumentException.class, () -> new ConnectParameters().timeoutNs(0));
        assertThrows(IllegalArgumentException.class, () -> PortSpace.TCP.serviceId(0));
        assertThrows(IllegalArgumentException.class, () -> PortSpace.TCP.serviceId(65536));
        assertEquals(0x0000_0000_0106_1C06L, PortSpace.TCP.serviceId(7174));
        assertEquals(0x0000_0000_0111_1C06L, PortSpace.UDP.serviceId(7174));
        assertThrows(IllegalArgumentException.class, () -> new CmEventChannel(3));
    }
}
