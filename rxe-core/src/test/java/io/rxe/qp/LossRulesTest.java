package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.readRequest;
import static io.rxe.qp.FrameExpectation.writeOnly;
import static io.rxe.qp.PeerPacket.ackOf;
import static io.rxe.qp.PeerPacket.nakOf;
import static io.rxe.qp.Trace.read;
import static io.rxe.qp.Trace.write;
import static io.rxe.verbs.CompletionStatus.RETRY_EXC_ERR;
import static io.rxe.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.NicCounter;
import io.rxe.device.NicInspection;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.WorkCompletion;
import io.rxe.wire.Syndrome;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Rules G2 and G4 to G6, the side of the sender: what it takes for lost when a peer reports its gaps, and what it sends again. Every round
 * trip takes a millisecond.
 */
public class LossRulesTest {
    private static final long MS = 1_000_000;
    private static final long T14_NS = 4096L << 14;
    /** When what is not answered has been probed for: a quarter more than a round trip, and what round trips varied by. */
    private static final long PROBED_NS = 13 * MS / 10;
    /** The next PSN of a sender whose round trip is known. */
    private static final int NEXT = 0x110;
    /** The next PSN of a sender that has learned from its first loss. */
    private static final int LATER = 0x118;
    /** Eight packets. */
    private static final int MUCH = 8 * 1024;

    /** A sender that knows its peer, and the round trip: nothing was lost so far. */
    private static Trace known(TraceSetup setup) {
        Trace trace = setup.open();
        for (int psn = 0x100; psn < NEXT; psn++) {
            trace.posts(write(8)).expect(writeOnly(psn));
            trace.advanceNs(MS).peerSends(ackOf(psn).marked());
        }
        return trace.expectNothing();
    }

    /** A sender whose first loss is past: whatever is lost from now on counts at once. */
    private static Trace experienced(TraceSetup setup) {
        Trace trace = known(setup);
        posts(trace, NEXT, LATER - NEXT);
        trace.advanceNs(MS).peerSends(ackOf(NEXT - 1).report("110+1 end 118")).expect(writeOnly(NEXT));
        trace.advanceNs(MS).peerSends(ackOf(LATER - 1).marked());
        return trace.expectNothing();
    }

    private static Trace experienced() {
        return experienced(Trace.inRts());
    }

    /** Posts WRITEs of one packet each, which leave at once. */
    private static void posts(Trace trace, int psn, int count) {
        for (int i = 0; i < count; i++) {
            trace.posts(write(8)).expect(writeOnly(psn + i));
        }
    }

    /** All responses to a READ of {@link #MUCH}. */
    private static void respond(Trace trace, int psn) {
        trace.peerSends(PeerPacket.readFirst(psn, 1024).marked());
        for (int next = psn + 1; next < psn + 7; next++) {
            trace.peerSends(PeerPacket.readMiddle(next, 1024).marked());
        }
        trace.peerSends(PeerPacket.readLast(psn + 7, 1024).marked());
    }

    private static void takeCompletions(Trace trace) {
        WorkCompletion completion = new WorkCompletion();
        while (trace.completionQueue.poll(completion)) {
            assertEquals(SUCCESS, completion.status(), completion::toString);
        }
    }

    @Test
    @DisplayName("G4 all that a report shows missing is sent again at once, and nothing that it shows arrived")
    void everyGapIsRepairedAtOnce() {
        Trace trace = experienced();
        posts(trace, LATER, 8);
        trace.advanceNs(MS).peerSends(ackOf(LATER - 1).report("118+2 11b+1 11d+2 end 120"));
        trace.expect(writeOnly(0x118), writeOnly(0x119), writeOnly(0x11B), writeOnly(0x11D), writeOnly(0x11E)).expectNothing();
        trace.advanceNs(MS).peerSends(ackOf(0x11F).marked()).expectNothing();
        assertEquals(0, trace.counter(NicCounter.ACK_TIMEOUT));
    }

    @Test
    @DisplayName("G4 what was sent after the last packet that arrived is not lost")
    void whatNothingOvertookIsNotLost() {
        Trace trace = experienced();
        posts(trace, LATER, 4);
        trace.advanceNs(MS).peerSends(ackOf(LATER - 1).report("118+1 end 11a")).expect(writeOnly(0x118)).expectNothing();
        trace.advanceNs(MS / 10).expectNothing();
        trace.peerSends(ackOf(LATER - 1).report("118+1 11a+1 end 11c")).expect(writeOnly(0x11A)).expectNothing();
    }

