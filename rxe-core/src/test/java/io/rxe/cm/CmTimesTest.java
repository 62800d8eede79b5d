package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.time.TokenBucket;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Time codes, the limit of answers, and the limits of what is configured. */
class CmTimesTest {
    private static final long MS = 1_000_000;

    @Test
    void timeoutCodesAreTheMillisecondsOfLinux() {
        assertEquals(MS, CmTimes.timeoutNs(0));
        assertEquals(MS, CmTimes.timeoutNs(8));
        assertEquals(1024 * MS, CmTimes.timeoutNs(18));
        assertEquals(4096 * MS, CmTimes.timeoutNs(20));
        assertEquals(65536 * MS, CmTimes.timeoutNs(24));
        assertEquals(MS << 23, CmTimes.timeoutNs(31));
    }

    @Test
    @DisplayName("T10: the ACK timeout is twice the packet life time plus the target ACK delay")
    void ackTimeoutComesFromPacketLifeTimeAndAckDelay() {
        assertEquals(19, CmTimes.ackTimeoutCode(18, 15));
        assertEquals(19, CmTimes.ackTimeoutCode(18, 8));
        assertEquals(19, CmTimes.ackTimeoutCode(18, 17));
        assertEquals(20, CmTimes.ackTimeoutCode(18, 18), "half of it more: up");
        assertEquals(20, CmTimes.ackTimeoutCode(18, 19), "the double exactly");
        assertEquals(21, CmTimes.ackTimeoutCode(18, 20));
        assertEquals(25, CmTimes.ackTimeoutCode(18, 25));
        assertEquals(31, CmTimes.ackTimeoutCode(30, 31), "never beyond the field");
        assertEquals(18, CmTimes.packetLifeTimeCode(19));
        assertEquals(0, CmTimes.packetLifeTimeCode(0));
    }

    @Test
    void secondsAreRoundedToOneDigit() {
        assertEquals("0.0 s", CmTimes.seconds(0));
        assertEquals("98.3 s", CmTimes.seconds(98_304 * MS));
        assertEquals("2.0 s", CmTimes.seconds(1_960 * MS));
    }

    @Test
    void bucketLetsATenthOfASecondThroughAtOnceAndThenItsRate() {
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
        assertEquals(10, taken, "a pause saves up no more than the burst");
    }

    @Test
    void valuesOutOfRangeAreRefusedByNameValueAndLimit() {
        String message = assertThrows(IllegalArgumentException.class, () -> CmNode.config("10.0.0.1").withMaxRetries(16)).getMessage();
        assertEquals("maxRetries 16 is not in 0..15", message);
        assertThrows(IllegalArgumentException.class, () -> CmNode.config("10.0.0.1").withMaxDialogues(0));
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
