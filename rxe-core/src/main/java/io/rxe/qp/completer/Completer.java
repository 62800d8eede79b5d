package io.rxe.qp.completer;

import io.rxe.counters.NicCounter;
import io.rxe.port.EngineEvent;
import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.send.KeepAlive;
import io.rxe.qp.send.ReadProgress;
import io.rxe.qp.send.RetryState;
import io.rxe.qp.send.SendCredits;
import io.rxe.qp.send.SendSide;
import io.rxe.qp.send.SendState;
import io.rxe.qp.send.SendWindow;
import io.rxe.qp.send.SendWqe;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;
import io.rxe.wire.Aeth;
import io.rxe.wire.Bth;
import io.rxe.wire.DropReason;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.RnrTimer;
import io.rxe.wire.Syndrome;

/**
 * The completer of a queue pair: matches each response with its request, moves the acknowledged edge, and completes requests in posting
 * order. {@link LossDetector} decides what is lost; {@link LossRecovery} decides what to retransmit.
 *
 * <p>Owned by the engine thread. Source: rules P5, T, Q3 to Q15; rxe: rxe_completer.
 */
public final class Completer {
    private final QueuePairContext context;
    private final SendState send;
    private final SendWindow window;
    private final RetryState retry;
    private final KeepAlive keepAlive;
    private final ToldDelays told = new ToldDelays();
    private final LossDetector losses;
    private final ReceivedReports reports;
    private final SendCredits credits;
    private final CreditUpdates creditUpdates;
    private final FailureMessages text;
    private final ResponsePlacement placement;

    // The response being processed.
    private InboundPacket packet;
    private long seq;
    private long nowNs;
    private boolean byNak;
    private long lastRnrSeq;
    private long lastExecutedSeq;

    /** @param side the queue pair's send side, which the requester shares. */
    public Completer(QueuePairContext context, SendSide side) {
        this.context = context;
        this.send = side.state();
        this.window = side.window();
        this.retry = side.retry();
        this.keepAlive = side.keepAlive();
        this.credits = side.credits();
        this.losses = new LossDetector(context, side, told);
        this.reports = new ReceivedReports(context, send, window, losses);
        this.creditUpdates = new CreditUpdates(send, credits);
        this.text = new FailureMessages(context, retry);
        this.placement = new ResponsePlacement(context);
    }

    /** A new connection. */
    public void start() {
        losses.start();
        reports.start();
        creditUpdates.start(context.attributes().isEndToEndCredits());
        lastRnrSeq = -1;
        lastExecutedSeq = send.executedSeq();
    }

    /** Processes a response. Its headers, addressing and ICRC are checked already. */
    public void onResponse(InboundPacket response, long nowNs) {
        packet = response;
        this.nowNs = nowNs;
        told.onResponse(response);
        byNak = false;
        CompleterState state = CompleterState.CHECK_PSN;
        while (state != CompleterState.DONE) {
            state = switch (state) {
                case CHECK_PSN -> checkPsn();
                case CHECK_ACK -> checkAck();
                case ACKNOWLEDGE -> acknowledge();
                case READ -> read();
                case ATOMIC -> atomic();
                case RNR_RETRY -> rnrRetry();
                case SEQUENCE_RETRY -> sequenceRetry();
                case REFUSED -> refused();
                case BAD_RESPONSE -> badResponse();
                case COMPLETE -> complete();
                case DONE -> CompleterState.DONE;
            };
        }
    }

    /** Rules P5, Q6: processes the unacked region, drops the acked and the invalid one. rxe: check_psn. */
    private CompleterState checkPsn() {
        long acked = send.ackedSeq();
        seq = acked + Psn.subtract(packet.psn(), (int) acked & Psn.MASK);
        if (seq >= send.nextSeq()) {
            if (seq == send.nextSeq() && acked < seq && isSequenceNak()) {
                // A stray or forged packet made the peer see a gap behind all that was sent: it has executed that (rule Q7).
                seq--;
                return CompleterState.ACKNOWLEDGE;
            }
            countAnswerOr(DropReason.GHOST_RESPONSE, keepAlive.onAnswer(nowNs));
            return CompleterState.DONE;
        }
        if (seq < acked) {
            boolean isReport = takeReport();
            acked(isReport);
            return isReport ? CompleterState.COMPLETE : CompleterState.DONE;
        }
        return CompleterState.CHECK_ACK;
    }

    private boolean isSequenceNak() {
        return packet.opcode().isAck()
            && Aeth.syndrome(packet.buffer(), packet.at(packet.opcode().aethOffset())) == Syndrome.PSN_SEQUENCE_ERROR;
    }

