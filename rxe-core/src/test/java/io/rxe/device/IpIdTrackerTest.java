package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.wire.Gid;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which IPv4 identifications continue a sender's sequence. */
class IpIdTrackerTest {
    private static final Gid SENDER = Gid.parse("10.0.0.1");

    private final IpIdTracker tracker = new IpIdTracker();

    @Test
    void aSequenceIsPlausible() {
        assertTrue(tracker.isPlausible(SENDER, 0), "the begin of a batch");
        assertTrue(tracker.isPlausible(SENDER, 1));
        assertTrue(tracker.isPlausible(Gid.parse("10.0.0.1"), 65), "an equal address is the same sender");
        assertFalse(tracker.isPlausible(SENDER, 65), "the same again");
        assertFalse(tracker.isPlausible(SENDER, 1000), "a jump");
        assertTrue(tracker.isPlausible(SENDER, 1001));
        assertFalse(tracker.isPlausible(Gid.parse("10.0.0.2"), 1002), "the first of another sender");
    }

    @Test
    void theSequenceWraps() {
        tracker.isPlausible(SENDER, 0xFFFF);
        assertTrue(tracker.isPlausible(SENDER, 3));
    }

    @Test
    @DisplayName("forged source addresses take no more than a fixed number of places, and a sender is remembered again afterwards")
    void forgedSourcesTakeAFixedNumberOfPlaces() {
        for (int i = 0; i < 60_000; i++) {
            tracker.isPlausible(Gid.ofIpv4(0x0B00_0000 + i), 7);
        }
        int remembered = 0;
        // The latest first: one that is not remembered takes the place of another.
        for (int i = 59_999; i >= 0; i--) {
            remembered += tracker.isPlausible(Gid.ofIpv4(0x0B00_0000 + i), 8) ? 1 : 0;
        }
        assertEquals(IpIdTracker.PLACES, remembered, "and the hash reaches all of them");
        tracker.isPlausible(SENDER, 7);
        assertTrue(tracker.isPlausible(SENDER, 8));
    }
}
