package io.rxe.qp.congestion;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** CNPs that a third party forges in the name of the peer, as many as it likes. SECURITY.md says how far they get. */
@DisplayName("A storm of forged CNPs")
class NotificationStormTest {
    private static final int PACKET_BYTES = 1000;
    private static final long US = 1_000;
    private static final int PATH_PACKETS = 200;
    private static final int STORM_ROUND_TRIPS = 500;
    private static final int CALM_ROUND_TRIPS = 100;

    private final DelayControl window = new DelayControl(4L * PATH_PACKETS * PACKET_BYTES, 100_000L * PACKET_BYTES, PACKET_BYTES);
    private long nowNs = 1_000_000 * US;
    private int cuts;
    private int least = Integer.MAX_VALUE;

    private int packets() {
        return (int) (window.windowBytes() / PACKET_BYTES);
    }

    /** A full window over a path that holds 200 packets, a number of CNPs before each arrival. */
    private void roundTrip(long pathNs, int notifications) {
        int sent = packets();
        long roundTripNs = pathNs + Math.max(0, sent - PATH_PACKETS) * pathNs / PATH_PACKETS;
        long beginNs = nowNs;
        for (int i = 1; i <= sent; i++) {
            nowNs = beginNs + roundTripNs * i / sent;
            for (int each = 0; each < notifications; each++) {
                cuts += window.onNotified(nowNs) ? 1 : 0;
            }
            window.onFilled();
            window.onSample(roundTripNs, 0, 0, true, nowNs);
            window.onArrived(PACKET_BYTES, nowNs);
            least = Math.min(least, packets());
        }
    }

    @ParameterizedTest(name = "a path of {0} us, hosts that take {1} times as long")
    @CsvSource({"20, 1", "20, 4", "200, 1", "20000, 1"})
    @DisplayName("cuts the window once in a round trip, not below 32 packets or what the path holds, and not for longer than it lasts")
    void aStormIsBounded(int pathUs, int slowly) {
        for (int i = 0; i < 50; i++) {
            roundTrip(pathUs * US, 0);
        }
        int before = packets();
        assertTrue(before >= PATH_PACKETS, () -> before + " packets before");
        least = before;
        for (int i = 0; i < STORM_ROUND_TRIPS; i++) {
            roundTrip(slowly * pathUs * US, 3);
        }
        assertTrue(cuts <= STORM_ROUND_TRIPS + 2 * slowly, () -> cuts + " cuts");
        assertTrue(least >= DelayControl.INITIAL_PACKETS, () -> least + " packets at least");
        assertTrue(packets() < before, "the storm is felt");
        for (int i = 0; i < CALM_ROUND_TRIPS; i++) {
            roundTrip(pathUs * US, 0);
        }
        assertTrue(packets() >= PATH_PACKETS, () -> packets() + " packets afterwards, " + before + " before");
    }
}
