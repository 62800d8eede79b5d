package io.rxe.qp.completer;

import io.rxe.counters.NicCounter;
import io.rxe.memory.ScatterGather;
import io.rxe.port.EngineEvent;
import io.rxe.qp.InboundPacket;
import io.rxe.qp.QueuePairContext;
import io.rxe.qp.ReadProgress;
import io.rxe.qp.ReorderHold;
import io.rxe.qp.RetryCounters;
import io.rxe.qp.RoundTrip;
import io.rxe.qp.SendState;
import io.rxe.qp.SendWindow;
import io.rxe.qp.SendWqe;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;
import io.rxe.wire.Aeth;
import io.rxe.wire.AtomicAckEth;
import io.rxe.wire.DropReason;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.RnrTimer;
import io.rxe.wire.Syndrome;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The completer of a queue pair: matches each response with the request it answers, moves the acknowledged edge, completes requests in
 * posting order, and decides about retries and failures.
 *
 * <p>Owned by the engine thread. Source: rules P5, T, Q3 to Q15; rxe: rxe_completer.
 */
public final class Completer {
    /** A scheduler or a collector may hold an answer back so long without anything being lost. */
    private static final long MIN_PROBE_NS = 300_000;

    private final QueuePairContext context;
    private final SendState send;
    private final SendWindow window;
    private final RoundTrip roundTrip;
    private final RetryCounters retry;
    private final LossRecovery recovery;
    private final ReorderHold hold = new ReorderHold();
    private final FailureText text;
    private final UnsafeBuffer atomicValue = new UnsafeBuffer(new byte[Long.BYTES]);

    // The response in hand.
    private InboundPacket packet;
    private long seq;
    private long nowNs;
    private boolean byNak;
    private long lastNakSeq;
    private long lastNakNs;
    private long lastRnrSeq;
    private long lastExecutedSeq;
    private long countedSeq;
    private long countedNs;
    private long creditedMessages;
    private int probes;

    /** @param context the queue pair; the others are its send side, shared with the requester. */
    public Completer(QueuePairContext context, SendState send, SendWindow window, RoundTrip roundTrip, RetryCounters retry) {
        this.context = context;
        this.send = send;
        this.window = window;
        this.roundTrip = roundTrip;
        this.retry = retry;
        this.recovery = new LossRecovery(send, window);
        this.text = new FailureText(context, retry);
    }

    /** A new connection. */
    public void start() {
        recovery.start();
        hold.start();
        lastNakSeq = -1;
        lastRnrSeq = -1;
        countedSeq = -1;
        lastExecutedSeq = send.executedSeq();
        creditedMessages = 0;
        probes = 0;
    }

