package io.rxe.qp.requester;

import io.rxe.counters.NicCounter;
import io.rxe.memory.ScatterGather;
import io.rxe.port.EngineEvent;
import io.rxe.port.PacketSink;
import io.rxe.qp.PeerWindow;
import io.rxe.qp.QueuePairContext;
import io.rxe.qp.RetryCounters;
import io.rxe.qp.RoundTrip;
import io.rxe.qp.SendState;
import io.rxe.qp.SendWindow;
import io.rxe.qp.SendWqe;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Psn;

/**
 * The requester of a queue pair: one packet at a time from the send queue to the sink, as far as windows, READ limit, fences, credits
 * and timers allow. Room in the sink is claimed before anything changes.
 *
 * <p>Owned by the engine thread. Source: rules P, Q1 to Q3, Q11, Q13, Q15; rxe: rxe_requester.
 */
public final class Requester {
    /** Packets of one poll, so that one queue pair cannot keep the others waiting. */
    private static final int BUDGET = 128;
    /** At the most so many packets go out without one that asks for an acknowledgement. */
    private static final int ACK_INTERVAL = 32;

    private final QueuePairContext context;
    private final SendState send;
    private final SendWindow window;
    private final RoundTrip roundTrip;
    private final RetryCounters retry;
    private final RequestPacket packet;
    private PeerWindow.Share share;
    private int sinceAckRequest;
    private boolean drainReported;
    private boolean unfinished;

    /** @param context the queue pair; the others are its send side, shared with the completer. */
    public Requester(QueuePairContext context, SendState send, SendWindow window, RoundTrip roundTrip, RetryCounters retry) {
        this.context = context;
        this.send = send;
        this.window = window;
        this.roundTrip = roundTrip;
        this.retry = retry;
        this.packet = new RequestPacket(context);
    }

    /** Which part of what may be under way to the peer is this queue pair's; before it sends anything. */
    public void share(PeerWindow.Share ofPeerWindow) {
        share = ofPeerWindow;
    }

    /** Starts anew when the queue pair goes to RTS or SQD. */
    public void start() {
        sinceAckRequest = 0;
        drainReported = false;
    }

    /** Whether the last poll ended because the sink was full or its budget used up, so that it should be polled again. */
    public boolean isUnfinished() {
        return unfinished;
    }

    /**
     * Sends what can be sent.
     *
     * @return packets sent.
     */
    public int poll(long nowNs, PacketSink sink) {
        int sent = 0;
        unfinished = true;
        RequesterState state = RequesterState.SELECT;
        while (sent < BUDGET) {
            switch (state) {
                case SELECT -> state = select(nowNs);
                case BEGIN -> state = begin();
                case SEND_AGAIN -> {
                    state = sendAgain(nowNs, sink);
                    sent += state == RequesterState.SELECT ? 1 : 0;
                }
                case SEND_NEW -> {
                    state = sendNew(nowNs, sink);
                    sent += state == RequesterState.SELECT ? 1 : 0;
                }
                case IDLE, WAIT_RECEIVER, WAIT_ACKNOWLEDGEMENT -> {
                    checkDrained();
                    unfinished = false;
                    return sent;
                }
                case WAIT_SINK -> {
                    return sent;
                }
            }
        }
        return sent;
    }

    /** rxe: the checks at the head of rxe_requester. */
    private RequesterState select(long nowNs) {
        if (!context.state().canSend()) {
            return RequesterState.IDLE;
        }
        if (retry.isWaitingForReceiver()) {
            if (nowNs < retry.rnrUntilNs()) {
                return RequesterState.WAIT_RECEIVER;
            }
            retry.endWait();
            retry.stopTimer();
            send.sendAgain(send.ackedSeq(), send.nextSeq());
        }
        if (send.isRetrying()) {
            return selectAgain(nowNs);
        }
        return selectNew(nowNs);
    }

