package io.rxe.qp.completer;

import io.rxe.counters.NicCounter;
import io.rxe.port.EngineEvent;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.send.RetryState;
import io.rxe.qp.send.RttEstimator;
import io.rxe.qp.send.SendSide;
import io.rxe.qp.send.SendState;
import io.rxe.qp.send.SendWindow;
import io.rxe.qp.send.SentPackets;
import io.rxe.time.HostDelay;
import io.rxe.wire.Psn;

/**
 * Decides that a packet or a response is lost, and charges retry_cnt for the loss. {@link LossRecovery} decides what to retransmit.
 *
 * <pre>
 *   signal             evidence                                                    charges retry_cnt
 *   PSN sequence NAK   the peer received a packet behind a gap (rule Q7)           once per retransmission of the oldest packet
 *   implied NAK        a later response arrived, or an ACK covers it (Q4, Q5)      as a PSN sequence NAK, for the oldest response
 *   gap report         the peer received packets sent later (rule G4)              as a PSN sequence NAK, for the oldest packet
 *   probe              no response within 5/4 of a plausible round trip (T3)       no
 *   ACK timeout        no response within the transport timeout (T2, T3)           yes
 * </pre>
 *
 * <p>{@link Rack} judges implied NAKs and gap reports by time. A method that charges returns false when retry_cnt is exhausted. Its caller
 * then fails the oldest request.
 *
 * <p>Owned by the engine thread. rxe: the retry branches of rxe_completer and retransmit_timer.
 */
final class LossDetector {
    /** A scheduler or a garbage collector may delay a response by this much although nothing is lost. */
    private static final long MIN_PROBE_NS = 300_000;
    /** After this many probes their interval doubles each time: a burst of losses takes a few. */
    private static final int PROBES_AT_ONCE = 4;
    /** It doubles at most this often. */
    private static final int MAX_DOUBLINGS = 16;
    /** It grows no longer than this or a round trip: a path that comes back is found within this time. */
    private static final long MAX_PROBE_NS = 80_000_000;

    private final QueuePairContext context;
    private final HostDelay hostDelay;
    private final SendState send;
    private final SentPackets packets;
    private final SendWindow window;
    private final RttEstimator rtt;
    private final RetryState retry;
    private final LossRecovery recovery;
    private final Rack rack;
    private final ToldDelays told;

    private long lastNakSeq;
    private long lastNakNs;
    private long chargedSeq;
    private long chargedNs;
    /** Until then a gap in the requests may have kept the peer from responding. */
    private long disturbedNs;
    /** Until then one may have kept it from acknowledging SENDs and WRITEs. */
    private long repairedNs;
    /** Since when the peer is known to report its gaps: what arrived before may not have been reported at once. */
    private long reportingSinceNs;
    private int probes;
    private long lastProbeNs;
    /** What the last probes, and those not long before them, may have requested again: from here, and to there, exclusive. */
    private long probedSeq;
    private long probedEnd;
    /** How many of them the peer may still report as duplicates. */
    private int probedPackets;

    LossDetector(QueuePairContext context, SendSide side, ToldDelays told) {
        this.context = context;
        this.hostDelay = side.hostDelay();
        this.send = side.state();
        this.packets = send.packets();
        this.window = side.window();
        this.rtt = side.rtt();
        this.retry = side.retry();
        this.recovery = new LossRecovery(send, window);
        this.rack = new Rack(send, rtt);
        this.told = told;
    }

    /** A new connection. */
    void start() {
        recovery.start();
        rack.start();
        lastNakSeq = -1;
        chargedSeq = -1;
        disturbedNs = Long.MIN_VALUE;
        repairedNs = Long.MIN_VALUE;
        reportingSinceNs = Long.MIN_VALUE;
        lastProbeNs = Long.MIN_VALUE / 2;
        probes = 0;
        probedSeq = 0;
        probedEnd = 0;
        probedPackets = 0;
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
        repairedNs = nowNs;
        if (!chargeNak(nowNs)) {
            return false;
        }
        bound(nowNs);
        recovery.onSequenceNak(seq);
        detect(nowNs);
        return true;
    }