    /**
     * A response to an acknowledged PSN: the answer to a keep-alive (rule T11), a grant of credits (rule Q15), a gap report (rule G2), or
     * a duplicate.
     */
    private void acked(boolean isReport) {
        reportDuplicate();
        boolean isAnswer = keepAlive.onAnswer(nowNs);
        if (creditUpdates.onResponse(packet) && packet.opcode().isAck()) {
            context.counters().count(NicCounter.RCVD_CREDIT_GRANTS);
            credits.onGrant();
        } else if (isAnswer || !isReport) {
            countAnswerOr(DropReason.DUPLICATE_RESPONSE, isAnswer);
        }
    }

    private void countAnswerOr(DropReason reason, boolean isAnswer) {
        if (isAnswer) {
            context.counters().count(NicCounter.RCVD_KEEP_ALIVES);
        } else {
            context.counters().drop(reason);
        }
    }

    private void reportDuplicate() {
        if (packet.opcode().isReadResponse()) {
            losses.onDuplicateResponse(seq, nowNs);
        }
    }

    /** Chooses the next step by opcode and syndrome. rxe: check_ack. */
    private CompleterState checkAck() {
        Opcode opcode = packet.opcode();
        if (!opcode.hasAeth()) {
            onMark();
            return CompleterState.READ;
        }
        int syndrome = Aeth.syndrome(packet.buffer(), packet.at(opcode.aethOffset()));
        if (Syndrome.isReserved(syndrome)) {
            context.counters().drop(DropReason.RESERVED_SYNDROME);
            return CompleterState.DONE;
        }
        if (Syndrome.isAck(syndrome)) {
            onMark();
            creditUpdates.onResponse(packet);
            return opcode.isAck() ? CompleterState.ACKNOWLEDGE
                : opcode.isAtomicAck() ? CompleterState.ATOMIC : CompleterState.READ;
        }
        if (!opcode.isAck()) {
            return CompleterState.BAD_RESPONSE;
        }
        if (seq < send.executedSeq() || seq >= send.failedSeq()) {
            // The peer has executed this request since, or it failed already: the NAK is an old packet or a copy.
            context.counters().drop(DropReason.DUPLICATE_RESPONSE);
            return CompleterState.DONE;
        }
        context.counters().event(EngineEvent.NAK_RECEIVED, packet.psn(), syndrome);
        if (Syndrome.isRnr(syndrome)) {
            return CompleterState.RNR_RETRY;
        }
        return syndrome == Syndrome.PSN_SEQUENCE_ERROR ? CompleterState.SEQUENCE_RETRY : CompleterState.REFUSED;
    }

    /** Rule G1. */
    private void onMark() {
        if (send.onMark(Bth.isMarked(packet.buffer(), packet.offset()))) {
            losses.onReportingPeer(nowNs);
        }
    }

    /** Rule Q4: an ACK is cumulative. At the PSN of a READ or atomic it covers only what is before. */
    private CompleterState acknowledge() {
        SendWqe wqe = send.find(seq);
        boolean needsResponse = wqe != null && wqe.operation().isReadOrAtomic();
        executedTo(needsResponse ? wqe.firstSeq() : seq + 1);
        takeReport();
        return CompleterState.COMPLETE;
    }

    /** Rule G2: takes the gap report of an acknowledgement, if it has one. Everything before the expected PSN was executed. */
    private boolean takeReport() {
        if (!packet.opcode().isAck()) {
            return false;
        }
        long expected = reports.onAcknowledge(packet, nowNs);
        executedTo(expected, false);
        return expected >= 0;
    }

    /** Rules Q5, Q10: READ data goes to memory in any order; ATOMIC_WRITE and FLUSH have an empty response (Q16). rxe: do_read. */
    private CompleterState read() {
        SendWqe wqe = send.find(seq);
        if (wqe == null || wqe.operation().isAtomic() || !wqe.operation().isReadOrAtomic()) {
            return CompleterState.BAD_RESPONSE;
        }
        long index = seq - wqe.firstSeq();
        ReadProgress progress = wqe.read();
        if (progress.has(index) || !progress.canAccept(index)) {
            reportDuplicate();
            context.counters().drop(progress.has(index) ? DropReason.DUPLICATE_RESPONSE : DropReason.GHOST_RESPONSE);
            return CompleterState.DONE;
        }
        int expected = wqe.operation() == Operation.RDMA_READ ? wqe.payloadBytes(index, context.mtu()) : 0;
        if (packet.payloadLength() != expected || !ResponsePlacement.fitsSequence(packet.opcode(), progress, index)) {
            return CompleterState.BAD_RESPONSE;
        }
        if (!placement.placePayload(packet, wqe, index)) {
            return failLocally(wqe);
        }
        boolean isFirst = !progress.hasAny(index);
        progress.arrived(index);
        onResponseArrived(isFirst);
        executedTo(wqe.firstSeq());
        return CompleterState.COMPLETE;
    }

