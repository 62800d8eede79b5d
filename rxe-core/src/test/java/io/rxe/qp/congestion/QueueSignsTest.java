package io.rxe.qp.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Signs of a queue that others share")
class QueueSignsTest {
    private static final long US = 1_000;
    private static final long MS = 1_000_000;
    private static final int PACKET_BYTES = 1106;

    private final WindowedMinimum shortest = new WindowedMinimum();
    private final DelayTarget target = new DelayTarget(shortest, PACKET_BYTES);
    private final QueueDrain drain = new QueueDrain();

    /** How many regular drains are due within a time, asked each 100 us. */
    private int drains(boolean isQueued, long fromNs, long ns) {
        int count = 0;
        for (long nowNs = fromNs; nowNs < fromNs + ns; nowNs += 100 * US) {
            count += drain.takeDue(60 * US, false, isQueued, nowNs) ? 1 : 0;
        }
        return count;
    }

    @Test
    @DisplayName("where packets wait the first two drains come within 25 ms, and then one in 100 ms")
    void earlyDrains() {
        assertEquals(2, drains(true, 1000 * MS, 25 * MS));
        assertTrue(drain.isFirst());
        assertEquals(10, drains(true, 1100 * MS, 1000 * MS));
        assertFalse(drain.isFirst());
    }

    @Test
    @DisplayName("without a sign of a queue one comes in 100 ms from the start, and six are taken in any case")
    void regularDrains() {
        assertEquals(5, drains(false, 1000 * MS, 500 * MS));
        assertTrue(drain.isFirst());
        assertEquals(1, drains(false, 1500 * MS, 100 * MS));
        assertFalse(drain.isFirst());
    }

    @Test
    @DisplayName("a queue may hide in a shortest round trip of more than 500 us, and less than a millisecond")
    void hiddenQueues() {
        shortest.onSample(900 * US, MS);
        assertTrue(target.mayHide(MS));
        shortest.onSample(400 * US, MS);
        assertFalse(target.mayHide(MS));
        target.onQueue(MS);
        assertTrue(target.mayHide(MS));
    }

    @Test
    @DisplayName("an overflow bounds the wait to 3/4 of it; two packets in a row that took longer show that a queue has more room")
    void roomOfQueues() {
        shortest.onSample(60 * US, MS);
        target.onOverflow(460 * US, MS);
        assertEquals(300 * US, target.ns(PACKET_BYTES, MS));
        target.onOverflow(260 * US, MS);
        assertEquals(295_311, target.ns(PACKET_BYTES, MS), "one overflow with a shorter wait counts a 32nd");
        target.onArrived(560 * US, MS);
        assertEquals(295_311, target.ns(PACKET_BYTES, MS), "one may have met a thread that was late");
        target.onArrived(560 * US, MS);
        assertEquals(375 * US, target.ns(PACKET_BYTES, MS));
    }

    @Test
    @DisplayName("where a queue that overflowed has room for the usual wait, who saw it overflow aims at the same wait as who did not")
    void overflowsLeaveTheUsualWait() {
        shortest.onSample(60 * US, MS);
        long usualNs = target.ns(45 * PACKET_BYTES, MS);
        arrive(700 * US, MS);
        target.onOverflow(700 * US, MS);
        assertEquals(usualNs, target.ns(45 * PACKET_BYTES, MS));
        assertEquals(480 * US, target.ns(PACKET_BYTES, MS), "3/4 of 640 us");
    }

    @Test
    @DisplayName("a long round trip is forgotten after ten seconds, but not while a queue has overflowed since")
    void longRoundTripsAreForgotten() {
        long later = MS + WindowedMinimum.WINDOW_NS;
        shortest.onSample(60 * US, MS);
        arrive(860 * US, MS);
        arrive(260 * US, later - 1);
        target.onOverflow(260 * US, later - 1);
        assertEquals(585_937, target.ns(PACKET_BYTES, later - 1), "3/4 of 800 us, and of a 32nd of 600 us less");
        arrive(260 * US, later);
        assertEquals(585_937, target.ns(PACKET_BYTES, later));
        long muchLater = later + WindowedMinimum.WINDOW_NS;
        arrive(260 * US, muchLater);
        target.onOverflow(160 * US, muchLater);
        assertEquals(147_654, target.ns(PACKET_BYTES, muchLater));
    }

    private void arrive(long roundTripNs, long nowNs) {
        target.onArrived(roundTripNs, nowNs);
        target.onArrived(roundTripNs, nowNs);
    }

    @Test
    @DisplayName("a window of four packets that loses one in three overflows a queue, on a path that is not short")
    void smallWindows() {
        assertEquals(10, intervalsToOverflow(1, 2, false), "eight packets lost in the last sixteen");
        assertEquals(100, intervalsToOverflow(1, 2, true), "chance on a short path");
        assertEquals(100, intervalsToOverflow(1, 5, false), "not a quarter");
    }

    /** Each interval loses and delivers these packets. Returns the number of intervals before an overflow is seen, 100 at most. */
    private static int intervalsToOverflow(int lost, int arrived, boolean isShort) {
        LossShare share = new LossShare(7);
        int intervals = 0;
        do {
            share.onLost(lost, (long) lost * PACKET_BYTES);
        } while (!share.end((long) arrived * PACKET_BYTES, isShort) && ++intervals < 100);
        return intervals;
    }

    @Test
    @DisplayName("a single late answer is not the slowest of a round trip: two in a row are, and of many only all of a group of eight")
    void slowestGroup() {
        RoundTrip round = new RoundTrip();
        assertFalse(round.onSample(70 * US, 70 * US, 70 * US));
        assertEquals(70 * US, round.slowestNetworkNs());
        round.onSample(900 * US, 900 * US, 900 * US);
        assertEquals(70 * US, round.slowestNetworkNs());
        round.onSample(900 * US, 800 * US, 800 * US);
        assertEquals(800 * US, round.slowestNetworkNs());
        round.start(0);
        for (int i = 0; i < 32; i++) {
            long networkNs = (i % 8 == 0 ? 200 : 900) * US;
            assertEquals(i % 8 == 7, round.onSample(900 * US, networkNs, networkNs));
            if (i % 8 == 7) {
                assertEquals(200 * US, round.takeGroupNs());
            }
        }
        assertEquals(200 * US, round.slowestNetworkNs());
    }

    @Test
    @DisplayName("what waited the other way for long, and all at once seems to wait this way, is the path, which became longer")
    void aPathThatBecameLonger() {
        OtherWay way = new OtherWay(new RoundTrip());
        for (int i = 0; i < 64; i++) {
            way.onResponse(9 * MS);
            way.onRound(10 * MS);
            assertFalse(way.takePath(9 * MS), "there is a queue each way");
        }
        way.onResponse(0);
        way.onRound(10 * MS);
        assertFalse(way.takePath(0), "the queue the other way is gone");
        assertTrue(way.takePath(9 * MS));
        assertFalse(way.takePath(9 * MS), "that was taken");
    }

    @Test
    @DisplayName("what was shorter in between was a queue the other way: when it ends, one may begin this way")
    void aQueueThatEndsIsNoPath() {
        OtherWay way = new OtherWay(new RoundTrip());
        for (int i = 0; i < 640; i++) {
            way.onResponse(i % 20 == 0 ? MS : 9 * MS);
            way.onRound(10 * MS);
        }
        way.onResponse(0);
        way.onRound(10 * MS);
        assertFalse(way.takePath(9 * MS));
    }
}
