package io.rxe.qp.completer;

import io.rxe.counters.NicCounter;
import io.rxe.port.EngineEvent;
import io.rxe.qp.context.NakDelay;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.send.RetryState;
import io.rxe.qp.send.RttEstimator;
import io.rxe.qp.send.SendSide;
import io.rxe.qp.send.SendState;
import io.rxe.wire.Psn;

/**
 * Decides that a packet or a response is lost, and charges retry_cnt for the loss. {@link LossRecovery} decides what to retransmit.
 *
 * <pre>
 *   signal             evidence                                                    charges retry_cnt
 *   PSN sequence NAK   the peer received a packet behind a gap (rule Q7)           once per retransmission of the oldest packet
 *   implied NAK        a later response arrived, or an ACK covers it (Q4, Q5)      as a PSN sequence NAK, for the oldest response
 *   probe              no response within 5/4 of a plausible round trip            no
 *   ACK timeout        no response within the transport timeout (T2, T3)           yes
 * </pre>
 *
 * <p>A method that charges returns false when retry_cnt is exhausted. Its caller then fails the oldest request.
 *
 * <p>Owned by the engine thread. rxe: the retry branches of rxe_completer and retransmit_timer.
 */
final class LossDetector {
    /** A scheduler or a garbage collector may delay a response by this much although nothing is lost. */
    private static final long MIN_PROBE_NS = 300_000;
    /** The interval between probes doubles at most this often. */
    private static final int MAX_DOUBLINGS = 16;

    private final QueuePairContext context;
    private final SendState send;
    private final RttEstimator rtt;
    private final RetryState retry;
    private final LossRecovery recovery;
    private final NakDelay impliedNakDelay = new NakDelay();

    private long lastNakSeq;
    private long lastNakNs;
    private long chargedSeq;
    private long chargedNs;
    private int probes;

    LossDetector(QueuePairContext context, SendSide side) {
        this.context = context;
        this.send = side.state();
        this.rtt = side.rtt();
        this.retry = side.retry();
        this.recovery = new LossRecovery(send, side.window());
    }

    /** A new connection. */
    void start() {
        recovery.start();
        impliedNakDelay.start();
        lastNakSeq = -1;
        chargedSeq = -1;
        probes = 0;
    }

    /**
     * Rule Q7. A second NAK for the same packet within a round trip is a copy made by the network and changes nothing.
     *
     * @return false when retry_cnt is exhausted.
     */
    boolean onSequenceNak(long seq, long nowNs) {
        boolean isCopy = seq == lastNakSeq && nowNs - lastNakNs < (rtt.isKnown() ? rtt.smoothedNs() : MIN_PROBE_NS);
        if (isCopy) {
            return true;
        }
        lastNakSeq = seq;
        lastNakNs = nowNs;
        if (!chargeNak(nowNs)) {
            return false;
        }
        recovery.onSequenceNak(seq);
        if (send.missing().isAny() && !recovery.isAllRequested()) {
            impliedNakDelay.onReported(send.ackedSeq(), nowNs, rtt.probeOutcomeNs());
            recovery.onMissingResponses();
        }
        return true;
    }

    /** Rule Q8: the RNR wait ends with a retransmission from the oldest packet, which repairs every loss known so far. */
    void onRnrNak() {
        recovery.restart(send.ackedSeq());
    }

    /** A READ response arrived twice. If it was requested twice, the second request was needless: the first response was only late. */
    void onDuplicateReadResponse(long seq) {
        if (recovery.wasRetransmitted(seq)) {
            impliedNakDelay.onNeedlessReport(rtt.reorderNs());
        }
    }

    /** The acknowledged edge moved; {@code byNak} when a PSN sequence NAK moved it. */
    void onAdvance(boolean byNak, long nowNs) {
        if (impliedNakDelay.isReported()) {
            impliedNakDelay.onClosed(nowNs);
        }
        probes = 0;
        recovery.onAdvance(byNak);
    }

    /**
     * Rules Q4, Q5, the implied NAK: requests the missing responses, at once or after a delay when responses have been arriving out of
     * order.
     *
     * @return false when retry_cnt is exhausted.
     */
    boolean checkMissing(long nowNs) {
        if (!isImpliedNakDue(nowNs)) {
            return true;
        }
        impliedNakDelay.onReported(send.ackedSeq(), nowNs, rtt.probeOutcomeNs());
        count(NicCounter.IMPLIED_NAK, EngineEvent.IMPLIED_NAK);
        if (!recovery.isOldestRequested() && !chargeNak(nowNs)) {
            return false;
        }
        recovery.onMissingResponses();
        return true;
    }