    @Test
    @DisplayName("G4 the first loss is a test: the others are sent again when a round trip has passed")
    void theFirstLossIsATest() {
        Trace trace = known(Trace.inRts());
        posts(trace, NEXT, 8);
        trace.advanceNs(MS).peerSends(ackOf(NEXT - 1).report("110+1 112+1 114+1 end 118"));
        trace.expect(writeOnly(0x110)).expectNothing();
        trace.advanceNs(MS - 1).expectNothing();
        trace.advanceNs(1).expect(writeOnly(0x112), writeOnly(0x114)).expectNothing();
    }

    @Test
    @DisplayName("G4 a repair that is lost is sent again as soon as something sent after it has arrived: neither timer nor probe")
    void aLostRepairIsOvertakenToo() {
        Trace trace = experienced();
        posts(trace, LATER, 4);
        trace.advanceNs(MS).peerSends(ackOf(LATER - 1).report("118+1 end 11c")).expect(writeOnly(0x118));
        posts(trace, 0x11C, 1);
        trace.advanceNs(MS).peerSends(ackOf(LATER - 1).report("118+1 end 11d")).expect(writeOnly(0x118)).expectNothing();
        assertEquals(0, trace.counter(NicCounter.LOSS_PROBE) + trace.counter(NicCounter.ACK_TIMEOUT));
    }

    @Test
    @DisplayName("G4 a repair that is lost with nothing behind it is probed for within two round trips")
    void aLostRepairIsProbedFor() {
        Trace trace = experienced();
        posts(trace, LATER, 2);
        trace.advanceNs(MS).peerSends(ackOf(LATER - 1).report("118+1 end 11a")).expect(writeOnly(0x118));
        trace.advanceNs(2 * MS).expect(writeOnly(0x118));
        assertEquals(0, trace.counter(NicCounter.ACK_TIMEOUT));
    }

    @Test
    @DisplayName("G4 the last packets are lost: the last one is sent again after 5/4 of a round trip; its report tells the rest")
    void theTailIsProbed() {
        Trace trace = experienced();
        posts(trace, LATER, 3);
        trace.advanceNs(PROBED_NS).expect(writeOnly(0x11A)).expectNothing();
        trace.advanceNs(MS).peerSends(ackOf(LATER - 1).report("118+2 end 11b")).expectNothing();
        trace.advanceNs(MS).expect(writeOnly(0x118), writeOnly(0x119)).expectNothing();
        trace.advanceNs(MS / 2).peerSends(ackOf(0x11A).marked()).expectNothing();
        assertEquals(0, trace.counter(NicCounter.ACK_TIMEOUT));
    }

    @Test
    @DisplayName("G4 repairs that arrive one after another do not put off what is lost behind them: the time of the first runs out")
    void repairsDoNotPutOffWhatIsBehindThem() {
        Trace trace = experienced();
        for (int psn = LATER; psn < 0x11E; psn += 2) {
            posts(trace, psn, 2);
            trace.advanceNs(MS / 5);
        }
        posts(trace, 0x11E, 1);
        trace.advanceNs(2 * MS / 5).peerSends(ackOf(LATER - 1).report("118+1 end 11a")).expect(writeOnly(0x118));
        trace.advanceNs(MS / 5).peerSends(ackOf(LATER - 1).report("118+1 11a+1 end 11c")).expect(writeOnly(0x11A));
        trace.advanceNs(MS / 5).peerSends(ackOf(LATER - 1).report("118+1 11a+1 11c+1 end 11e")).expect(writeOnly(0x11C));
        trace.advanceNs(3 * MS / 5).peerSends(ackOf(0x119).report("11a+1 11c+1 end 11e")).expectNothing();
        trace.advanceNs(MS / 5).peerSends(ackOf(0x11B).report("11c+1 end 11e")).expectNothing();
        trace.advanceNs(MS / 5).peerSends(ackOf(0x11D).marked()).expectNothing();
        trace.advanceNs(3 * MS / 20).expect(writeOnly(0x11E));
    }