    /** Rule Q3: walks on from the retry flag, past what was answered meanwhile. */
    private RequesterState selectAgain(long nowNs) {
        long seq = send.againSeq();
        while (seq < send.againEnd()) {
            SendWqe wqe = send.find(seq);
            if (wqe == null) {
                break;
            }
            if (wqe.operation().isReadOrAtomic()) {
                long missing = wqe.read().firstAskable(seq - wqe.firstSeq());
                if (missing < wqe.read().asked() && wqe.firstSeq() + missing < send.againEnd()) {
                    send.sentAgainTo(wqe.firstSeq() + missing);
                    return sendOrWait(window.allows(send.againSeq(), send.ackedSeq()), RequesterState.SEND_AGAIN);
                }
                seq = wqe.endSeq();
            } else if (seq >= send.executedSeq()) {
                send.sentAgainTo(seq);
                return sendOrWait(window.allows(seq, send.ackedSeq()), RequesterState.SEND_AGAIN);
            } else {
                seq = Math.min(wqe.endSeq(), send.executedSeq());
            }
        }
        send.sendNothingAgain();
        return selectNew(nowNs);
    }

    private RequesterState selectNew(long nowNs) {
        SendWqe wqe = send.next();
        if (wqe == null) {
            return RequesterState.IDLE;
        }
        if (wqe.state() == SendWqe.State.ERROR || send.isNewHeld()) {
            return RequesterState.WAIT_ACKNOWLEDGEMENT;
        }
        if (wqe.state() == SendWqe.State.POSTED) {
            return context.state() == QueuePairState.SQD ? RequesterState.IDLE : RequesterState.BEGIN;
        }
        if (wqe.operation().isReadOrAtomic() && !hasReadAtomicPlace()) {
            return RequesterState.WAIT_ACKNOWLEDGEMENT;
        }
        if (isOutOfCredits(wqe) && send.isOutstanding()) {
            return RequesterState.WAIT_ACKNOWLEDGEMENT;
        }
        // Only who could send asks the peer's window: a turn must not go to a queue pair that waits for something else.
        return sendOrWait(window.allows(send.nextSeq(), send.ackedSeq()) && share.claim(nowNs), RequesterState.SEND_NEW);
    }

    /** A window that shrank behind packets which ask for nothing lets one more out: it asks, and its answer opens the window again. */
    private RequesterState sendOrWait(boolean hasRoom, RequesterState toSend) {
        return hasRoom || sinceAckRequest > 0 ? toSend : RequesterState.WAIT_ACKNOWLEDGEMENT;
    }

    private boolean hasReadAtomicPlace() {
        return send.readAtomicInUse() < context.attributes().maxRdAtomic();
    }

    /** Rule Q15: only messages that take a receive request count. */
    private boolean isOutOfCredits(SendWqe wqe) {
        return wqe.messageNumber() > send.creditLimit() && RequestPacket.takesReceive(wqe.operation());
    }

    /** Takes up a posted request: fence, READ limit, local memory (rules Q2, Q11). rxe: rxe_wqe_is_fenced, check_init_depth. */
    private RequesterState begin() {
        SendWqe wqe = send.next();
        if (wqe.isFence() && send.readAtomicInUse() > 0) {
            return RequesterState.WAIT_ACKNOWLEDGEMENT;
        }
        if (wqe.operation().isReadOrAtomic() && !hasReadAtomicPlace()) {
            return RequesterState.WAIT_ACKNOWLEDGEMENT;
        }
        int needed = wqe.operation().isReadOrAtomic() ? AccessFlags.LOCAL_WRITE : 0;
        if (!wqe.isInline() && !ScatterGather.isUsable(wqe.scatterGather(), context.keys(), context.domain(), needed)) {
            send.beginFailed();
            return failLocally(wqe);
        }
        send.begin(wqe, context.mtu(), window.limitPackets());
        return RequesterState.SELECT;
    }

    /** The request completes with its error once all before it have completed; nothing behind it is sent. */
    private RequesterState failLocally(SendWqe wqe) {
        wqe.fail(CompletionStatus.LOC_PROT_ERR, "a local key, range or access right of this " + wqe.operation()
            + " is wrong: register the memory in the queue pair's domain and keep it registered"
            + (wqe.operation().isReadOrAtomic() ? ", with LOCAL_WRITE" : ""));
        return RequesterState.WAIT_ACKNOWLEDGEMENT;
    }