    /** Starts and stops the delay of the implied NAK, and checks whether it is over. */
    private boolean isImpliedNakDue(long nowNs) {
        if (!context.state().canSend() || retry.isInRnrWait() || !send.missing().isAny()) {
            impliedNakDelay.onClosed(nowNs);
            return false;
        }
        if (recovery.isAllRequested()) {
            return false;
        }
        if (impliedNakDelay.isReported()) {
            impliedNakDelay.reopen(nowNs);
        } else {
            impliedNakDelay.onGap(nowNs);
        }
        return impliedNakDelay.isDue(nowNs);
    }

    /** Whether {@link #onDeadline} has something to do. */
    boolean isDue(long nowNs) {
        return nowNs >= retry.ackDeadlineNs() || nowNs >= impliedNakDeadlineNs() || nowNs >= probeDeadlineNs();
    }

    /**
     * Handles the expiry of one timer.
     *
     * @return false when retry_cnt is exhausted.
     */
    boolean onDeadline(long nowNs) {
        if (nowNs >= retry.ackDeadlineNs()) {
            return onAckTimeout(nowNs);
        }
        if (nowNs >= impliedNakDeadlineNs()) {
            return checkMissing(nowNs);
        }
        if (nowNs >= probeDeadlineNs()) {
            onProbe(nowNs);
        }
        return true;
    }

    /** Rules T3, T5. The timer starts again when the retransmission leaves, so a full sink uses up no retries. */
    private boolean onAckTimeout(long nowNs) {
        if (!send.isOutstanding() || isChargedRetransmissionPending()) {
            retry.stopAckTimer();
            return true;
        }
        count(NicCounter.ACK_TIMEOUT, EngineEvent.TIMEOUT);
        if (!charge(nowNs)) {
            return false;
        }
        probes = 0;
        retry.stopAckTimer();
        recovery.onTimeout();
        return true;
    }

    /** The queue pair migrated: what was in flight on the path it left counts as lost, and none of it is charged to the new path. */
    void onMigrated() {
        lastNakSeq = -1;
        chargedSeq = -1;
        probes = 0;
        retry.stopAckTimer();
        recovery.onTimeout();
    }

    private void onProbe(long nowNs) {
        probes++;
        count(NicCounter.LOSS_PROBE, EngineEvent.LOSS_PROBE);
        if (impliedNakDelay.isDelaying()) {
            impliedNakDelay.onReported(send.ackedSeq(), nowNs, rtt.probeOutcomeNs());
        }
        recovery.onProbe();
    }

    /**
     * When to retransmit the oldest packet without charging a retry, or {@link Long#MAX_VALUE}: 5/4 of a plausible round trip after the
     * last response, then twice as long each time. Only for a peer that has answered before, so that a dead peer gets exactly
     * 1 + retry_cnt transmissions.
     */
    long probeDeadlineNs() {
        boolean retransmitsSoon = !send.retryRange().isEmpty() && send.retryRange().fromSeq() == send.ackedSeq();
        if (!rtt.isKnown() || !retry.isAckTimerRunning() || retry.isInRnrWait() || retransmitsSoon) {
            return Long.MAX_VALUE;
        }
        long intervalNs = Math.max(MIN_PROBE_NS, rtt.plausibleNs() * 5 / 4) << Math.min(probes, MAX_DOUBLINGS);
        return intervalNs < retry.ackTimeoutNs() ? retry.ackTimerStartedNs() + intervalNs : Long.MAX_VALUE;
    }

    /** When missing responses are requested unless they arrive before, or {@link Long#MAX_VALUE}. */
    long impliedNakDeadlineNs() {
        return impliedNakDelay.deadlineNs();
    }

    /**
     * Charges retry_cnt for a NAK, at most once per retransmission of the oldest packet: a NAK that arrives before that retransmission
     * has left, or could have been answered, reports a loss already charged (rule T3: 1 + retry_cnt transmissions; rxe: started_retry).
     */
    private boolean chargeNak(long nowNs) {
        boolean couldNotBeAnswered = send.ackedSeq() == chargedSeq && nowNs - chargedNs < rtt.minimumNs();
        return isChargedRetransmissionPending() || couldNotBeAnswered || charge(nowNs);
    }

    /** Whether a retry was charged for the oldest packet whose retransmission has not left yet, as with a full sink. */
    private boolean isChargedRetransmissionPending() {
        return send.ackedSeq() == chargedSeq && !send.retryRange().isEmpty() && send.retryRange().fromSeq() <= chargedSeq;
    }

    private boolean charge(long nowNs) {
        chargedSeq = send.ackedSeq();
        chargedNs = nowNs;
        boolean hasRetry = retry.useRetry(nowNs);
        context.counters().count(hasRetry || context.path().canMigrate() ? NicCounter.COMPLETER_RETRY_ERR : NicCounter.RETRY_EXCEEDED_ERR);
        return hasRetry;
    }

    private void count(NicCounter counter, EngineEvent event) {
        context.counters().count(counter);
        context.counters().event(event, (int) send.ackedSeq() & Psn.MASK, send.nextSeq() - send.ackedSeq());
    }
}