    /** Takes a response that was checked as far as its ICRC. */
    public void onResponse(InboundPacket response, long now) {
        packet = response;
        nowNs = now;
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

    /** Rules P5, Q6: unacked goes on, acked and invalid are dropped. rxe: check_psn. */
    private CompleterState checkPsn() {
        long acked = send.ackedSeq();
        seq = acked + Psn.subtract(packet.psn(), (int) acked & Psn.MASK);
        if (seq >= send.nextSeq()) {
            context.counters().drop(DropReason.GHOST_RESPONSE);
            return CompleterState.DONE;
        }
        if (seq < acked) {
            noteCopy();
            harvestCredits(packet.opcode());
            context.counters().drop(DropReason.DUPLICATE_RESPONSE);
            return CompleterState.DONE;
        }
        return CompleterState.CHECK_ACK;
    }

    /** An answer came twice: if it was asked for again, that was needless, it had only been late. */
    private void noteCopy() {
        if (packet.opcode().isReadResponse() && recovery.wasAskedAgain(seq)) {
            hold.onNeedless(roundTrip.disorderNs());
        }
    }

    /** What kind of answer is it? rxe: check_ack. */
    private CompleterState checkAck() {
        Opcode opcode = packet.opcode();
        if (!opcode.hasAeth()) {
            return CompleterState.READ;
        }
        int syndrome = Aeth.syndrome(packet.buffer(), packet.at(opcode.aethOffset()));
        if (Syndrome.isReserved(syndrome)) {
            context.counters().drop(DropReason.RESERVED_SYNDROME);
            return CompleterState.DONE;
        }
        if (Syndrome.isAck(syndrome)) {
            harvestCredits(opcode);
            return opcode.isAck() ? CompleterState.ACKNOWLEDGE
                : opcode.isAtomicAck() ? CompleterState.ATOMIC : CompleterState.READ;
        }
        if (!opcode.isAck()) {
            return CompleterState.BAD_RESPONSE;
        }
        if (seq < send.executedSeq()) {
            // A refusal of something the peer has executed since: an old packet.
            context.counters().drop(DropReason.DUPLICATE_RESPONSE);
            return CompleterState.DONE;
        }
        context.counters().event(EngineEvent.NAK_RECEIVED, packet.psn(), syndrome);
        if (Syndrome.isRnr(syndrome)) {
            return CompleterState.RNR_RETRY;
        }
        return syndrome == Syndrome.PSN_SEQUENCE_ERROR ? CompleterState.SEQUENCE_RETRY : CompleterState.REFUSED;
    }

    /** Rule Q15: the peer has executed messages up to its MSN and has room for so many more. What is older than the last is void. */
    private void harvestCredits(Opcode opcode) {
        if (!opcode.hasAeth()) {
            return;
        }
        int syndrome = Aeth.syndrome(packet.buffer(), packet.at(opcode.aethOffset()));
        long begun = send.messages();
        int msn = Aeth.messageSequenceNumber(packet.buffer(), packet.at(opcode.aethOffset()));
        long executed = begun + Psn.subtract(msn, (int) begun & Psn.MASK);
        if (!Syndrome.isAck(syndrome) || executed < creditedMessages) {
            return;
        }
        creditedMessages = executed;
        int code = Syndrome.creditCode(syndrome);
        send.creditLimit(code == Syndrome.ACK_UNLIMITED ? Long.MAX_VALUE : executed + Credits.ofCode(code));
    }

    /** Rule Q4: cumulative; at the PSN of a READ or atomic it covers only what was before. */
    private CompleterState acknowledge() {
        SendWqe wqe = send.find(seq);
        boolean answersOther = wqe != null && wqe.operation().isReadOrAtomic();
        send.executedTo(answersOther ? wqe.firstSeq() : seq + 1);
        return CompleterState.COMPLETE;
    }

    /** Rules Q5, Q10: data of a READ goes to memory whatever its order. rxe: do_read. */
    private CompleterState read() {
        SendWqe wqe = send.find(seq);
        if (wqe == null || wqe.operation() != Operation.RDMA_READ) {
            return CompleterState.BAD_RESPONSE;
        }
        long index = seq - wqe.firstSeq();
        ReadProgress progress = wqe.read();
        if (progress.has(index) || !progress.canAccept(index)) {
            noteCopy();
            context.counters().drop(progress.has(index) ? DropReason.DUPLICATE_RESPONSE : DropReason.GHOST_RESPONSE);
            return CompleterState.DONE;
        }
        if (packet.payloadLength() != wqe.payloadBytes(index, context.mtu()) || !fitsSequence(progress, index)) {
            return CompleterState.BAD_RESPONSE;
        }
        if (packet.payloadLength() > 0 && !ScatterGather.scatter(wqe.scatterGather(), context.keys(), context.domain(),
            AccessFlags.LOCAL_WRITE, index * context.mtu(), packet.buffer(), packet.payloadOffset(), packet.payloadLength())) {
            return localFailure(wqe);
        }
        progress.arrived(index);
        measure(seq + 1);
        send.executedTo(wqe.firstSeq());
        return CompleterState.COMPLETE;
    }

    /** Whether the position in the opcode suits the place in the READ. After a repeated request any run may begin or end in between. */
    private boolean fitsSequence(ReadProgress progress, long index) {
        Opcode opcode = packet.opcode();
        boolean atEnd = progress.chunkEnd(index) == index + 1;
        if (atEnd && !opcode.isEnd()) {
            return false;
        }
        if (progress.wasAskedAgain()) {
            return true;
        }
        return opcode.isEnd() == atEnd && opcode.isStart() == progress.isChunkStart(index);
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
        long original = AtomicAckEth.originalValue(packet.buffer(), packet.at(packet.opcode().atomicAckEthOffset()));
        atomicValue.putLong(0, original);
        if (!ScatterGather.scatter(wqe.scatterGather(), context.keys(), context.domain(), AccessFlags.LOCAL_WRITE, 0, atomicValue, 0,
            Long.BYTES)) {
            return localFailure(wqe);
        }
        wqe.read().arrived(0);
        send.executedTo(wqe.firstSeq());
        return CompleterState.COMPLETE;
    }

    private CompleterState localFailure(SendWqe wqe) {
        wqe.fail(CompletionStatus.LOC_PROT_ERR, "the memory for the answer to this " + wqe.operation()
            + " is not usable any more: keep it registered with LOCAL_WRITE until the request completes");
        return CompleterState.COMPLETE;
    }

    /** Rules T6 to T8, Q8. An answer that is still missing before that packet is asked for when the delay is over. */
    private CompleterState rnrRetry() {
        context.counters().count(NicCounter.RCVD_RNR_ERR);
        send.executedTo(seq);
        advance();
        if (send.oldest() == null || retry.isWaitingForReceiver() && seq == lastRnrSeq) {
            return CompleterState.COMPLETE;
        }
        lastRnrSeq = seq;
        if (!retry.useRnrRetry(nowNs)) {
            context.counters().count(NicCounter.RETRY_RNR_EXCEEDED_ERR);
            failOldest(CompletionStatus.RNR_RETRY_EXC_ERR, text.receiverNeverReady(packet.psn(), nowNs));
            return CompleterState.DONE;
        }
        int syndrome = Aeth.syndrome(packet.buffer(), packet.at(packet.opcode().aethOffset()));
        send.sendNothingAgain();
        recovery.restart(send.ackedSeq());
        long waitNs = RnrTimer.toNs(Syndrome.rnrTimerCode(syndrome));
        retry.waitForReceiver(nowNs + waitNs);
        context.counters().event(EngineEvent.RECEIVER_WAIT, packet.psn(), waitNs);
        return CompleterState.COMPLETE;
    }

    /** Rule Q7. A second NAK for the same packet within a round trip is a copy, the network's doing, and changes nothing. */
    private CompleterState sequenceRetry() {
        context.counters().count(NicCounter.RCVD_SEQ_ERR);
        byNak = true;
        send.executedTo(seq);
        advance();
        boolean isCopy = seq == lastNakSeq && nowNs - lastNakNs < (roundTrip.isKnown() ? roundTrip.smoothedNs() : MIN_PROBE_NS);
        if (send.oldest() == null || isCopy || retry.isWaitingForReceiver()) {
            return CompleterState.COMPLETE;
        }
        lastNakSeq = seq;
        lastNakNs = nowNs;
        if (useRetryForNak()) {
            recovery.onSequenceNak(seq);
            if (send.hasHole() && !recovery.isHoleAsked()) {
                hold.onAsked(send.ackedSeq(), nowNs, roundTrip.verdictNs());
                recovery.onHole();
            }
        }
        return CompleterState.COMPLETE;
    }

    /** Rule Q9: never retried. An answer that is still missing is asked for first. */
    private CompleterState refused() {
        send.executedTo(seq);
        advance();
        if (send.ackedSeq() < seq && send.hasHole()) {
            return CompleterState.COMPLETE;
        }
        int syndrome = Aeth.syndrome(packet.buffer(), packet.at(packet.opcode().aethOffset()));
        CompletionStatus status = switch (syndrome) {
            case Syndrome.INVALID_REQUEST -> CompletionStatus.REM_INV_REQ_ERR;
            case Syndrome.REMOTE_ACCESS_ERROR -> CompletionStatus.REM_ACCESS_ERR;
            default -> CompletionStatus.REM_OP_ERR;
        };
        failOldest(status, text.refused(syndrome, packet.psn()));
        return CompleterState.DONE;
    }

    /** Rule Q10. */
    private CompleterState badResponse() {
        String why = text.badResponse(packet);
        advance();
        if (send.oldest() != null) {
            failOldest(CompletionStatus.BAD_RESP_ERR, why);
        } else {
            context.fail();
        }
        context.raise(AsyncEvent.Type.QP_FATAL, why);
        return CompleterState.DONE;
    }

    /** Moves the edge, completes, and looks for missing answers. */
    private CompleterState complete() {
        advance();
        watchHole();
        return CompleterState.DONE;
    }

    /**
     * Rules Q4, Q5, the implied NAK: answers to READs or atomics are missing although later ones came. They are asked for at once, or
     * after a short hold when answers have been arriving out of order.
     */
    private void watchHole() {
        if (!context.state().canSend() || retry.isWaitingForReceiver() || !send.hasHole()) {
            hold.onClosed(nowNs);
            return;
        }
        if (recovery.isHoleAsked()) {
            return;
        }
        if (hold.isAsked()) {
            hold.reopen(nowNs);
        } else {
            hold.onGap(nowNs);
        }
        if (hold.isDue(nowNs)) {
            hold.onAsked(send.ackedSeq(), nowNs, roundTrip.verdictNs());
            countRetry(NicCounter.IMPLIED_NAK, EngineEvent.IMPLIED_NAK);
            if (recovery.isHoleFurther() || useRetryForNak()) {
                recovery.onHole();
            }
        }
    }

    /** A valid response: the timer starts anew, and if it moved the edge the counters are full again (rules T2, T6). */
    private void advance() {
        long moved = send.advance();
        measure(Math.max(send.executedSeq(), send.ackedSeq()));
        if (send.isAnswerDue()) {
            retry.restartTimer(nowNs);
        } else {
            retry.stopTimer();
        }
        if (moved > 0) {
            if (retry.isWaitingForReceiver() && send.ackedSeq() > lastRnrSeq) {
                retry.waitForReceiver(nowNs);
            }
            if (hold.isAsked()) {
                hold.onClosed(nowNs);
            }
            probes = 0;
            if (retry.failures() > 0) {
                context.counters().event(EngineEvent.STALL, (int) send.ackedSeq() & Psn.MASK, retry.failingForNs(nowNs));
            }
            retry.reload();
            window.onAcknowledged((int) Math.min(moved, Integer.MAX_VALUE), send.ackedSeq(), send.nextSeq());
            recovery.onAdvance(byNak);
        }
        if (send.executedSeq() > lastExecutedSeq) {
            // Progress too, although the answer to an older READ or atomic still holds the edge.
            lastExecutedSeq = send.executedSeq();
            retry.reload();
        }
        completeAnswered();
    }

    private void measure(long endSeq) {
        long queueingNs = roundTrip.onAnswered(endSeq, nowNs);
        if (queueingNs >= 0) {
            window.onQueueing(queueingNs);
        }
    }

    private void completeAnswered() {
        long index = context.sendQueue().consumerIndex();
        long end = send.ackIndex();
        while (index < end && context.state().canSend()) {
            SendWqe wqe = context.sendQueue().get(index);
            if (wqe.operation().isSend()) {
                context.counters().count(NicCounter.RDMA_SENDS);
            }
            context.completeSend(wqe, CompletionStatus.SUCCESS, "");
            context.sendQueue().release(++index);
        }
    }

    /**
     * A NAK, said or implied, counts once for each repetition of the oldest packet: before that has left, or could have been answered,
     * it tells of nothing that was not counted, be it by a NAK or by the timer (rule T3: 1 + retry_cnt transmissions; rxe: started_retry).
     */
    private boolean useRetryForNak() {
        long edge = send.ackedSeq();
        boolean isPending = send.isRetrying() && send.againSeq() <= edge;
        if (edge == countedSeq && (isPending || nowNs - countedNs < roundTrip.minimumNs())) {
            return true;
        }
        return useRetry();
    }

    private void countRetry(NicCounter counter, EngineEvent event) {
        context.counters().count(counter);
        context.counters().event(event, (int) send.ackedSeq() & Psn.MASK, send.nextSeq() - send.ackedSeq());
    }

    private boolean useRetry() {
        countedSeq = send.ackedSeq();
        countedNs = nowNs;
        if (retry.useRetry(nowNs)) {
            context.counters().count(NicCounter.COMPLETER_RETRY_ERR);
            return true;
        }
        context.counters().count(NicCounter.RETRY_EXCEEDED_ERR);
        failOldest(CompletionStatus.RETRY_EXC_ERR, text.noAnswer((int) send.ackedSeq() & Psn.MASK, nowNs));
        return false;
    }

    /** The queue pair goes to ERROR first, so that nothing posted from now on can begin; then the oldest request completes. */
    private void failOldest(CompletionStatus status, String explanation) {
        completeAnswered();
        context.fail();
        retry.stopTimer();
        retry.endWait();
        long index = context.sendQueue().consumerIndex();
        if (index < context.sendQueue().producerIndex()) {
            context.completeSend(context.sendQueue().get(index), status, explanation);
            context.sendQueue().release(++index);
        }
        send.abandon(index);
    }

    /**
     * Looks after timers and requests that failed on this side.
     *
     * @return whether something happened.
     */
    public boolean poll(long now) {
        if (!context.state().canSend()) {
            return false;
        }
        nowNs = now;
        SendWqe oldest = send.oldest();
        if (oldest != null && oldest.state() == SendWqe.State.ERROR) {
            String why = oldest.explanation();
            failOldest(oldest.status(), why);
            context.raise(AsyncEvent.Type.QP_FATAL, why);
            return true;
        }
        if (now >= retry.deadlineNs()) {
            onTimeout();
            return true;
        }
        if (now >= hold.dueNs()) {
            watchHole();
            return true;
        }
        if (now >= probeDeadlineNs()) {
            probes++;
            countRetry(NicCounter.LOSS_PROBE, EngineEvent.LOSS_PROBE);
            if (hold.isHolding()) {
                hold.onAsked(send.ackedSeq(), nowNs, roundTrip.verdictNs());
            }
            recovery.onProbe();
            return true;
        }
        return false;
    }

    /** Rules T3, T5. The timer starts again when the repeated packets leave, so a full sink uses up no retries. */
    private void onTimeout() {
        if (!send.isOutstanding()) {
            retry.stopTimer();
            return;
        }
        countRetry(NicCounter.ACK_TIMEOUT, EngineEvent.TIMEOUT);
        if (useRetry()) {
            probes = 0;
            retry.stopTimer();
            recovery.onTimeout();
        }
    }

    /**
     * When to send the oldest packet again without using up a retry: a plausible round trip and a quarter after the last answer, then
     * twice as long each time. Only with a peer that has answered before, so a dead one gets exactly 1 + retry_cnt transmissions.
     */
    private long probeDeadlineNs() {
        boolean sendsSoon = send.isRetrying() && send.againSeq() == send.ackedSeq();
        if (!roundTrip.isKnown() || !retry.isTimerRunning() || retry.isWaitingForReceiver() || sendsSoon) {
            return Long.MAX_VALUE;
        }
        long waitNs = Math.max(MIN_PROBE_NS, roundTrip.plausibleNs() * 5 / 4) << Math.min(probes, 16);
        return waitNs < retry.timeoutNs() ? retry.startedNs() + waitNs : Long.MAX_VALUE;
    }

    /** When {@link #poll} has to look again, or {@link Long#MAX_VALUE}. */
    public long deadlineNs() {
        if (!context.state().canSend()) {
            return Long.MAX_VALUE;
        }
        long retryNs = Math.min(retry.deadlineNs(), retry.rnrUntilNs());
        return Math.min(retryNs, Math.min(probeDeadlineNs(), hold.dueNs()));
    }
}