    @Test
    @DisplayName("G4 a second retransmission that is answered sooner than ever, sent after such an answer, shows a shorter path: it counts")
    void aSecondSoonAnswerShowsAShorterPath() {
        Trace trace = experienced();
        posts(trace, LATER, 8);
        trace.advanceNs(MS).peerSends(ackOf(LATER - 1).report("118+1 11a+1 end 11c")).expect(writeOnly(0x118), writeOnly(0x11A));
        trace.advanceNs(MS / 10).peerSends(ackOf(0x119).report("11a+1 end 11c"));
        trace.peerSends(ackOf(0x11B).marked()).expectNothing();
        trace.advanceNs(4 * MS / 10).expect(writeOnly(0x11F)).expectNothing();
        trace.advanceNs(MS / 10).peerSends(ackOf(0x11B).report("11c+3 end 120")).expectNothing();
        trace.advanceNs(6 * MS / 10).expect(writeOnly(0x11C), writeOnly(0x11D), writeOnly(0x11E)).expectNothing();
    }

    @Test
    @DisplayName("G4 a needless retransmission opens the reorder window: what is overtaken next may still arrive by itself")
    void theReorderWindowAdapts() {
        Trace trace = experienced();
        posts(trace, LATER, 4);
        trace.advanceNs(MS).peerSends(ackOf(LATER - 1).report("118+1 end 11c")).expect(writeOnly(0x118));
        trace.advanceNs(MS).peerSends(ackOf(0x11B).report("end 11c", 1, 1 << 16));
        posts(trace, 0x11C, 4);
        trace.advanceNs(MS).peerSends(ackOf(0x11B).report("11c+1 end 120", 1, 1 << 16)).expectNothing();
        trace.advanceNs(MS / 8).peerSends(ackOf(0x11F).report("end 120", 1, 1 << 16));
        posts(trace, 0x120, 4);
        trace.advanceNs(MS).peerSends(ackOf(0x11F).report("120+1 end 124", 1, 1 << 16)).expectNothing();
        trace.advanceNs(MS).expect(writeOnly(0x120));
    }

    @Test
    @DisplayName("G4 duplicates that follow a probe are no sign of disorder: only an acknowledgement was lost")
    void aProbeIsNoSignOfDisorder() {
        Trace trace = experienced();
        posts(trace, LATER, 1);
        trace.advanceNs(2 * MS).expect(writeOnly(0x118));
        trace.peerSends(ackOf(0x118).report("end 119", 1, 1 << 16));
        posts(trace, 0x119, 4);
        trace.advanceNs(MS).peerSends(ackOf(0x118).report("119+1 end 11d", 1, 1 << 16)).expect(writeOnly(0x119)).expectNothing();
    }

    @Test
    @DisplayName("G4 responses to a READ and to its probe are no sign of disorder, however late: the next READ leaves once (G7)")
    void lateResponsesToAProbeAreNoSignOfDisorder() {
        Trace trace = known(Trace.inRts());
        trace.posts(read(MUCH)).expect(readRequest(0x110, MUCH));
        trace.advanceNs(PROBED_NS).expect(readRequest(0x110, MUCH));
        respond(trace.advanceNs(MS), 0x110);
        respond(trace.advanceNs(10 * MS), 0x110);
        posts(trace, 0x118, 1);
        trace.advanceNs(MS).peerSends(ackOf(0x118).marked());
        trace.posts(read(MUCH)).expect(readRequest(0x119, MUCH)).expectNothing();
    }

    @Test
    @DisplayName("G4 a duplicate of a probe is no sign of disorder, however late it is reported; the next is")
    void aLateDuplicateOfAProbeIsNoSignOfDisorder() {
        Trace trace = experienced();
        posts(trace, LATER, 1);
        trace.advanceNs(2 * MS).expect(writeOnly(0x118));
        trace.peerSends(ackOf(0x118).marked());
        trace.advanceNs(10 * MS).peerSends(ackOf(0x118).report("end 119", 1, 1 << 16));
        posts(trace, 0x119, 4);
        trace.advanceNs(MS).peerSends(ackOf(0x118).report("119+1 end 11d", 1, 1 << 16)).expect(writeOnly(0x119)).expectNothing();
        trace.advanceNs(MS).peerSends(ackOf(0x11C).report("end 11d", 2, 1 << 16));
        posts(trace, 0x11D, 4);
        trace.advanceNs(MS).peerSends(ackOf(0x11C).report("11d+1 end 121", 2, 1 << 16)).expectNothing();
    }