    /** Rule Q8: the RNR wait ends with a retransmission from the oldest packet, which repairs every loss known so far. */
    void onRnrNak() {
        recovery.restart();
        rack.pause();
    }

    /**
     * A response to a READ or an atomic arrived for the first time.
     *
     * @param isFirst of its request.
     */
    void onResponse(long seq, boolean isFirst, long nowNs) {
        boolean isInTime = !packets.isKept(seq) && packets.sentNs(seq) > disturbedNs;
        if (isFirst && packets.wasRetransmitted(seq)) {
            disturbedNs = nowNs;
        }
        long rttNs = rack.onResponse(seq, isFirst, nowNs);
        if (told.isTimed()) {
            window.onPeerSent(told.sentNs(), hostDelay.unseenNs(), nowNs);
        } else {
            sample(rttNs, packets.isRead(seq), isInTime, nowNs);
        }
    }

    /**
     * The peer has executed requests that were not known to be executed: from one sequence number to another, exclusive.
     *
     * @param isInOrder whether their responses left before what shows this.
     */
    void onExecuted(long fromSeq, long endSeq, boolean isInOrder, long nowNs) {
        long lastSeq = endSeq - 1;
        // Then it may have arrived long ago, and its acknowledgement was lost.
        boolean isRepair = packets.wasRetransmitted(fromSeq);
        if (packets.isAnyRetransmitted(fromSeq) || packets.arrivedPackets() > 0) {
            for (long seq = packets.firstNotArrived(fromSeq, lastSeq); seq < lastSeq; seq = packets.firstNotArrived(seq + 1, lastSeq)) {
                if (!send.find(seq).operation().isReadOrAtomic()) {
                    rack.onArrived(seq, isInOrder, nowNs);
                }
            }
        }
        if (send.find(lastSeq).operation().isReadOrAtomic()) {
            rack.onPassed(lastSeq, isInOrder, nowNs);
        } else if (!packets.isArrived(lastSeq)) {
            long rttNs = rack.onArrived(lastSeq, isInOrder, nowNs);
            if (recovery.isToGoBackN()) {
                noteSilence(lastSeq, nowNs);
                rttNs = sinceSentNs(lastSeq, nowNs);
            } else if (isRepair) {
                rttNs = -1;
            }
            sample(rttNs, false, isInTime(fromSeq, endSeq), nowNs);
        } else if (isInOrder) {
            rack.onPassed(lastSeq, true, nowNs);
        }
        repairedNs = isRepair ? nowNs : repairedNs;
    }

    /**
     * Whether the peer acknowledged the last packet of some as soon as it arrived. Where none of them requested that, a packet behind them
     * did. What was sent before a gap closed may have waited for that; a go-back-N peer keeps nothing.
     */
    private boolean isInTime(long fromSeq, long endSeq) {
        return recovery.isToGoBackN() || packets.isAckRequested(fromSeq, endSeq) && packets.sentNs(endSeq - 1) > repairedNs;
    }

    /** An answer that a probe may have caused does not tell how long the peer would have been silent without it. */
    private void noteSilence(long seq, long nowNs) {
        long startedNs = retry.ackTimerStartedNs();
        boolean isOfProbe = lastProbeNs >= startedNs && nowNs - packets.sentNs(seq) >= rtt.minimumNs() * 3 / 4;
        if (retry.isAckTimerRunning() && !isOfProbe) {
            rtt.onSilence(nowNs - startedNs, nowNs);
        }
    }

    /** A go-back-N peer discarded what was retransmitted, and answers the retransmission; -1 if that was sooner than ever: it was late. */
    private long sinceSentNs(long seq, long nowNs) {
        long ns = nowNs - packets.sentNs(seq);
        // What was sent before a probe may have arrived long ago: the answer to the probe is the first that was not lost.
        boolean isOfProbe = nowNs - lastProbeNs >= rtt.minimumNs() && packets.sentNs(seq) < lastProbeNs;
        boolean isLate = packets.wasRetransmitted(seq) && ns < rtt.minimumNs();
        return isLate || isOfProbe ? -1 : ns;
    }