    /** rxe: do_atomic. */
    private CompleterState atomic() {
        SendWqe wqe = send.find(seq);
        if (wqe == null || !wqe.operation().isAtomic()) {
            return CompleterState.BAD_RESPONSE;
        }
        if (wqe.read().has(0)) {
            context.counters().drop(DropReason.DUPLICATE_RESPONSE);
            return CompleterState.DONE;
        }
        if (!placement.placeOriginal(packet, wqe)) {
            return failLocally(wqe);
        }
        wqe.read().arrived(0);
        onResponseArrived(true);
        executedTo(wqe.firstSeq());
        return CompleterState.COMPLETE;
    }

    /** A response to a READ or an atomic arrived for the first time. */
    private void onResponseArrived(boolean isFirst) {
        losses.onResponse(seq, isFirst, nowNs);
        send.packets().arrive(seq);
        window.onArrived(send.packets().isRead(seq), 1, nowNs);
    }

    /** The response is good, so the peer has executed what lies before it, although its data has no place to go (rule Q4). */
    private CompleterState failLocally(SendWqe wqe) {
        executedTo(wqe.firstSeq());
        advance();
        return failInOrder(CompletionStatus.LOC_PROT_ERR, placement.describeUnusable(wqe));
    }

    /** Rules T6 to T8, Q8. Responses that are missing before the refused packet are requested when the RNR wait is over. */
    private CompleterState rnrRetry() {
        context.counters().count(NicCounter.RCVD_RNR_ERR);
        credits.onRnrNak();
        executedTo(seq);
        advance();
        if (send.oldest() == null || retry.isInRnrWait() && seq == lastRnrSeq) {
            return CompleterState.COMPLETE;
        }
        lastRnrSeq = seq;
        window.onArrived(false, 1, nowNs);
        if (!retry.useRnrRetry(nowNs)) {
            context.counters().count(NicCounter.RETRY_RNR_EXCEEDED_ERR);
            retry.endRnrWait();
            return failInOrder(CompletionStatus.RNR_RETRY_EXC_ERR, text.receiverNeverReady(packet.psn(), nowNs));
        }
        int syndrome = Aeth.syndrome(packet.buffer(), packet.at(packet.opcode().aethOffset()));
        losses.onRnrNak();
        retry.startRnrWait(RnrTimer.toNs(Syndrome.rnrTimerCode(syndrome)), window.isOwn(false), nowNs);
        context.counters().event(EngineEvent.RNR_WAIT, packet.psn(), retry.rnrDeadlineNs() - nowNs);
        return CompleterState.COMPLETE;
    }

    /** Rule Q7. */
    private CompleterState sequenceRetry() {
        context.counters().count(NicCounter.RCVD_SEQ_ERR);
        byNak = true;
        executedTo(seq);
        advance();
        if (send.oldest() != null && !retry.isInRnrWait() && !losses.onSequenceNak(seq, nowNs)) {
            failExhausted();
        }
        return CompleterState.COMPLETE;
    }

    /** Rule Q9: never retried. */
    private CompleterState refused() {
        executedTo(seq);
        advance();
        int syndrome = Aeth.syndrome(packet.buffer(), packet.at(packet.opcode().aethOffset()));
        CompletionStatus status = switch (syndrome) {
            case Syndrome.INVALID_REQUEST -> CompletionStatus.REM_INV_REQ_ERR;
            case Syndrome.REMOTE_ACCESS_ERROR -> CompletionStatus.REM_ACCESS_ERR;
            default -> CompletionStatus.REM_OP_ERR;
        };
        return failInOrder(status, text.refused(syndrome, packet.psn(), send.find(seq)));
    }

    /** Rule Q10. */
    private CompleterState badResponse() {
        advance();
        return failInOrder(CompletionStatus.BAD_RESP_ERR, text.badResponse(packet));
    }

    /**
     * Fails the request that the response belongs to. Requests before it whose responses are missing are retransmitted first, complete
     * first, and may still succeed (rule Q14).
     */
    private CompleterState failInOrder(CompletionStatus status, String explanation) {
        SendWqe wqe = send.find(seq);
        if (wqe != null) {
            send.fail(wqe, status, explanation);
            failOldestIfDue();
        }
        return CompleterState.COMPLETE;
    }

    /** Fails the oldest request if it has an error, and all before it have completed. Returns whether it did. */
    private boolean failOldestIfDue() {
        SendWqe oldest = send.oldest();
        if (oldest == null || oldest.state() != SendWqe.State.ERROR) {
            return false;
        }
        failOldest(oldest.status(), oldest.explanation());
        return true;
    }

    /** Moves the acknowledged edge, completes requests, and checks for missing responses. */
    private CompleterState complete() {
        advance();
        if (!losses.checkOvertaken(nowNs)) {
            failExhausted();
        }
        return CompleterState.DONE;
    }