    @Test
    @DisplayName("G4 a peer that was probed for and goes on slowly has lost nothing: what was sent before the probe is not requested again")
    void aSlowPeerHasLostNothing() {
        Trace trace = known(Trace.inRts());
        trace.posts(read(MUCH)).expect(readRequest(0x110, MUCH));
        trace.posts(read(MUCH)).expect(readRequest(0x118, MUCH));
        trace.advanceNs(PROBED_NS).expect(readRequest(0x110, MUCH));
        for (int psn = 0x110; psn < 0x120; psn++) {
            int index = psn % 8;
            trace.advanceNs(MS / 5).peerSends((index == 0 ? PeerPacket.readFirst(psn, 1024)
                : index < 7 ? PeerPacket.readMiddle(psn, 1024) : PeerPacket.readLast(psn, 1024)).marked()).expectNothing();
        }
        trace.posts(read(MUCH)).expect(readRequest(0x120, MUCH)).expectNothing();
    }

    @Test
    @DisplayName("T3 the acknowledgement of a packet that was probed is no round trip: it may have become so long, until one is measured")
    void aRetransmissionIsNoSample() {
        Trace trace = known(Trace.inRts());
        posts(trace, NEXT, 1);
        trace.advanceNs(PROBED_NS).expect(writeOnly(0x110));
        trace.advanceNs(MS / 10).peerSends(ackOf(0x110).marked());
        posts(trace, 0x111, 1);
        trace.advanceNs(PROBED_NS).expectNothing();
        trace.advanceNs(MS / 2).expect(writeOnly(0x111));
        trace.peerSends(ackOf(0x111).marked());
        posts(trace, 0x112, 1);
        trace.advanceNs(MS).peerSends(ackOf(0x112).marked());
        posts(trace, 0x113, 1);
        trace.advanceNs(PROBED_NS).expect(writeOnly(0x113));
    }

    @Test
    @DisplayName("Q7 a go-back-N peer that answers sooner than ever answers what was sent once: that is a round trip")
    void aShorterRoundTripOfAGoBackNPeerCounts() {
        Trace trace = Trace.inRts().open();
        posts(trace, 0x100, 1);
        trace.advanceNs(3 * MS).peerSends(ackOf(0x100));
        posts(trace, 0x101, 3);
        trace.advanceNs(3 * MS).peerSends(nakOf(0x101, Syndrome.PSN_SEQUENCE_ERROR)).expect(writeOnly(0x101)).expectNothing();
        trace.advanceNs(3 * MS).peerSends(ackOf(0x101)).expect(writeOnly(0x102), writeOnly(0x103)).expectNothing();
        trace.advanceNs(3 * MS).peerSends(ackOf(0x103));
        assertEquals(3 * MS, NicInspection.path(trace.pair).shortestRoundTripNs());
        posts(trace, 0x104, 1);
        trace.advanceNs(MS).peerSends(ackOf(0x104));
        assertEquals(MS, NicInspection.path(trace.pair).shortestRoundTripNs());
    }

    @Test
    @DisplayName("T3 a go-back-N peer that falls silent gets all that it may have discarded at the first probe, then the oldest alone")
    void aSilentGoBackNPeerGetsAllAgain() {
        Trace trace = Trace.inRts().open();
        posts(trace, 0x100, 1);
        trace.advanceNs(MS).peerSends(ackOf(0x100));
        posts(trace, 0x101, 2);
        trace.advanceNs(MS).peerSends(nakOf(0x101, Syndrome.PSN_SEQUENCE_ERROR)).expect(writeOnly(0x101)).expectNothing();
        trace.advanceNs(MS).peerSends(ackOf(0x101)).expect(writeOnly(0x102)).expectNothing();
        trace.advanceNs(MS).peerSends(ackOf(0x102));
        posts(trace, 0x103, 3);
        trace.advanceNs(6 * MS).expect(writeOnly(0x103), writeOnly(0x104), writeOnly(0x105)).expectNothing();
        trace.advanceNs(6 * MS).expect(writeOnly(0x103)).expectNothing();
        trace.advanceNs(MS).peerSends(ackOf(0x103)).expect(writeOnly(0x104), writeOnly(0x105)).expectNothing();
    }

    @Test
    @DisplayName("G4 a READ that the peer keeps behind a gap waits for its responses: it is not requested again")
    void aKeptReadIsNotRequestedAgain() {
        Trace trace = experienced();
        posts(trace, LATER, 1);
        trace.posts(read(2000)).expect(readRequest(0x119, 2000));
        posts(trace, 0x11B, 1);
        trace.advanceNs(MS).peerSends(ackOf(LATER - 1).report("118+1 end 11c")).expect(writeOnly(0x118)).expectNothing();
        trace.posts(read(8)).expect(readRequest(0x11C, 8));
        trace.advanceNs(MS).peerSends(ackOf(LATER - 1).report("118+1 end 11d")).expect(writeOnly(0x118)).expectNothing();
    }