    /** The peer turned out to report its gaps. */
    void onReportingPeer(long nowNs) {
        reportingSinceNs = nowNs;
        recovery.onReportingPeer();
    }

    /** A report does not tell what has arrived from a sequence number on, and whether a gap is open. */
    void onCoverage(long endSeq, boolean isGapOpen, long nowNs) {
        rack.limit(endSeq);
        disturbedNs = isGapOpen ? nowNs : disturbedNs;
    }

    /** The peer keeps the requests from one sequence number to another, exclusive, behind a gap (rule G2). */
    void onReported(long fromSeq, long endSeq, long nowNs) {
        long rttNs = -1;
        long fresh = 0;
        for (long seq = packets.firstNotArrived(fromSeq, endSeq); seq < endSeq; seq = packets.firstNotArrived(seq + 1, endSeq)) {
            if (send.find(seq).operation().isReadOrAtomic()) {
                rack.onPassed(seq, false, nowNs);
                packets.keep(seq);
            } else {
                rttNs = rack.onArrived(seq, false, nowNs);
                packets.arrive(seq);
                fresh++;
            }
        }
        // Of those that arrived since the last report, the last one did so just now.
        sample(rttNs, false, nowNs - rttNs > reportingSinceNs, nowNs);
        window.onArrived(false, fresh, nowNs);
    }

    /** @param isRead whether a response to a READ measured it, if anything did, and no acknowledgement. */
    private void sample(long rttNs, boolean isRead, boolean isExact, long nowNs) {
        if (rttNs <= 0) {
            bound(nowNs);
            return;
        }
        long hostNs = hostDelay.ofRoundTripNs(nowNs - rttNs);
        if (isRead) {
            window.onReadSample(rttNs, told.leastRequestWaitNs(), told.mostRequestWaitNs(), told.hostNs(), hostNs, isExact, nowNs);
        } else {
            window.onSample(rttNs, told.hostNs() + hostNs, isExact, nowNs);
        }
        retry.onRoundTrip(rtt.smoothedNs());
    }

    /**
     * A first round trip may be longer than the ACK timeout, and a later one than the time to a probe: without a bound of it, every packet
     * would be retransmitted for ever.
     */
    private void bound(long nowNs) {
        if (probes > 0 && rtt.isMeasured()) {
            window.onLonger(nowNs - retry.ackTimerStartedNs());
        } else if (!rtt.isKnown()) {
            long mostNs = Math.max(1, nowNs - packets.firstSentNs());
            window.onBound(mostNs, told.hostNs() + hostDelay.ofRoundTripNs(nowNs - mostNs), nowNs);
            retry.onRoundTrip(rtt.smoothedNs());
        }
    }

    /** A response arrived twice. If it was requested twice, the second request was needless: the first response was only late. */
    void onDuplicateResponse(long seq, long nowNs) {
        boolean isOfProbe = wasProbed(nowNs) || seq >= probedSeq && seq < probedEnd;
        if (packets.isAnyRetransmitted(seq) && !isOfProbe) {
            rack.onNeedless(nowNs);
        }
    }

    /**
     * Whether a probe may be the cause of a duplicate: it is needless when only the acknowledgement was lost, which says nothing of order.
     */
    private boolean wasProbed(long nowNs) {
        return nowNs - lastProbeNs < 2 * rtt.plausibleNs();
    }

    /** Requests arrived twice. As many retransmissions were needless, unless the network made the copies (rule G4). */
    void onDuplicates(int count, long nowNs) {
        if (packets.takeRetransmissions(count) && !areOfProbes(count, nowNs)) {
            rack.onNeedless(nowNs);
        }
    }

