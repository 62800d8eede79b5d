package io.rxe.qp.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.IntConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How the window follows a path of ten milliseconds that holds a thousand packets. What exceeds that waits in a queue:
 *
 * <pre>
 *   round trip = 10 ms, and 10 us for each packet of the window beyond the first thousand
 * </pre>
 */
public class DelayControlTest {
    private static final int PACKET_BYTES = 1000;
    private static final long US = 1_000;
    private static final long MS = 1_000_000;
    private static final long PATH_NS = 10 * MS;
    private static final int PATH_PACKETS = 1000;
    /** Longer than a packet waits on the path when the window is as long as it may become. */
    private static final long LONG_WAIT_NS = 40 * MS;
    private static final int BUFFER_PACKETS = 64;

    private final DelayControl window = new DelayControl(BUFFER_PACKETS * PACKET_BYTES, 100_000L * PACKET_BYTES, PACKET_BYTES);
    private long nowNs = 1_000 * MS;

    private int packets() {
        return (int) (window.windowBytes() / PACKET_BYTES);
    }

    /** The queue pairs fill the window, and so many of its packets arrive, each after one of these times in turn. */
    private void roundTrip(int arrived, boolean isExact, long... samplesNs) {
        roundTrip(arrived, isExact, 0, samplesNs);
    }

    private void roundTrip(int arrived, boolean isExact, long hostsNs, long[] samplesNs) {
        roundTrip(arrived, i -> window.onSample(samplesNs[i % samplesNs.length], 0, hostsNs, isExact, nowNs),
            samplesNs[samplesNs.length - 1]);
    }

    private void roundTrip(int arrived, IntConsumer sample, long ns) {
        nowNs += ns;
        for (int i = 0; i < Math.max(1, arrived); i++) {
            window.onFilled();
            sample.accept(i);
            window.onArrived(PACKET_BYTES, nowNs);
        }
    }

    private void roundTrip(long... samplesNs) {
        roundTrip(packets(), true, samplesNs);
    }

    @Test
    @DisplayName("a bound that is shorter than round trips that were measured is of no packet: it makes no queue of the path")
    void aShortBoundIsNoPath() {
        overPath(PATH_PACKETS, 12);
        window.onSample(US, 0, 0, false, nowNs);
        overPath(PATH_PACKETS, 12);
        assertTrue(packets() >= PATH_PACKETS, packets() + " packets");
    }

    @Test
    @DisplayName("a bound before the first round trip counts until that is measured")
    void aFirstBoundIsReplaced() {
        window.onSample(US, 0, 0, false, nowNs);
        window.onArrived(PACKET_BYTES, nowNs);
        overPath(PATH_PACKETS, 8);
        assertTrue(packets() >= PATH_PACKETS / 2, packets() + " packets");
    }

    @Test
    @DisplayName("a wait beyond the target that does not shorten as the window shrinks is a longer path: the window opens again")
    void aWaitThatLastsIsALongerPath() {
        overPath(MS, 100, 0, 40);
        assertTrue(packets() >= 100, packets() + " packets");
        overPath(MS, 100, MS / 2, 150);
        assertTrue(packets() <= 25, packets() + " packets");
        overPath(MS, 100, MS / 2, 150);
        assertTrue(packets() >= 100, packets() + " packets");
    }

    /** Round trips over a path of ten milliseconds that holds a number of packets. */
    private void overPath(int holds, int roundTrips) {
        overPath(PATH_NS, holds, 0, roundTrips);
    }

