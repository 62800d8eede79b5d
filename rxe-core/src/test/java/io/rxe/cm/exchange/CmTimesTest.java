package io.rxe.cm.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Time codes and the transport timer derived from them. */
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
    void serviceTimeoutOfAnMraIsLimited() {
        assertEquals(4096 * MS, CmTimes.serviceTimeoutNs(20));
        assertEquals(65536 * MS, CmTimes.serviceTimeoutNs(24));
        assertEquals(65536 * MS, CmTimes.serviceTimeoutNs(31));
    }

    @Test
    @DisplayName("T10: times a message names are limited")
    void timesOfMessagesAreLimited() {
        assertEquals(19, CmTimes.limitedAckTimeoutCode(19), "rdma_cm");
        assertEquals(1, CmTimes.limitedAckTimeoutCode(1));
        assertEquals(21, CmTimes.limitedAckTimeoutCode(22));
        assertEquals(21, CmTimes.limitedAckTimeoutCode(31));
        assertEquals(21, CmTimes.limitedAckTimeoutCode(0), "no timer at all");
        assertEquals(20, CmTimes.limitedResponseCode(20), "rdma_cm");
        assertEquals(18, CmTimes.limitedResponseCode(0));
        assertEquals(21, CmTimes.limitedResponseCode(31));
    }

    @Test
    @DisplayName("T10: the ACK timeout is twice the packet life time plus the target ACK delay")
    void ackTimeoutComesFromPacketLifeTimeAndAckDelay() {
        assertEquals(19, CmTimes.ackTimeoutCode(18, 15));
        assertEquals(19, CmTimes.ackTimeoutCode(18, 8));
        assertEquals(19, CmTimes.ackTimeoutCode(18, 17));
        assertEquals(20, CmTimes.ackTimeoutCode(18, 18), "1.5 x 2^19 is rounded up");
        assertEquals(20, CmTimes.ackTimeoutCode(18, 19), "exactly 2^20");
        assertEquals(21, CmTimes.ackTimeoutCode(18, 20));
        assertEquals(25, CmTimes.ackTimeoutCode(18, 25));
        assertEquals(31, CmTimes.ackTimeoutCode(30, 31), "limited to the five bits of the field");
        assertEquals(18, CmTimes.packetLifeTimeCode(19));
        assertEquals(0, CmTimes.packetLifeTimeCode(0));
    }

    @Test
    void secondsAreRoundedToOneDecimal() {
        assertEquals("0.0 s", CmTimes.seconds(0));
        assertEquals("98.3 s", CmTimes.seconds(98_304 * MS));
        assertEquals("2.0 s", CmTimes.seconds(1_960 * MS));
    }
}
