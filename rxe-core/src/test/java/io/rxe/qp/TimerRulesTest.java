package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.readRequest;
import static io.rxe.qp.FrameExpectation.sendFirst;
import static io.rxe.qp.FrameExpectation.sendOnly;
import static io.rxe.qp.PeerPacket.ackOf;
import static io.rxe.qp.PeerPacket.nakOf;
import static io.rxe.qp.PeerPacket.rnrOf;
import static io.rxe.qp.Trace.read;
import static io.rxe.qp.Trace.send;
import static io.rxe.verbs.CompletionStatus.RETRY_EXC_ERR;
import static io.rxe.verbs.CompletionStatus.RNR_RETRY_EXC_ERR;
import static io.rxe.verbs.CompletionStatus.SUCCESS;
import static io.rxe.verbs.CompletionStatus.WR_FLUSH_ERR;
import static io.rxe.wire.Syndrome.PSN_SEQUENCE_ERROR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.NicCounter;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttribute;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Opcode;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules T1 to T9: the two timers and the two counters of a requester. */
public class TimerRulesTest {
    private static final long T8_NS = 4096L << 8;
    private static final long T14_NS = 4096L << 14;

    static IntStream timeoutCodes() {
        return IntStream.rangeClosed(8, 31);
    }

    static IntStream rnrCodes() {
        return IntStream.range(0, 32);
    }

    @ParameterizedTest
    @MethodSource("timeoutCodes")
    @DisplayName("T1 timeout code n is 4.096 us x 2^n; expiry is detected between T and 4T")
    void theTimeoutIsAsTheCodeSays(int code) {
        Trace trace = Trace.inRts().timeout(code).open();
        long timeoutNs = 4096L * (1L << code);
        trace.posts(send(8)).expect(sendOnly(0x100));
        trace.advanceNs(timeoutNs - 1).expectNothing();
        trace.advanceNs(3 * timeoutNs + 1);
        assertEquals(0x100, trace.next().psn());
    }

    @Test
    @DisplayName("T1 T5 code 0: no timer; T4 1 to 7 are raised to the published minimum")
    void shortTimeoutsAreRaised() {
        for (int code = 1; code <= 8; code++) {
            Trace trace = Trace.inRts().timeout(code).open();
            assertEquals(8, trace.nic.attributes().localAckDelayCode());
            trace.posts(send(8)).expect(sendOnly(0x100));
            trace.advanceNs(T8_NS - 1).expectNothing();
            trace.advanceNs(3 * T8_NS);
            assertEquals(0x100, trace.next().psn());
        }
    }

    @Test
    @DisplayName("T2 the timer runs from the request when that is later than the last response")
    void theTimerRunsFromTheRequest() {
        Trace trace = Trace.inRts().open();
        trace.advance(10, TimeUnit.SECONDS);
        trace.posts(send(8)).expect(sendOnly(0x100));
        trace.advanceNs(T14_NS - 1).expectNothing();
    }

    @Test
    @DisplayName("T2 a valid response restarts the timer while more is outstanding")
    void aResponseStartsTheTimerAnew() {
        Trace trace = Trace.inRts().retryCount(1).open();
        trace.posts(send(8), send(8)).takeAll();
        trace.advanceNs(T14_NS - 1000);
        trace.peerSends(ackOf(0x100)).takeAll();
        trace.advanceNs(T14_NS - 1000);
        assertEquals(0, trace.counter(NicCounter.ACK_TIMEOUT));
        trace.advanceNs(3 * T14_NS);
        assertTrue(trace.counter(NicCounter.ACK_TIMEOUT) > 0);
    }

    @Test
    @DisplayName("T3 Q7 a timeout behind a repaired READ tells nothing of what the peer keeps: the next loss shows that it goes back")
    void aTimeoutBehindARepairedReadLearnsNothing() {
        Trace trace = Trace.inRts().timeout(10).open();
        trace.posts(send(8)).takeAll();
        trace.advance(1, TimeUnit.MILLISECONDS).peerSends(ackOf(0x100)).posts(read(2000), send(8)).takeAll();
        trace.peerSends(nakOf(0x101, PSN_SEQUENCE_ERROR)).expect(readRequest(0x101, 2000)).expectNothing();
        trace.peerSends(PeerPacket.readFirst(0x101, 1024), PeerPacket.readLast(0x102, 976)).expectNothing();
        trace.advanceNs(4_500_000).expect(sendOnly(0x103)).expectNothing();
        assertEquals(1, trace.counter(NicCounter.ACK_TIMEOUT));
        trace.peerSends(ackOf(0x103)).posts(send(8), send(8), send(8)).takeAll();
        trace.peerSends(nakOf(0x104, PSN_SEQUENCE_ERROR)).expect(sendOnly(0x104)).expectNothing();
        trace.peerSends(ackOf(0x104)).expect(sendOnly(0x105), sendOnly(0x106)).expectNothing();
    }

