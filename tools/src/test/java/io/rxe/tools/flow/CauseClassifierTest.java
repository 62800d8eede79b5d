package io.rxe.tools.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.wire.Gid;
import io.rxe.wire.Opcode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Why a request was sent again, from what came before it")
class CauseClassifierTest {
    private static final long US = 1000;
    private static final long ROUND_TRIP_NS = 100 * US;

    private final CauseClassifier classifier = new CauseClassifier();

    private void sent(int count, boolean marked) {
        for (int seq = 0; seq < count; seq++) {
            classifier.onFirst(seq, seq * US, marked);
        }
    }

    private RetransmissionCause again(long seq, long us) {
        return again(seq, us, false);
    }

    private RetransmissionCause again(long seq, long us, boolean fillsGap) {
        FlowPacket packet = FlowPackets.once("1", us * US, Gid.parse("10.0.0.1"), Gid.parse("10.0.0.2"), Opcode.RC_SEND_ONLY, 2, (int) seq,
            true, -1, 1024, -1, -1, null, null, "", false, "");
        return classifier.onAgain(packet, seq, seq + 1, seq, fillsGap, false, ROUND_TRIP_NS);
    }

    @Test
    @DisplayName("Q7 what a NAK names, and what follows it at once, is its doing; a later silence is not")
    void aNakAndWhatFollows() {
        sent(10, false);
        classifier.onResponse(110 * US);
        classifier.onMissing(4, 5, RetransmissionCause.SEQUENCE_NAK, 110 * US);
        for (int seq = 4; seq < 10; seq++) {
            assertEquals(RetransmissionCause.SEQUENCE_NAK, again(seq, 120 + seq), "PSN " + seq);
        }
        assertEquals(RetransmissionCause.TIMEOUT, again(4, 70_000));
    }

    @Test
    @DisplayName("G2, G4 a report names packets one by one; a sender that waited before it believed it has a reorder timer")
    void reportsAndTheReorderTimer() {
        sent(10, true);
        classifier.onResponse(110 * US);
        classifier.onMissing(2, 3, RetransmissionCause.GAP_REPORT, 110 * US);
        classifier.onMissing(6, 7, RetransmissionCause.GAP_REPORT, 110 * US);
        assertEquals(RetransmissionCause.GAP_REPORT, again(2, 130));
        // The report comes again with every acknowledgement: the wait counts from the first.
        classifier.onMissing(6, 7, RetransmissionCause.GAP_REPORT, 500 * US);
        assertEquals(RetransmissionCause.REORDER_TIMER, again(6, 510));
    }

    @Test
    @DisplayName("T3 silence is a probe of an rxe for a time, and else a timeout; only an rxe probes")
    void silence() {
        sent(3, true);
        classifier.onResponse(100 * US);
        assertEquals(RetransmissionCause.PROBE, again(2, 600));
        assertEquals(RetransmissionCause.TIMEOUT, again(2, 80_000));
        CauseClassifierTest kernel = new CauseClassifierTest();
        kernel.sent(3, false);
        kernel.classifier.onResponse(100 * US);
        assertEquals(RetransmissionCause.TIMEOUT, kernel.again(2, 600));
    }

    @Test
    @DisplayName("T3 the ACK timeout in the REQ tells probes and timeouts apart, also after a probe")
    void aShortTimeout() {
        classifier.ackTimeout(8);
        sent(1, true);
        classifier.onResponse(100 * US);
        classifier.onProgress(1, 1);
        classifier.onFirst(1, 200 * US, true);
        assertEquals(RetransmissionCause.PROBE, again(1, 600));
        assertEquals(RetransmissionCause.PROBE, again(1, 1000));
        assertEquals(RetransmissionCause.TIMEOUT, again(1, 1250));
        assertEquals(RetransmissionCause.PROBE, again(1, 1700));
        assertEquals(RetransmissionCause.TIMEOUT, again(1, 2300));
    }

    @Test
    @DisplayName("T8 each RNR NAK causes one more retransmission, and no timeout")
    void everyRnrNakCounts() {
        sent(1, false);
        for (int attempt = 1; attempt < 4; attempt++) {
            classifier.onResponse(attempt * 1000 * US);
            classifier.onMissing(0, 1, RetransmissionCause.RNR, attempt * 1000 * US);
            assertEquals(RetransmissionCause.RNR, again(0, attempt * 1000 + 700));
        }
    }

    @Test
    @DisplayName("what is too early for any timer was not retransmitted; without responses nobody can tell")
    void copiesDisorderAndNoResponses() {
        sent(10, false);
        assertEquals(RetransmissionCause.NOT_CAPTURED, again(3, 500));
        classifier.onResponse(600 * US);
        classifier.onFirst(20, 700 * US, false);
        assertEquals(RetransmissionCause.COPY, again(20, 720));
        classifier.onGap(10, 800 * US);
        assertEquals(RetransmissionCause.DISORDER, again(12, 820, true));
    }

    @Test
    @DisplayName("M1 what is sent again on another path is no timeout")
    void anotherPath() {
        sent(4, false);
        classifier.onResponse(100 * US);
        classifier.onPath(70_000 * US);
        assertEquals(RetransmissionCause.MIGRATION, again(3, 70_000));
        assertEquals(RetransmissionCause.TIMEOUT, again(3, 140_000));
    }
}