    private boolean areOfProbes(int count, long nowNs) {
        int ofProbes = Math.min(count, probedPackets);
        probedPackets -= ofProbes;
        return count == ofProbes || wasProbed(nowNs);
    }

    /** The acknowledged edge moved; {@code byNak} when a PSN sequence NAK moved it. */
    void onAdvance(boolean byNak) {
        probes = 0;
        recovery.onAdvance(byNak);
    }

    /**
     * Rules Q4, Q5, G4: has what was overtaken and is lost retransmitted.
     *
     * @return false when retry_cnt is exhausted.
     */
    boolean checkOvertaken(long nowNs) {
        if (!rack.isDue(nowNs) || !context.state().canSend() || retry.isInRnrWait()) {
            return true;
        }
        boolean wasLost = packets.isLost(send.ackedSeq());
        detect(nowNs);
        return wasLost || !packets.isLost(send.ackedSeq()) || couldNotBeAnswered(nowNs) || charge(nowNs);
    }

    private void detect(long nowNs) {
        long readsBefore = packets.lostReads();
        long found = rack.detect(send.reportsGaps(), nowNs);
        long reads = packets.lostReads() - readsBefore;
        if (found > 0 || rack.isLate()) {
            window.onUnsteady(nowNs);
        }
        if (found > 0) {
            window.onLost(found, reads);
            count(NicCounter.IMPLIED_NAK, EngineEvent.IMPLIED_NAK);
        }
    }

    /** Whether {@link #onDeadline} has something to do. */
    boolean isDue(long nowNs) {
        return nowNs >= retry.ackDeadlineNs() || nowNs >= reorderDeadlineNs() || nowNs >= probeDeadlineNs();
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
        if (nowNs >= reorderDeadlineNs()) {
            return checkOvertaken(nowNs);
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
            if (send.isOutstanding() && !packets.isLost(chargedSeq)) {
                // A report from before a revocation said that it had arrived (rule G3).
                recovery.onTimeout();
            }
            return true;
        }
        if (!rtt.isKnown()) {
            // Other queue pairs may know that the path is longer than the timeout.
            retry.onRoundTrip(window.peerRoundTripNs());
            if (nowNs < retry.ackDeadlineNs()) {
                return true;
            }
        }
        count(NicCounter.ACK_TIMEOUT, EngineEvent.TIMEOUT);
        if (!charge(nowNs)) {
            return false;
        }
        retry.backOff(context.number(), isPeerPresent());
        probes = 0;
        retry.stopAckTimer();
        recovery.onTimeout();
        return true;
    }

    /** The queue pair has another path: what was in flight on the one it left leaves again, and the new path has lost none of it. */
    void onNewPath() {
        lastNakSeq = -1;
        chargedSeq = -1;
        probes = 0;
        retry.stopAckTimer();
        rack.start();
        recovery.retransmitAll();
    }

    /** Whether the peer answers other queue pairs while this one waits for it: then queues may be full, and no thread is away. */
    private boolean isPeerPresent() {
        return window.hasArrivedSince(retry.ackTimerStartedNs());
    }

    private void onProbe(long nowNs) {
        probes++;
        boolean goesOn = wasProbed(nowNs);
        lastProbeNs = nowNs;
        if (!rtt.isKnown() && !isPeerPresent()) {
            // Asks again after the next interval: a peer that answers nobody may be dead.
            return;
        }
        probedSeq = goesOn ? probedSeq : send.ackedSeq();
        probedEnd = send.oldest().endSeq();
        probedPackets = goesOn ? probedPackets + 1 : 1;
        count(NicCounter.LOSS_PROBE, EngineEvent.LOSS_PROBE);
        if (isPeerPresent()) {
            window.onLost(1, packets.isRead(send.ackedSeq()) ? 1 : 0);
        }
        recovery.onProbe(probes == 1);
    }