    @Test
    @DisplayName("G7 after a loss a READ of eight packets is requested three times, in a full sink once, and retransmitted once")
    void readsAreRepeatedAfterALoss() {
        Trace trace = experienced();
        trace.posts(read(MUCH)).expect(readRequest(0x118, MUCH).repeated(), readRequest(0x118, MUCH).repeated()).expectNothing();
        trace.posts(read(8)).expect(readRequest(0x120, 8)).expectNothing();
        trace.posts(read(MUCH)).expect(readRequest(0x118, MUCH).repeated(), readRequest(0x121, MUCH).repeated(),
            readRequest(0x121, MUCH).repeated());
        trace.advanceNs(2 * MS).run().expect(readRequest(0x118, MUCH)).expectNothing();
        respond(trace.advanceNs(MS / 2), 0x118);
        trace.peerSends(PeerPacket.readOnly(0x120, 8).marked());
        respond(trace, 0x121);
        trace.sink.room(1);
        trace.posts(read(MUCH)).expect(readRequest(0x129, MUCH).repeated());
        trace.sink.room(100);
        trace.run().expectNothing();
        respond(trace.advanceNs(MS), 0x129);
        trace.advanceNs(1_000 * MS).posts(read(MUCH)).expect(readRequest(0x131, MUCH)).expectNothing();
    }

    @Test
    @DisplayName("G11 with max_rd_atomic 128 more READs leave to a known peer, no atomic; with a smaller one neither")
    void moreReadsThanAgreed() {
        Trace trace = experienced(Trace.inRts().congestion(CongestionOptions.NONE, null).maxRdAtomic(128));
        for (int i = 0; i < 200; i++) {
            trace.posts(read(8)).expect(readRequest(LATER + i, 8));
        }
        trace.posts(Trace.fetchAdd(1)).expectNothing();
        Trace agreed = experienced(Trace.inRts().congestion(CongestionOptions.NONE, null).maxRdAtomic(127));
        for (int i = 0; i < 127; i++) {
            agreed.posts(read(8)).expect(readRequest(LATER + i, 8));
        }
        agreed.posts(read(8)).expectNothing();
    }

    @Test
    @DisplayName("G2 behind a gap, nothing is sent that the peer has no room for; when the gap is closed the rest follows")
    void theRoomIsKept() {
        Trace trace = experienced();
        posts(trace, LATER, 4);
        trace.advanceNs(MS).peerSends(ackOf(LATER - 1).report("118+1 end 11c", 0, 6)).expect(writeOnly(0x118));
        trace.posts(write(8), write(8), write(8), write(8)).expect(writeOnly(0x11C), writeOnly(0x11D)).expectNothing();
        trace.advanceNs(MS).peerSends(ackOf(0x11D).marked()).expect(writeOnly(0x11E), writeOnly(0x11F)).expectNothing();
    }

    @Test
    @DisplayName("G5 each loss of the oldest packet uses up a retry")
    void lossesOfTheOldestAreCharged() {
        Trace trace = experienced(Trace.inRts().retryCount(2));
        posts(trace, LATER, 2);
        trace.advanceNs(MS).peerSends(ackOf(LATER - 1).report("118+1 end 11a")).expect(writeOnly(0x118));
        posts(trace, 0x11A, 1);
        trace.advanceNs(MS).peerSends(ackOf(LATER - 1).report("118+1 end 11b")).expect(writeOnly(0x118));
        takeCompletions(trace);
        posts(trace, 0x11B, 1);
        trace.advanceNs(MS).peerSends(ackOf(LATER - 1).report("118+1 end 11c")).expectNothing();
        trace.expectCompletion(LATER - 0x100 + 1, RETRY_EXC_ERR);
    }

    @Test
    @DisplayName("G5 the losses of one round trip use up one retry, however many there are")
    void otherLossesAreNotCharged() {
        Trace trace = experienced(Trace.inRts().retryCount(1));
        posts(trace, LATER, 6);
        trace.advanceNs(MS).peerSends(ackOf(LATER - 1).report("118+1 11a+1 11c+1 end 11e"));
        trace.expect(writeOnly(0x118), writeOnly(0x11A), writeOnly(0x11C)).expectNothing();
        trace.advanceNs(MS).peerSends(ackOf(0x11D).marked()).expectNothing().expectState(QueuePairState.RTS);
    }