    private RequesterState sendNew(long nowNs, PacketSink sink) {
        SendWqe wqe = send.next();
        long seq = send.nextSeq();
        long index = seq - wqe.firstSeq();
        long count = 1;
        if (wqe.operation().isReadOrAtomic()) {
            count = wqe.read().chunkEnd(index) - index;
            if (seq + count - send.ackedSeq() > SendState.MAX_UNACKED_PACKETS) {
                return RequesterState.WAIT_ACKNOWLEDGEMENT;
            }
        }
        boolean isLast = index + count == wqe.packets();
        boolean ackRequested = wqe.operation().isReadOrAtomic() || isAckRequested(wqe, seq, isLast);
        if (!packet.write(sink, wqe, index, index + count, ackRequested)) {
            return packet.isMemoryGone() ? failLocally(wqe) : RequesterState.WAIT_SINK;
        }
        if (wqe.operation().isReadOrAtomic()) {
            int before = wqe.read().placesInUse();
            wqe.read().askedTo(index + count);
            send.useReadAtomic(wqe.read().placesInUse() - before);
        }
        send.sentNew(count);
        if (isLast) {
            wqe.sent();
        }
        share.sent(count, wqe.payloadBytes(index, index + count, context.mtu()));
        afterSend(seq, seq + count - 1, ackRequested, false, nowNs);
        return RequesterState.SELECT;
    }

    private RequesterState sendAgain(long nowNs, PacketSink sink) {
        long seq = send.againSeq();
        SendWqe wqe = send.find(seq);
        long index = seq - wqe.firstSeq();
        long end = index + 1;
        if (wqe.operation().isReadOrAtomic()) {
            end = wqe.read().missingEnd(index);
        }
        long next = wqe.firstSeq() + end;
        boolean answered = wqe.operation().isReadOrAtomic() || next >= send.againEnd()
            || isAckRequested(wqe, seq, end == wqe.packets());
        boolean ackRequested = wqe.operation().isReadOrAtomic() ? wqe.read().nextAckRequest() : answered;
        if (!packet.write(sink, wqe, index, end, ackRequested)) {
            return packet.isMemoryGone() ? failLocally(wqe) : RequesterState.WAIT_SINK;
        }
        if (wqe.operation().isReadOrAtomic()) {
            wqe.read().askedAgain();
        }
        send.sentAgainTo(next);
        share.sent(end - index, wqe.payloadBytes(index, end, context.mtu()));
        afterSend(seq, next - 1, answered, true, nowNs);
        return RequesterState.SELECT;
    }

    /** Every last packet asks for an acknowledgement, and in between enough of them that the window never closes unasked. */
    private boolean isAckRequested(SendWqe wqe, long seq, boolean isLast) {
        return isLast || sinceAckRequest >= Math.min(ACK_INTERVAL, window.packets() / 2) - 1
            || !window.allows(seq + 1, send.ackedSeq()) || share.isLast() || isOutOfCredits(wqe);
    }

    private void afterSend(long firstSeq, long lastSeq, boolean answered, boolean again, long nowNs) {
        sinceAckRequest = answered ? 0 : sinceAckRequest + 1;
        if (again) {
            roundTrip.onSentAgain(lastSeq);
            if (answered) {
                roundTrip.onRepeated(firstSeq, nowNs);
            }
            context.counters().count(NicCounter.RETRANSMITTED_PKTS);
            context.counters().event(EngineEvent.RETRANSMISSION, (int) firstSeq & Psn.MASK, lastSeq + 1 - firstSeq);
        } else if (answered) {
            roundTrip.onSent(firstSeq, nowNs);
        }
        if (answered) {
            send.answerDue(lastSeq + 1);
            retry.startTimer(nowNs);
        }
    }

    /** Rule Q13: once, when the queue was told to drain and the last PSN is acknowledged. */
    private void checkDrained() {
        if (context.state() == QueuePairState.SQD && !drainReported && !send.isOutstanding() && !send.isMidMessage()) {
            drainReported = true;
            if (context.attributes().isDrainedNotification()) {
                context.raise(AsyncEvent.Type.SQ_DRAINED, "");
            }
        }
    }
}