    /**
     * When to probe, without charging a retry, or {@link Long#MAX_VALUE}. Only for a peer that has answered before, or answers other queue
     * pairs, so that a dead peer gets exactly 1 + retry_cnt transmissions. Rule T3 has the times.
     */
    long probeDeadlineNs() {
        boolean retransmitsSoon = packets.isLost(send.ackedSeq());
        if (!retry.isAckTimerRunning() || retry.isInRnrWait() || retransmitsSoon || !rtt.isKnown() && window.peerRoundTripNs() == 0) {
            return Long.MAX_VALUE;
        }
        boolean isRepair = isOldestRepaired();
        long firstNs = Math.max(MIN_PROBE_NS, isRepair ? rtt.usualNs() * 3 / 2 : plausibleNs() * 5 / 4);
        long startedNs = retry.ackTimerStartedNs();
        if (isRepair) {
            startedNs = packets.sentNs(send.ackedSeq());
        } else if (send.reportsGaps()) {
            startedNs = Math.max(packets.sentNs(send.nextSeq() - 1), startedNs - firstNs * 3 / 4);
        }
        long intervalNs = firstNs << Math.min(Math.max(0, probes - PROBES_AT_ONCE), MAX_DOUBLINGS);
        long dueNs = Math.max(startedNs, probes > 0 ? lastProbeNs : startedNs) + Math.min(intervalNs, Math.max(firstNs, MAX_PROBE_NS));
        return dueNs < retry.ackDeadlineNs() ? dueNs : Long.MAX_VALUE;
    }

    /**
     * A peer that reports its gaps acknowledges each packet by itself; another may be busy with those before. Where all of the first
     * packets were lost, other queue pairs know how long the path is: an answer to what the timer sent again does not tell.
     */
    private long plausibleNs() {
        long ofOthersNs = window.peerRoundTripNs();
        return !rtt.isMeasured() && ofOthersNs > 0 ? RttEstimator.plausibleNs(ofOthersNs) : Math.max(ownPlausibleNs(), ofOthersNs);
    }

    private long ownPlausibleNs() {
        if (send.reportsGaps()) {
            return rtt.plausibleNs();
        }
        boolean isPacketByPacket = recovery.isToGoBackN() && !send.oldest().operation().isReadOrAtomic();
        return isPacketByPacket ? rtt.plausibleSilenceNs() : rtt.plausibleOfBusyNs();
    }

    /** Whether the oldest packet is missing, was retransmitted, and holds up what the peer has of those behind it. */
    private boolean isOldestRepaired() {
        boolean isAnyBehind = send.executedSeq() > send.ackedSeq() || packets.isAnyReported();
        return send.reportsGaps() && isAnyBehind && packets.wasRetransmitted(send.ackedSeq());
    }

    /** When what was overtaken counts as lost unless it arrives before, or {@link Long#MAX_VALUE}. */
    long reorderDeadlineNs() {
        return retry.isInRnrWait() ? Long.MAX_VALUE : rack.deadlineNs();
    }

    /**
     * Charges retry_cnt for a NAK, at most once per retransmission of the oldest packet: a NAK that arrives before that retransmission
     * has left, or could have been answered, reports a loss already charged (rule T3: 1 + retry_cnt transmissions; rxe: started_retry).
     */
    private boolean chargeNak(long nowNs) {
        return isChargedRetransmissionPending() || couldNotBeAnswered(nowNs) || charge(nowNs);
    }

    private boolean couldNotBeAnswered(long nowNs) {
        return send.ackedSeq() == chargedSeq && nowNs - chargedNs < rtt.minimumNs();
    }

    /**
     * Whether a retry was charged for the oldest packet whose retransmission has not left yet, as with a full sink. A probe may ask for it
     * once more after that.
     */
    private boolean isChargedRetransmissionPending() {
        if (send.ackedSeq() != chargedSeq) {
            return false;
        }
        long sentNs = packets.sentNs(chargedSeq);
        return packets.isLost(chargedSeq) ? sentNs <= chargedNs : sentNs < chargedNs;
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