    @Test
    @DisplayName("T2 the timer stops when nothing is outstanding")
    void theTimerStopsWhenNothingIsOutstanding() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8)).takeAll();
        trace.peerSends(ackOf(0x100));
        trace.advance(100, TimeUnit.SECONDS).expectNothing().expectState(QueuePairState.RTS);
        assertEquals(0, trace.counter(NicCounter.ACK_TIMEOUT));
    }

    @Test
    @DisplayName("T1 T3 while the peer answers another queue pair, the timer expires later with each failure, after 4T at most")
    void queuesFullOfOthersDelayTheTimer() {
        Trace trace = Trace.inRts().hostilePeer().timeout(10).retryCount(7).open();
        QueuePair second = trace.secondInRts();
        second.postSend(Trace.write(8));
        long timeoutNs = 4096L << 10;
        long sentNs = trace.nowNs();
        int failures = 0;
        trace.run().takeAll();
        for (int psn = 0x100; failures < 6; psn++) {
            trace.posts(send(8)).advanceNs(timeoutNs / 16);
            trace.takeAll();
            if (trace.counter(NicCounter.ACK_TIMEOUT) > failures) {
                double timeouts = (double) (trace.nowNs() - sentNs) / timeoutNs;
                int before = Math.min(3, failures);
                assertTrue(timeouts >= 1 + before / 2.0 && timeouts <= 1 + before + 1 / 16.0, timeouts + " T after failure " + failures);
                sentNs = trace.nowNs();
                failures++;
            }
            trace.peerSends(ackOf(psn));
        }
    }

    @Test
    @DisplayName("T2 the timer does not run for packets that demand no response yet, because the sink is full")
    void theTimerWaitsForARequestThatDemandsAResponse() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8)).takeAll();
        trace.sink.room(3);
        trace.posts(send(20 * 1024)).takeAll();
        trace.peerSends(ackOf(0x100));
        trace.advance(10, TimeUnit.SECONDS).expectState(QueuePairState.RTS);
        assertEquals(0, trace.counter(NicCounter.ACK_TIMEOUT));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
    @DisplayName("T3 T6 retry_cnt n means 1 + n transmissions, after T and then up to 5/4 T; then RETRY_EXC_ERR, ERROR and flush")
    void retriesRunOut(int retryCount) {
        Trace trace = Trace.inRts().timeout(10).retryCount(retryCount).open();
        long timeoutNs = 4096L << 10;
        trace.posts(send(8), send(8));
        trace.postsReceives(64);
        trace.expect(sendOnly(0x100), sendOnly(0x101));
        for (int i = 0; i < retryCount; i++) {
            int steps = 0;
            List<Integer> psns;
            do {
                psns = trace.advanceNs(timeoutNs / 64).takeAll().stream().map(SentFrame::psn).toList();
                steps++;
            } while (psns.isEmpty() && steps < 100);
            assertEquals(List.of(0x100, 0x101), psns);
            assertTrue(steps >= 64 && steps <= (i == 0 ? 64 : 81), steps + " 64ths of T after failure " + i);
        }
        trace.expectState(QueuePairState.RTS).expectNoCompletion();
        trace.advanceNs(4 * timeoutNs).expectNothing();
        String text = trace.expectCompletion(1, RETRY_EXC_ERR).explanation();
        assertTrue(text.contains("10.0.0.2") && text.contains("0x777") && text.contains("000100"), text);
        trace.expectCompletion(2, WR_FLUSH_ERR);
        trace.expectCompletion(100, WR_FLUSH_ERR);
        trace.expectNoCompletion().expectState(QueuePairState.ERROR);
        assertEquals(1, trace.counter(NicCounter.RETRY_EXCEEDED_ERR));
    }

    @Test
    @DisplayName("T3 expiry retransmits from the oldest unacked PSN")
    void expiryResendsFromTheOldestUnackedPsn() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8), send(8), send(8)).takeAll();
        trace.advance(10, TimeUnit.MILLISECONDS);
        trace.peerSends(ackOf(0x100)).takeAll();
        trace.advanceNs(2 * T14_NS);
        assertTrue(trace.takeAll().stream().noneMatch(frame -> frame.psn() == 0x100));
        trace.peerSends(ackOf(0x102)).expectState(QueuePairState.RTS);
        trace.expectCompletion(1, SUCCESS);
    }

    @Test
    @DisplayName("T3 a retry that finds the sink full is no transmission and charges no further retry")
    void aFullSinkUsesUpNoRetries() {
        Trace trace = Trace.inRts().timeout(10).retryCount(2).open();
        trace.posts(send(8)).expect(sendOnly(0x100));
        trace.sink.room(0);
        trace.advance(1, TimeUnit.SECONDS).expectState(QueuePairState.RTS);
        trace.sink.room(100);
        trace.run().expect(sendOnly(0x100));
        trace.peerSends(ackOf(0x100)).expectCompletion(1, SUCCESS);
    }

    @Test
    @DisplayName("T3 T6 a sequence NAK that arrives before the retransmission after a timeout has left charges no further retry")
    void aNakBeforeTheRepetitionLeavesIsNotCounted() {
        Trace trace = Trace.inRts().timeout(10).retryCount(1).open();
        trace.posts(send(8)).expect(sendOnly(0x100));
        trace.sink.room(0);
        trace.advance(5, TimeUnit.MILLISECONDS);
        trace.peerSends(nakOf(0x100, PSN_SEQUENCE_ERROR)).expectState(QueuePairState.RTS);
        trace.sink.room(100);
        trace.run().expect(sendOnly(0x100));
        trace.peerSends(ackOf(0x100)).expectCompletion(1, SUCCESS);
    }

    @Test
    @DisplayName("T3 T6 a timeout that expires before the retransmission after a sequence NAK has left charges no further retry")
    void aTimeoutBeforeTheRepetitionLeavesIsNotCounted() {
        Trace trace = Trace.inRts().timeout(10).retryCount(1).open();
        trace.posts(send(8)).expect(sendOnly(0x100));
        trace.sink.room(0);
        trace.peerSends(nakOf(0x100, PSN_SEQUENCE_ERROR));
        trace.advance(1, TimeUnit.SECONDS).expectState(QueuePairState.RTS);
        trace.sink.room(100);
        trace.run().expect(sendOnly(0x100));
        trace.advanceNs(4096L << 10).expectNothing();
        trace.expectCompletion(1, RETRY_EXC_ERR);
    }

    @Test
    @DisplayName("T3 a READ is retried like any other request")
    void aReadIsRetried() {
        Trace trace = Trace.inRts().timeout(10).retryCount(2).open();
        trace.posts(read(3000)).expect(readRequest(0x100, 3000));
        trace.advance(1, TimeUnit.SECONDS);
        trace.expect(readRequest(0x100, 3000), readRequest(0x100, 3000)).expectNothing();
        trace.expectCompletion(1, RETRY_EXC_ERR);
    }

    @Test
    @DisplayName("T5 timeout 0: no timer-driven retry and no time-based failure")
    void withoutATimerNothingIsRetriedByTime() {
        Trace trace = Trace.inRts().timeout(0).open();
        trace.posts(send(8), read(2000)).takeAll();
        trace.advance(1, TimeUnit.HOURS).expectNothing().expectState(QueuePairState.RTS);
        trace.peerSends(ackOf(0x100)).expectCompletion(1, SUCCESS);
        trace.posts(send(8)).takeAll();
        trace.advance(1, TimeUnit.HOURS).expectNothing().expectState(QueuePairState.RTS);
    }

    @Test
    @DisplayName("T5 T6 Q7 timeout 0: retries driven by NAKs still run and still exhaust retry_cnt")
    void withoutATimerNaksStillExhaustTheRetries() {
        Trace trace = Trace.inRts().timeout(0).retryCount(2).open();
        trace.posts(send(8)).expect(sendOnly(0x100));
        for (int i = 0; i < 2; i++) {
            trace.advance(1, TimeUnit.SECONDS);
            trace.peerSends(nakOf(0x100, PSN_SEQUENCE_ERROR)).expect(sendOnly(0x100)).expectNothing();
        }
        trace.advance(1, TimeUnit.SECONDS);
        trace.peerSends(nakOf(0x100, PSN_SEQUENCE_ERROR)).expectNothing();
        trace.expectCompletion(1, RETRY_EXC_ERR);
        trace.expectState(QueuePairState.ERROR);
    }

    @Test
    @DisplayName("T6 retry_cnt counts timeouts and sequence NAKs alike")
    void timeoutsAndNaksShareTheCounter() {
        Trace trace = Trace.inRts().timeout(10).retryCount(2).open();
        trace.posts(send(8)).expect(sendOnly(0x100));
        trace.peerSends(nakOf(0x100, PSN_SEQUENCE_ERROR)).expect(sendOnly(0x100));
        trace.advanceNs(4096L << 10).expect(sendOnly(0x100));
        trace.advanceNs(4 * (4096L << 10)).expectNothing();
        trace.expectCompletion(1, RETRY_EXC_ERR);
    }

    @Test
    @DisplayName("T6 forward progress reloads both counters")
    void progressReloadsBothCounters() {
        Trace trace = Trace.inRts().timeout(0).retryCount(1).rnrRetry(1).open();
        for (int i = 0; i < 10; i++) {
            int psn = 0x100 + i;
            trace.posts(send(8)).expect(sendOnly(psn));
            trace.peerSends(nakOf(psn, PSN_SEQUENCE_ERROR)).expect(sendOnly(psn));
            trace.peerSends(rnrOf(psn, 1)).advance(1, TimeUnit.MILLISECONDS).expect(sendOnly(psn));
            trace.peerSends(ackOf(psn)).expectNothing();
            trace.expectCompletion(i + 1, SUCCESS);
        }
    }

    @Test
    @DisplayName("T6 a response that acknowledges nothing new reloads no counter")
    void repeatedResponsesAreNoProgress() {
        Trace trace = Trace.inRts().timeout(0).retryCount(1).open();
        trace.posts(send(8), send(8)).takeAll();
        trace.peerSends(ackOf(0x100)).advance(1, TimeUnit.SECONDS);
        trace.peerSends(nakOf(0x101, PSN_SEQUENCE_ERROR)).expect(sendOnly(0x101)).advance(1, TimeUnit.SECONDS);
        trace.peerSends(ackOf(0x100), nakOf(0x101, PSN_SEQUENCE_ERROR)).expectNothing();
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, RETRY_EXC_ERR);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
    @DisplayName("T6 Q8 rnr_retry counts RNR NAKs only; exhausted it is RNR_RETRY_EXC_ERR, ERROR, flush")
    void rnrRetriesRunOut(int rnrRetry) {
        Trace trace = Trace.inRts().timeout(0).retryCount(0).rnrRetry(rnrRetry).open();
        trace.posts(send(8), send(8)).expect(sendOnly(0x100), sendOnly(0x101));
        for (int i = 0; i < rnrRetry; i++) {
            trace.peerSends(rnrOf(0x100, 1)).expectNothing();
            trace.advance(1, TimeUnit.MILLISECONDS).expect(sendOnly(0x100));
            if (i == 0) {
                trace.expect(sendOnly(0x101));
            }
        }
        trace.peerSends(rnrOf(0x100, 1)).expectNothing();
        String text = trace.expectCompletion(1, RNR_RETRY_EXC_ERR).explanation();
        assertTrue(text.contains("10.0.0.2") && text.contains("receive request"), text);
        trace.expectCompletion(2, WR_FLUSH_ERR);
        trace.expectNoCompletion().expectState(QueuePairState.ERROR);
        assertEquals(1, trace.counter(NicCounter.RETRY_RNR_EXCEEDED_ERR));
    }

    @Test
    @DisplayName("T6 rnr_retry 7 is infinite")
    void rnrRetrySevenIsEndless() {
        Trace trace = Trace.inRts().rnrRetry(7).open();
        trace.posts(send(8)).expect(sendOnly(0x100));
        for (int i = 0; i < 200; i++) {
            trace.peerSends(rnrOf(0x100, 1));
            trace.advance(1, TimeUnit.MILLISECONDS).expect(sendOnly(0x100));
        }
        trace.peerSends(ackOf(0x100)).expectCompletion(1, SUCCESS);
    }

    @Test
    @DisplayName("T6 retry_cnt 7 is infinite only with the rxe compatibility setting")
    void retrySevenIsEndlessOnRequest() {
        Trace trace = Trace.inRts().timeout(8).retryCount(7).rxeRetryCompatibility().open();
        trace.posts(send(8));
        trace.advance(1, TimeUnit.SECONDS).expectState(QueuePairState.RTS);
        assertTrue(trace.takeAll().size() > 100);
        trace.peerSends(ackOf(0x100)).expectCompletion(1, SUCCESS);
    }

    @ParameterizedTest
    @MethodSource("rnrCodes")
    @DisplayName("T7 T8 the 32 RNR delays: the packet is retransmitted soon after, never before")
    void theRnrDelayIsAsTheCodeSays(int code) {
        double[] table = {655.36, .01, .02, .03, .04, .06, .08, .12, .16, .24, .32, .48, .64, .96, 1.28, 1.92, 2.56, 3.84, 5.12, 7.68,
            10.24, 15.36, 20.48, 30.72, 40.96, 61.44, 81.92, 122.88, 163.84, 245.76, 327.68, 491.52};
        long delayNs = Math.round(table[code] * 1e6);
        Trace trace = Trace.inRts().timeout(8).open();
        trace.posts(send(8)).expect(sendOnly(0x100));
        trace.peerSends(rnrOf(0x100, code)).expectNothing();
        trace.advanceNs(delayNs - 1).expectNothing();
        trace.advanceNs(1).expect(sendOnly(0x100)).expectNothing();
        assertEquals(0, trace.counter(NicCounter.ACK_TIMEOUT));
    }

    @Test
    @DisplayName("T8 the ACK timer does not expire during the RNR wait, and restarts after it")
    void theTransportTimerRestsDuringTheRnrDelay() {
        Trace trace = Trace.inRts().timeout(8).retryCount(0).rnrRetry(1).open();
        trace.posts(send(8)).expect(sendOnly(0x100));
        trace.peerSends(rnrOf(0x100, 31));
        trace.advance(490, TimeUnit.MILLISECONDS).expectNothing().expectState(QueuePairState.RTS);
        trace.advanceNs(1_520_000).expect(sendOnly(0x100));
        trace.advanceNs(T8_NS - 1).expectState(QueuePairState.RTS);
        trace.advanceNs(4 * T8_NS).expectCompletion(1, RETRY_EXC_ERR);
    }

    @Test
    @DisplayName("T8 during the RNR wait a sequence NAK for the same packet neither retransmits it nor charges a retry")
    void aSequenceNakDuringTheRnrDelayChangesNothing() {
        Trace trace = Trace.inRts().retryCount(0).rnrRetry(1).open();
        trace.posts(send(8), send(8)).takeAll();
        trace.peerSends(rnrOf(0x100, 20), nakOf(0x100, PSN_SEQUENCE_ERROR)).expectNothing().expectState(QueuePairState.RTS);
        trace.advanceNs(10_240_000 - 1).expectNothing();
        trace.advanceNs(1).expect(sendOnly(0x100), sendOnly(0x101));
        trace.peerSends(ackOf(0x101)).expectCompletion(1, SUCCESS);
    }

    @Test
    @DisplayName("T8 a second copy of an RNR NAK neither prolongs the RNR wait nor charges a retry")
    void aCopyOfAnRnrNakChangesNothing() {
        Trace trace = Trace.inRts().rnrRetry(1).open();
        trace.posts(send(8)).takeAll();
        trace.peerSends(rnrOf(0x100, 20)).advance(10, TimeUnit.MILLISECONDS);
        trace.peerSends(rnrOf(0x100, 20)).expectState(QueuePairState.RTS);
        trace.advanceNs(240_000).expect(sendOnly(0x100));
    }

    @Test
    @DisplayName("T8 Q4 an RNR NAK behind a READ whose response was lost: the READ is retransmitted, the packet waits")
    void anRnrNakBehindALostReadAnswer() {
        Trace trace = Trace.inRts().open();
        trace.posts(read(8), send(8)).takeAll();
        trace.peerSends(rnrOf(0x101, 31));
        trace.advance(100, TimeUnit.MILLISECONDS);
        for (SentFrame frame : trace.takeAll()) {
            assertEquals(0x100, frame.psn(), frame::toString);
        }
        trace.peerSends(PeerPacket.readOnly(0x100, 8)).expectCompletion(1, SUCCESS);
        trace.advance(391, TimeUnit.MILLISECONDS);
        for (SentFrame frame : trace.takeAll()) {
            assertEquals(0x100, frame.psn(), frame::toString);
        }
        trace.advance(2, TimeUnit.MILLISECONDS).expect(sendOnly(0x101));
        trace.peerSends(ackOf(0x101)).expectCompletion(2, SUCCESS);
    }

    @Test
    @DisplayName("T8 an RNR NAK for a later packet during an RNR wait starts a wait of its own")
    void aLaterRnrNakBeginsItsOwnDelay() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8), send(8)).takeAll();
        trace.peerSends(rnrOf(0x100, 20)).advance(5, TimeUnit.MILLISECONDS);
        trace.peerSends(rnrOf(0x101, 20)).expectCompletion(1, SUCCESS);
        trace.advanceNs(10_240_000 - 1).expectNothing();
        trace.advanceNs(1).expect(sendOnly(0x101)).expectNothing();
    }

    @Test
    @DisplayName("T8 the RNR wait ends when its packet is acknowledged meanwhile")
    void anAcknowledgementEndsTheDelay() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8), send(8)).takeAll();
        trace.peerSends(rnrOf(0x100, 0)).expectNothing();
        trace.peerSends(ackOf(0x100)).expect(sendOnly(0x101)).expectNothing();
        trace.expectCompletion(1, SUCCESS);
    }

    @Test
    @DisplayName("T8 an RNR NAK in the middle acknowledges what is before it; what follows waits too")
    void anRnrNakAcknowledgesWhatIsBeforeIt() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8), send(8), send(8)).takeAll();
        trace.peerSends(rnrOf(0x101, 12)).expectNothing();
        trace.expectCompletion(1, SUCCESS);
        trace.posts(send(8)).expectNothing();
        trace.advanceNs(640_000).expect(sendOnly(0x101), sendOnly(0x102), sendOnly(0x103));
    }

    @Test
    @DisplayName("T8 an RNR NAK for a later packet of a WRITE with immediate resumes there")
    void anRnrNakInsideAMessageResumesThere() {
        Trace trace = Trace.inRts().open();
        trace.posts(new WorkRequest().writeWithImmediate(0, 1, 5).add(Trace.BASE, 2048, Trace.KEY)).takeAll();
        trace.peerSends(rnrOf(0x101, 12)).expectNothing();
        trace.advanceNs(640_000);
        trace.expect(FrameExpectation.frame(Opcode.RC_RDMA_WRITE_LAST_WITH_IMMEDIATE, 0x101).immediate(5).ackReq());
        trace.expectNothing();
    }

    @Test
    @DisplayName("T9 min_rnr_timer belongs to INIT to RTR; timeout, retry_cnt and rnr_retry to RTR to RTS")
    void eachTimerBelongsToItsTransition() {
        String toRtr = needs(QueuePairState.INIT, QueuePairState.RTR);
        String toRts = needs(QueuePairState.RTR, QueuePairState.RTS);
        assertTrue(toRtr.contains("MIN_RNR_TIMER") && !toRts.contains("MIN_RNR_TIMER"), toRtr + "; " + toRts);
        for (QueuePairAttribute one : List.of(QueuePairAttribute.TIMEOUT, QueuePairAttribute.RETRY_COUNT, QueuePairAttribute.RNR_RETRY)) {
            assertTrue(toRts.contains(one.name()) && !toRtr.contains(one.name()), toRtr + "; " + toRts);
        }
    }

    /** What a change of state without any attribute lacks. */
    private static String needs(QueuePairState from, QueuePairState to) {
        return assertThrows(IllegalArgumentException.class,
            () -> TransitionTable.check(QueuePairType.RC, from, QueuePairAttributes.to(to))).getMessage();
    }

    @Test
    @DisplayName("T3 Q3 after a timeout the whole window is retransmitted, each packet once")
    void theWholeWindowIsResentOnce() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(4096)).expect(sendFirst(0x100)).takeAll();
        trace.advanceNs(T14_NS);
        assertEquals(4, trace.takeAll().size());
        trace.advanceNs(T14_NS - 1).expectNothing();
    }
}