    /** After a valid response: restarts the ACK timer and, if the acknowledged edge moved, reloads the retry counters (rules T2, T6). */
    private void advance() {
        long moved = send.advance();
        if (send.isResponseDue()) {
            retry.restartAckTimer(nowNs);
        } else {
            retry.stopAckTimer();
        }
        if (moved > 0) {
            if (retry.isInRnrWait() && send.ackedSeq() > lastRnrSeq) {
                retry.shortenRnrWait(nowNs);
            }
            if (retry.failures() > 0) {
                context.counters().event(EngineEvent.STALL, (int) send.ackedSeq() & Psn.MASK, retry.failingForNs(nowNs));
            }
            retry.reload();
            window.onAcknowledged(send.ackedSeq(), send.nextSeq());
            losses.onAdvance(byNak);
        }
        if (send.executedSeq() > lastExecutedSeq) {
            // Progress too, although the missing response to an older READ or atomic holds the edge.
            lastExecutedSeq = send.executedSeq();
            credits.onExecuted(lastExecutedSeq);
            retry.reload();
        }
        completeAcknowledged();
    }

    /** The responder has executed everything before a sequence number, and sent the responses to it. */
    private void executedTo(long endSeq) {
        send.answeredTo(endSeq);
        executedTo(endSeq, true);
    }

    private void executedTo(long endSeq, boolean isInOrder) {
        long before = Math.max(send.executedSeq(), send.ackedSeq());
        if (endSeq > before) {
            window.onArrived(false, send.notKnownToArrive(before, endSeq), nowNs);
            losses.onExecuted(before, endSeq, isInOrder, nowNs);
            send.executedTo(endSeq);
        }
    }

    private void completeAcknowledged() {
        long index = context.queues().sends().consumerIndex();
        long end = send.ackIndex();
        while (index < end && context.state().canSend()) {
            SendWqe wqe = context.queues().sends().get(index);
            if (wqe.operation().isSend()) {
                context.counters().count(NicCounter.RDMA_SENDS);
            }
            context.queues().complete(wqe, CompletionStatus.SUCCESS, "");
            index++;
        }
    }

    private void failExhausted() {
        if (context.path().migrateFromDeadPath()) {
            return;
        }
        SendWqe oldest = send.oldest();
        String why = text.noAnswer(oldest == null ? Operation.SEND : oldest.operation(), (int) send.ackedSeq() & Psn.MASK, nowNs);
        SendWqe failed = send.hasFailed() ? send.find(send.failedSeq()) : null;
        failOldest(CompletionStatus.RETRY_EXC_ERR, failed == null ? why : why + "; before that, " + failed.explanation());
    }

    /** Goes to ERROR first, so that nothing posted from now on can begin, and then completes the oldest request with its error. */
    private void failOldest(CompletionStatus status, String explanation) {
        completeAcknowledged();
        context.fail();
        retry.stopAckTimer();
        retry.endRnrWait();
        long index = context.queues().sends().consumerIndex();
        if (index < context.queues().sends().producerIndex()) {
            context.queues().complete(context.queues().sends().get(index), status, explanation);
        }
        send.abandon(context.queues().sends().consumerIndex());
    }

    /** Handles expired timers and failed requests; returns whether there was any. */
    public boolean poll(long nowNs) {
        if (!context.state().canSend()) {
            return false;
        }
        this.nowNs = nowNs;
        boolean ranLocally = context.queues().sends().consumerIndex() < send.ackIndex();
        if (ranLocally) {
            completeAcknowledged();
        }
        // No packet and no timer brings the next poll when the request behind those that ran has failed: it fails in this one.
        if (failOldestIfDue()) {
            return true;
        }
        if (!losses.isDue(nowNs)) {
            return ranLocally;
        }
        if (!losses.onDeadline(nowNs)) {
            failExhausted();
        }
        return true;
    }

    /** The queue pair sends on another path from now on: retransmits there what is outstanding. */
    public void onNewPath() {
        losses.onNewPath();
    }

    /** Rules T11, M1: the path or the peer is gone. No request has failed, so an event says why. */
    public void failUnanswered(int keepAlives, long askedForNs) {
        if (context.path().migrateFromDeadPath()) {
            return;
        }
        context.fail();
        context.raise(AsyncEvent.Type.QP_FATAL, text.noKeepAlive(keepAlives, askedForNs));
    }

    /** When the next probe is due, or {@link Long#MAX_VALUE}. */
    public long probeDeadlineNs() {
        return losses.probeDeadlineNs();
    }

    /** When what was overtaken counts as lost unless it arrives before, or {@link Long#MAX_VALUE}. */
    public long reorderDeadlineNs() {
        return losses.reorderDeadlineNs();
    }
}