    @Test
    @DisplayName("G6 a PSN sequence NAK revokes every report: all that is not acknowledged is sent again")
    void aNakRevokesReports() {
        Trace trace = experienced();
        posts(trace, LATER, 4);
        trace.advanceNs(MS).peerSends(ackOf(LATER - 1).report("118+1 end 11c")).expect(writeOnly(0x118));
        trace.advanceNs(MS).peerSends(nakOf(0x118, Syndrome.PSN_SEQUENCE_ERROR).marked());
        trace.expect(writeOnly(0x118), writeOnly(0x119), writeOnly(0x11A), writeOnly(0x11B)).expectNothing();
    }

    @Test
    @DisplayName("G6 an ACK timeout revokes every report")
    void aTimeoutRevokesReports() {
        Trace trace = experienced();
        posts(trace, LATER, 4);
        trace.advanceNs(MS).peerSends(ackOf(LATER - 1).report("118+1 end 11c")).expect(writeOnly(0x118));
        trace.advanceNs(T14_NS - 1);
        trace.takeAll();
        trace.advanceNs(1).expect(writeOnly(0x118), writeOnly(0x119), writeOnly(0x11A), writeOnly(0x11B)).expectNothing();
    }

    @Test
    @DisplayName("T3 Q5 behind an ACK timeout no response to a READ that has arrived counts as lost")
    void whatHasArrivedIsNotLost() {
        Trace trace = experienced();
        trace.posts(read(MUCH)).expect(readRequest(LATER, MUCH));
        for (int psn = LATER + 1; psn < LATER + 7; psn++) {
            trace.peerSends(PeerPacket.readMiddle(psn, 1024).marked());
        }
        trace.peerSends(PeerPacket.readLast(LATER + 7, 1024).marked());
        trace.advanceNs(2 * T14_NS).takeAll();
        assertEquals(1, trace.counter(NicCounter.ACK_TIMEOUT));
        assertEquals(0, NicInspection.lostPackets(trace.pair));
    }

    @Test
    @DisplayName("T3 a queue pair that was never answered is probed only while the peer answers another")
    void whoAnswersNobodyIsNotProbed() {
        Trace trace = Trace.inRts().hostilePeer().timeout(14).retryCount(1).open();
        QueuePair second = trace.secondInRts();
        trace.posts(Trace.send(8)).run().takeAll();
        trace.peerSends(ackOf(0x100));
        second.postSend(Trace.write(8));
        int frames = trace.run().takeAll().size();
        for (int i = 0; i < 200; i++) {
            frames += trace.advanceNs(1_000_000).takeAll().size();
        }
        assertEquals(2, frames, "1 + retry_cnt");
        assertEquals(0, trace.counter(NicCounter.LOSS_PROBE));
        assertEquals(QueuePairState.ERROR, second.state());
    }

    @Test
    @DisplayName("T3 what could not leave again since it was lost is not lost once more by the next ACK timeout")
    void whatHasNotLeftIsNotLostAgain() {
        Trace trace = Trace.inRts().timeout(10).retryCount(7).open();
        for (int psn = 0x100; psn < 0x10A; psn++) {
            trace.posts(write(1024)).expect(writeOnly(psn));
        }
        trace.sink.room(0);
        for (int timeouts = 1; timeouts <= 4; timeouts++) {
            while (trace.counter(NicCounter.ACK_TIMEOUT) < timeouts) {
                trace.advanceNs(MS);
            }
            trace.sink.room(1);
            trace.run().expect(writeOnly(0x100)).expectNothing();
        }
        trace.sink.room(100);
        trace.run().expect(writeOnly(0x101), writeOnly(0x102), writeOnly(0x103)).expectNothing();
    }

    @Test
    @DisplayName("what a queue pair sent that has failed is no silence of the peer: others write off what is in flight")
    void whoHasFailedIsOwedNoAnswer() {
        Trace trace = Trace.inRts().hostilePeer().congestion(CongestionOptions.NONE, null).open();
        QueuePair second = trace.secondInRts();
        QueuePair third = trace.secondInRts();
        trace.posts(write(8)).expect(writeOnly(0x100));
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        trace.advanceNs(10_000 * MS);
        for (int i = 0; i < 16; i++) {
            second.postSend(write(1 << 18));
        }
        assertTrue(trace.run().takeAll().size() < 16 << 8, "the window is full");
        for (int i = 0; i < 16; i++) {
            third.postSend(write(8));
        }
        trace.expectNothing().advanceNs(60 * MS);
        assertEquals(16, trace.takeAll().stream().filter(frame -> frame.bytes().length < 64).count());
    }
}