    /** Round trips over a path that holds a number of packets, beside others whose queue is so long. */
    private void overPath(long pathNs, int holds, long othersNs, int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            roundTrip(pathNs + othersNs + Math.max(0, packets() - holds) * pathNs / holds);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("what acknowledgements and READ requests wait the other way is no queue, and what arrived meanwhile is beyond the window")
    void theOtherWayIsNoQueue(boolean isRead) {
        long waitNs = 20 * MS;
        overPath(PATH_PACKETS, 40);
        for (int i = 0; i < (isRead ? 200 : 30); i++) {
            long queuedPackets = Math.max(0, packets() - PATH_PACKETS - waitNs / (10 * US));
            long sampleNs = PATH_NS + waitNs + queuedPackets * 10 * US;
            roundTrip(packets(), isRead ? packet -> window.onReadSample(sampleNs, waitNs, 0, 0, true, nowNs)
                : packet -> window.onSample(sampleNs, waitNs, 0, true, nowNs), sampleNs);
        }
        assertBetween(5 * PATH_PACKETS / 2, 7 * PATH_PACKETS / 2, packets());
    }

    /** A round trip in which some of the packets are lost. */
    private void lossyRoundTrip(int lost, long sampleNs) {
        int arrived = packets() - lost;
        window.onLost(lost, lost * PACKET_BYTES);
        roundTrip(arrived, true, sampleNs);
    }

    /** Fills a path of a millisecond that holds a hundred packets, and loses a third of the packets in a queue of two milliseconds. */
    private void overflow(long othersNs) {
        overPath(MS, 100, othersNs, 12);
        for (int i = 0; i < 3; i++) {
            lossyRoundTrip(packets() / 3, othersNs + 3 * MS);
        }
    }

    private static void assertBetween(int least, int most, int packets) {
        assertTrue(packets >= least && packets <= most, () -> packets + " packets, which is not between " + least + " and " + most);
    }

    @Test
    @DisplayName("the window opens by doubling, to what the path holds within nine round trips")
    void itOpens() {
        assertEquals(32, packets());
        overPath(PATH_PACKETS, 9);
        assertBetween(PATH_PACKETS, 3 * PATH_PACKETS / 2, packets());
    }

    @Test
    @DisplayName("once it has seen the limit the path is full, and the queue stays below half of what the path holds")
    void itStaysAtTheLimit() {
        for (int i = 0; i < 200; i++) {
            overPath(PATH_PACKETS, 1);
            assertBetween(i < 9 ? 0 : PATH_PACKETS - 10, 3 * PATH_PACKETS / 2, packets());
        }
    }

    @Test
    @DisplayName("a host that stood still for 20 s, as without memory, does not keep packets back for as long again")
    void aHostThatStoodStill() {
        for (int i = 0; i < 20; i++) {
            roundTrip(200 * US);
        }
        for (int i = 0; i < 3; i++) {
            roundTrip(1, true, 20_000 * MS);
        }
        assertTrue(window.staleNs() <= 4_000 * MS, () -> "what is lost is written off after " + window.staleNs() + " ns");
        for (long endNs = nowNs + 3_000 * MS; nowNs < endNs;) {
            nowNs += Math.max(200 * US, (long) (1e9 * PACKET_BYTES / window.bytesPerSecond()));
            window.onFilled();
            window.onSample(200 * US, 0, 0, true, nowNs);
            window.onArrived(PACKET_BYTES, nowNs);
        }
        assertTrue(window.bytesPerSecond() > 10_000_000, () -> window.bytesPerSecond() + " bytes in a second");
    }

    @Test
    @DisplayName("while the queue pairs do not fill it, it does not grow")
    void itGrowsOnDemandOnly() {
        for (int i = 0; i < 20; i++) {
            nowNs += PATH_NS;
            window.onSample(PATH_NS, 0, 0, true, nowNs);
            window.onArrived(PACKET_BYTES, nowNs);
        }
        assertEquals(32, packets());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("what the host of the peer delayed lengthens the target, but little what READ responses waited for their rate")
    void aSpacedResponseIsNoLateThread(boolean isResponse) {
        overPath(PATH_PACKETS, 20);
        long before = window.windowBytes();
        for (int i = 0; i < 4; i++) {
            IntConsumer response = packet -> window.onReadSample(3 * PATH_NS, 0, PATH_NS, 0, true, nowNs);
            roundTrip(packets(), isResponse ? response : packet -> window.onSample(3 * PATH_NS, 0, PATH_NS, true, nowNs), 3 * PATH_NS);
        }
        assertEquals(isResponse, window.windowBytes() < before * 3 / 4, before + " became " + window.windowBytes());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("a wait beyond the target shrinks it by a 32nd, and to what fits where a queue was long lately")
    void itShrinksToWhatFits(boolean wasLong) {
        overPath(MS, 100, 0, 20);
        if (wasLong) {
            overPath(MS, 100, 3 * MS, 2);
            overPath(MS, 100, 0, 20);
        }
        roundTrip(MS + MS / 2);
        double before = window.windowBytes();
        roundTrip(1, true, MS + MS / 2);
        double part = window.windowBytes() / before;
        assertTrue(wasLong ? part > 0.8 && part < 0.9 : part > 0.95 && part < 1, () -> part + " of " + before);
    }

    @Test
    @DisplayName("where the path gets narrower it is cut in proportion to the queue: ten round trips later that is short again")
    void delayCutsIt() {
        overPath(PATH_PACKETS, 20);
        overPath(PATH_PACKETS / 4, 10);
        assertBetween(PATH_PACKETS / 4, PATH_PACKETS / 2, packets());
    }

    @Test
    @DisplayName("a cut is never to less than half, and what was sent before it does not bring another")
    void oneQueueBringsOneCut() {
        overPath(PATH_PACKETS, 20);
        int before = packets();
        roundTrip(LONG_WAIT_NS);
        roundTrip(LONG_WAIT_NS);
        assertBetween(before * 15 / 32, before / 2, packets());
    }

    @Test
    @DisplayName("round trips that vary are no queue as long as the fastest are fast: it opens as if nothing varied")
    void jitterIsNoQueue() {
        for (int i = 0; i < 16; i++) {
            roundTrip(14 * MS, 12 * MS, 10 * MS, 13 * MS, 15 * MS);
        }
        assertBetween(PATH_PACKETS, 100 * PATH_PACKETS, packets());
    }

    @Test
    @DisplayName("two cuts that do not shorten round trips mean a longer path, where nothing is lost: it opens again")
    void aLongerPathIsLearned() {
        overPath(PATH_PACKETS, 20);
        overPath(4 * PATH_NS, 4 * PATH_PACKETS, 0, 15);
        assertBetween(4 * PATH_PACKETS, 8 * PATH_PACKETS, packets());
    }

    @Test
    @DisplayName("bounds of round trips, from READ responses that waited behind a gap, do not cut it")
    void boundsDoNotCutIt() {
        overPath(PATH_PACKETS, 20);
        int before = packets();
        for (int i = 0; i < 3; i++) {
            roundTrip(packets(), false, LONG_WAIT_NS);
        }
        assertBetween(before * 15 / 16, 2 * before, packets());
    }

    @Test
    @DisplayName("when a third of the packets is lost a queue overflows: it shrinks to what arrives")
    void manyLossesCutIt() {
        overPath(PATH_PACKETS, 20);
        int before = packets();
        for (int i = 0; i < 5; i++) {
            lossyRoundTrip(packets() / 3, PATH_NS);
        }
        assertBetween(before / 8, 2 * before / 3, packets());
    }

    @Test
    @DisplayName("however small it is, the peer may send four READ responses in a round trip: what is spaced longer seems lost")
    void fewResponsesAreNotSpacedForLong() {
        overPath(PATH_PACKETS, 20);
        for (int i = 0; i < 40; i++) {
            window.onLost(20, 20 * PACKET_BYTES);
            roundTrip(1, true, PATH_NS);
        }
        assertTrue(window.windowBytes() < 2 * PACKET_BYTES, () -> window.windowBytes() + " bytes");
        assertEquals(4e9 * PACKET_BYTES / PATH_NS, window.responseBytesPerSecond(), 1);
    }

    @ParameterizedTest
    @CsvSource({"400, 8, 15", "600, 0, 1", "900, 0, 1", "1100, 8, 15"})
    @DisplayName("where most of the shortest round trip may be a queue, a drain leaves a packet: those of dozens end it")
    void aDrainShowsThePath(int pathUs, int least, int most) {
        overPath(pathUs * US, 32, 0, 20);
        int drained = packets();
        for (int i = 0; i < 400; i++) {
            overPath(pathUs * US, 32, 0, 1);
            drained = Math.min(drained, packets());
        }
        assertBetween(least, most, drained);
    }

    @Test
    @DisplayName("what is found lost in the round trip after a cut and its drain belongs to the queue that was cut, and cuts no more")
    void oneOverflowBringsOneCut() {
        overPath(MS, 100, 0, 12);
        int before = packets();
        lossyRoundTrip(before / 3, 3 * MS);
        int closed = packets();
        assertBetween(0, before / 3, closed);
        while (packets() == closed) {
            roundTrip(MS);
        }
        int cut = packets();
        assertBetween(before / 2, 4 * before / 5, cut);
        lossyRoundTrip(cut / 3, MS);
        assertBetween(cut, 2 * cut, packets());
    }

    @Test
    @DisplayName("when one packet in twenty is lost the path loses packets: it stays open")
    void fewLossesDoNotCutIt() {
        overPath(PATH_PACKETS, 20);
        int before = packets();
        for (int i = 0; i < 20; i++) {
            lossyRoundTrip(packets() / 20, PATH_NS);
        }
        assertBetween(before, 100 * before, packets());
    }

    @Test
    @DisplayName("eight losses in a round trip are chance, however few packets there are")
    void eightLossesAreChance() {
        for (int i = 0; i < 3; i++) {
            window.onLost(8, 8 * PACKET_BYTES);
            roundTrip(12, true, PATH_NS);
            assertBetween(32, 128, packets());
        }
    }

    @Test
    @DisplayName("what the hosts may have caused of a round trip is no queue, and the rest is")
    void hostsAreNoQueue() {
        for (int i = 0; i < 10; i++) {
            roundTrip(20 * US);
        }
        int before = packets();
        for (int i = 0; i < 8; i++) {
            roundTrip(packets(), true, 870 * US, new long[] {900 * US});
        }
        assertEquals(before, packets());
        for (int i = 0; i < 100; i++) {
            roundTrip((20 + 40 * packets()) * US);
        }
        assertBetween(0, before / 2, packets());
    }

    @ParameterizedTest
    @ValueSource(longs = {50 * US, 2 * MS})
    @DisplayName("a host that says for long that it may cause all hides a queue of a few milliseconds, and no longer one")
    void hostsHideNoLongQueue(long pathNs) {
        roundTrip(1, true, pathNs);
        int most = 0;
        for (int i = 0; i < 400; i++) {
            long waitNs = Math.max(0, packets() - 10) * 400 * US;
            roundTrip(packets(), true, 200 * MS, new long[] {pathNs + waitNs});
            most = Math.max(most, packets());
        }
        assertBetween(10, 45, most);
    }

    @ParameterizedTest
    @ValueSource(longs = {MS - 1, MS, MS + 1})
    @DisplayName("a longer path is paced from the first round trip on, however long that is")
    void aLongerPathIsPaced(long roundTripNs) {
        assertEquals(CongestionControl.UNPACED, window.bytesPerSecond());
        roundTrip(roundTripNs);
        roundTrip(roundTripNs);
        assertNotEquals(CongestionControl.UNPACED, window.bytesPerSecond());
    }

    @Test
    @DisplayName("a path below 100 us is paced only once a queue has overflowed, and keeps the wait at three quarters of what it was")
    void aShortPathIsPacedOnceItOverflowed() {
        for (int i = 0; i < 10; i++) {
            roundTrip(20 * US);
        }
        assertEquals(CongestionControl.UNPACED, window.bytesPerSecond());
        int before = packets();
        for (int i = 0; i < 9; i++) {
            lossyRoundTrip(packets() / 4, 320 * US);
        }
        assertTrue(window.bytesPerSecond() <= 2 * window.windowBytes() * 1e9 / (320 * US), () -> window.bytesPerSecond() + " bytes/s");
        for (int i = 0; i < 10; i++) {
            roundTrip(300 * US);
        }
        assertBetween(0, before / 4, packets());
    }

    @Test
    @DisplayName("while it doubles, packets leave at twice the window in a round trip; before the first answer as they come")
    void thePaceOfDoubling() {
        assertEquals(CongestionControl.UNPACED, window.bytesPerSecond());
        overPath(PATH_PACKETS, 3);
        assertEquals(2 * window.windowBytes() / 10e-3, window.bytesPerSecond(), 1);
    }

    @Test
    @DisplayName("a notification that routers marked packets cuts it by an eighth, once in a round trip")
    void notificationsCutIt() {
        overPath(PATH_PACKETS, 20);
        int before = packets();
        assertTrue(window.onNotified(nowNs));
        assertBetween(before * 7 / 8 - 1, before * 7 / 8 + 1, packets());
        assertFalse(window.onNotified(nowNs + 50 * US));
        assertTrue(window.onNotified(nowNs + 20 * MS));
        assertBetween(before * 49 / 64 - 2, before * 49 / 64 + 2, packets());
    }

    @Test
    @DisplayName("who begins beside others sees the path, and then their queue, when all close their windows at 100 ms of the clock")
    void theQueueOfOthersIsNoPath() {
        overflow(MS);
        int before = packets();
        for (int i = 0; i < 200; i++) {
            overPath(MS, 100, nowNs % (100 * MS) < 6 * MS ? 0 : MS, 1);
        }
        assertBetween(0, before / 8, packets());
    }

    @Test
    @DisplayName("it closes its window when the clock says so, in the middle of a round trip: all who share the queue do it together")
    void itDrainsInTime() {
        overflow(0);
        overPath(MS, 100, 0, 60);
        long dueNs = (nowNs / (100 * MS) + 1) * 100 * MS;
        while (nowNs < dueNs - 2 * MS) {
            overPath(MS, 100, 0, 1);
        }
        int before = packets();
        long sentNs = nowNs - MS / 10;
        nowNs = dueNs;
        window.onSample(nowNs - sentNs, 0, 0, true, nowNs);
        window.onArrived(PACKET_BYTES, nowNs);
        assertBetween(1, before / 2, packets());
    }

    @Test
    @DisplayName("when the queue stays at four drains of the clock in a row, it follows losses as TCP does, whatever the window is")
    void itCompetes() {
        overflow(0);
        overPath(MS, 100, 4 * MS, 50);
        assertBetween(0, 2, packets());
        overPath(MS, 100, 4 * MS, 40);
        int before = packets();
        assertBetween(80, 120, before);
        window.onLost(1, PACKET_BYTES);
        overPath(MS, 100, 4 * MS, 2);
        assertBetween(before * 6 / 10, before * 8 / 10, packets());
    }

    @Test
    @DisplayName("late threads of hosts do not put that off: beside a queue that others fill it competes within seven tenths of a second")
    void hostsDoNotHideOthers() {
        overflow(0);
        for (int i = 0; i < 100; i++) {
            roundTrip(packets(), true, i % 10 == 0 ? 5 * MS : 0, new long[] {7 * MS});
        }
        assertBetween(40, 120, packets());
    }

    @Test
    @DisplayName("one drain that ends the queue does not end that: TCP was away for a moment")
    void aShortQueueOnceEndsNothing() {
        overflow(0);
        overPath(MS, 100, 4 * MS, 90);
        int before = packets();
        long fromNs = nowNs;
        while (nowNs - fromNs < 410 * MS) {
            overPath(MS, 100, 0, 1);
        }
        overPath(MS, 100, 4 * MS, 20);
        assertBetween(before, 20 * before, packets());
    }

    @Test
    @DisplayName("on a path below 100 us the buffers bound it, and a loss in four packets cuts it")
    void aShortPathFollowsLoss() {
        for (int i = 0; i < 10; i++) {
            roundTrip(20 * US);
        }
        assertEquals(BUFFER_PACKETS, packets());
        for (int i = 0; i < 4; i++) {
            lossyRoundTrip(packets() / 4, 20 * US);
        }
        assertBetween(DelayControl.MINIMUM_PACKETS, BUFFER_PACKETS * 3 / 4, packets());
    }
}
