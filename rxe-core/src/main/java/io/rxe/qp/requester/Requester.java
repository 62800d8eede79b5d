package io.rxe.qp.requester;

import io.rxe.counters.NicCounter;
import io.rxe.memory.ScatterGather;
import io.rxe.port.EngineEvent;
import io.rxe.port.PacketSink;
import io.rxe.qp.context.GracePeriods;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.context.ReadPlaces;
import io.rxe.qp.send.ReadProgress;
import io.rxe.qp.send.RetryState;
import io.rxe.qp.send.SendCredits;
import io.rxe.qp.send.SendSide;
import io.rxe.qp.send.SendState;
import io.rxe.qp.send.SendWindow;
import io.rxe.qp.send.SendWqe;
import io.rxe.qp.send.SentPackets;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Psn;

/**
 * The requester of a queue pair: sends one packet at a time from the send queue to the sink, as far as windows, READ limit, fences,
 * credits and the RNR wait allow. It claims room in the sink before it changes any state.
 *
 * <p>Owned by the engine thread. Source: rules P, Q1 to Q3, Q11, Q13, Q15; rxe: rxe_requester.
 */
public final class Requester {
    /** Most packets of one poll, so that one queue pair cannot starve the others. */
    private static final int BUDGET = 128;
    /** At least one packet in this many requests an acknowledgement. */
    private static final int ACK_INTERVAL = 32;
    /** Two more copies of a READ request cost little beside this many responses. */
    private static final int MANY_RESPONSES = 8;

    private final QueuePairContext context;
    private final SendState send;
    private final SentPackets packets;
    private final SendWindow window;
    private final RetryState retry;
    private final SendCredits credits;
    private final RequestPacket packet;
    private final DrainNotification drain;
    private final LocalOperations local;
    private int sinceAckRequest;
    private boolean unfinished;
    /** The first response of the last READ request that left twice so far. */
    private long repeatedSeq;
    /** The packet that SELECT chose to retransmit. */
    private long retransmitSeq;

    /**
     * @param context      the queue pair.
     * @param gracePeriods of the engine.
     * @param side         the queue pair's send side, which the completer shares.
     */
    public Requester(QueuePairContext context, GracePeriods gracePeriods, SendSide side) {
        this.context = context;
        this.send = side.state();
        this.packets = send.packets();
        this.window = side.window();
        this.retry = side.retry();
        this.credits = side.credits();
        this.packet = new RequestPacket(context, send.flushCoverage());
        this.drain = new DrainNotification(context, send);
        this.local = new LocalOperations(context, gracePeriods);
    }

    /** The queue pair goes to RTS. */
    public void start() {
        sinceAckRequest = 0;
        repeatedSeq = -1;
        drain.start();
    }

    /** The queue pair goes to SQD, perhaps in the middle of a message, some packets after the last that requested an ACK. */
    public void startDraining() {
        drain.start();
    }

    /** Whether the last poll ended because the sink was full or the budget used up, so that it should be polled again. */
    public boolean isUnfinished() {
        return unfinished;
    }

    /** Sends what can be sent, and runs what sends nothing; returns the packets sent and requests run. */
    public int poll(long nowNs, PacketSink sink) {
        int sent = 0;
        unfinished = true;
        packet.mark(!isForeign());
        packet.sendTime(send.reportsGaps(), nowNs);
        RequesterState state = RequesterState.SELECT;
        while (sent < BUDGET) {
            switch (state) {
                case SELECT -> state = select(nowNs);
                case BEGIN -> state = begin();
                case RETRANSMIT -> {
                    state = retransmit(nowNs, sink);
                    sent += state == RequesterState.SELECT ? 1 : 0;
                }
                case SEND_NEW -> {
                    state = sendNew(nowNs, sink);
                    sent += state == RequesterState.SELECT ? 1 : 0;
                }
                case IDLE, WAIT_RNR, WAIT_ACKNOWLEDGEMENT -> {
                    drain.check();
                    unfinished = false;
                    return sent;
                }
                case RAN_LOCALLY -> {
                    state = RequesterState.SELECT;
                    sent++;
                }
                case WAIT_SINK, WAIT_ENGINES -> {
                    return sent;
                }
            }
        }
        return sent;
    }

    /** Sends a keep-alive (rule T11); false when the sink is full. */
    public boolean sendKeepAlive(PacketSink sink) {
        if (!packet.writeKeepAlive(sink, Psn.previous((int) send.nextSeq() & Psn.MASK))) {
            return false;
        }
        context.counters().count(NicCounter.SENT_KEEP_ALIVES);
        return true;
    }

    /** rxe: the checks at the head of rxe_requester. */
    private RequesterState select(long nowNs) {
        if (!context.state().canSend()) {
            return RequesterState.IDLE;
        }
        if (retry.isInRnrWait()) {
            if (nowNs < retry.rnrDeadlineNs()) {
                return RequesterState.WAIT_RNR;
            }
            retry.endRnrWait();
            retry.stopAckTimer();
            packets.forgetArrived();
            packets.lose(send.ackedSeq(), send.nextSeq());
        }
        if (packets.lostPackets() > 0) {
            return selectRetransmission(nowNs);
        }
        return selectNew(nowNs);
    }

    /** Rule Q3: the oldest lost packet first; skips what was acknowledged or received meanwhile. */
    private RequesterState selectRetransmission(long nowNs) {
        retransmitSeq = packets.firstLost(send.ackedSeq());
        while (retransmitSeq < send.nextSeq()) {
            SendWqe wqe = send.find(retransmitSeq);
            long next = wqe.operation().isReadOrAtomic() ? nextToRequest(wqe, retransmitSeq) : Math.max(retransmitSeq, send.executedSeq());
            if (next > send.executedSeq() && retry.isRefusedAgain()) {
                return RequesterState.WAIT_ACKNOWLEDGEMENT;
            }
            if (next == retransmitSeq) {
                return sendOrWait(isBlocking(wqe, next) || window.allows(next, send.ackedSeq())
                    && window.claim(isRead(wqe), 1, nowNs),
                    RequesterState.RETRANSMIT);
            }
            retransmitSeq = packets.firstLost(Math.min(next, send.nextSeq()));
        }
        return selectNew(nowNs);
    }

    /**
     * Whether a retransmission never waits for a window: the oldest, since what is in flight behind it may be gone, unless it was refused
     * twice (rule Q8), and a request behind which the peer keeps others. Many responses are no burst only where the queue pair has most of
     * the window for itself.
     */
    private boolean isBlocking(SendWqe wqe, long seq) {
        if (!wqe.operation().isReadOrAtomic()) {
            return seq == send.ackedSeq() && !retry.isRefusedAgain() || packets.isProbe(seq);
        }
        long index = seq - wqe.firstSeq();
        return (seq == send.ackedSeq() || seq >= send.executedSeq()) && (lostEnd(wqe, index) == index + 1 || window.isOwn(isRead(wqe)));
    }

    /**
     * The first response at or after a sequence number that may be requested again. A peer of ours responds to all gaps of a READ at once;
     * to another one, later gaps of a request wait for the first.
     */
    private long nextToRequest(SendWqe wqe, long seq) {
        ReadProgress read = wqe.read();
        long index = seq - wqe.firstSeq();
        return wqe.firstSeq() + (send.reportsGaps() ? read.firstMissing(index) : read.firstRequestable(index));
    }

    private RequesterState selectNew(long nowNs) {
        SendWqe wqe = send.next();
        if (wqe == null) {
            return RequesterState.IDLE;
        }
        if (wqe.state() == SendWqe.State.ERROR || send.hasFailed() || packets.isNewPaused() || retry.isRefusedAgain()) {
            return RequesterState.WAIT_ACKNOWLEDGEMENT;
        }
        if (wqe.state() == SendWqe.State.POSTED) {
            return context.state() == QueuePairState.SQD ? RequesterState.IDLE : RequesterState.BEGIN;
        }
        if (wqe.operation().isReadOrAtomic() && !hasReadAtomicPlace(wqe)) {
            return RequesterState.WAIT_ACKNOWLEDGEMENT;
        }
        // Packets in flight that demand no response bring no credits: the first response may give fewer than were assumed before it.
        if (isOutOfCredits(wqe) && (send.isResponseDue() || !isCreditWaitOver(wqe, nowNs))) {
            return RequesterState.WAIT_ACKNOWLEDGEMENT;
        }
        // The peer send window is checked last: a grant must not go to a queue pair that waits for something else.
        return sendOrWait(window.allows(send.nextSeq(), send.ackedSeq()) && window.claim(isRead(wqe), packetsOfNext(wqe), nowNs),
            RequesterState.SEND_NEW);
    }

    /** How many packets the next one brings: a READ request brings its responses. */
    private long packetsOfNext(SendWqe wqe) {
        long index = send.nextSeq() - wqe.firstSeq();
        return wqe.operation().isReadOrAtomic() ? wqe.read().requestEnd(index) - index : 1;
    }

    /** A window that shrank behind packets without AckReq lets one more packet out: its AckReq gets the ACK that opens the window. */
    private RequesterState sendOrWait(boolean hasRoom, RequesterState toSend) {
        return hasRoom || sinceAckRequest > 0 && !isForeignAckDue() ? toSend : RequesterState.WAIT_ACKNOWLEDGEMENT;
    }

    /** Whether a foreign peer was asked for an ACK, which will open the window. */
    private boolean isForeignAckDue() {
        return isForeign() && send.isResponseDue();
    }

    private static boolean isRead(SendWqe wqe) {
        return wqe.operation() == Operation.RDMA_READ;
    }

    private boolean isForeign() {
        return send.peer() == SendState.Peer.FOREIGN;
    }

    private boolean hasReadAtomicPlace(SendWqe wqe) {
        return send.readAtomicInUse() < ReadPlaces.of(context.attributes().maxRdAtomic(), isRead(wqe) && send.reportsGaps());
    }

    /** Rule Q15: only messages that take a receive request need credits. */
    private boolean isOutOfCredits(SendWqe wqe) {
        return wqe.messageNumber() > credits.limit() && RequestPacket.takesReceive(wqe.operation());
    }

    /** Whether the next packet may leave without a credit: it takes no receive request, or no grant came for a while. */
    private boolean isCreditWaitOver(SendWqe wqe, long nowNs) {
        if (!takesReceiveNow(wqe, send.nextSeq())) {
            return true;
        }
        boolean isNew = !credits.isWaiting();
        boolean isOver = credits.isOver(nowNs);
        if (isNew && !isOver) {
            context.counters().count(NicCounter.CREDIT_WAITS);
        }
        return isOver;
    }

    /** Whether a packet takes a receive request of the peer: the first of a SEND, the last of a WRITE with immediate (rule R8). */
    private static boolean takesReceiveNow(SendWqe wqe, long seq) {
        return wqe.operation().isSend() ? seq == wqe.firstSeq()
            : RequestPacket.takesReceive(wqe.operation()) && seq + 1 == wqe.endSeq();
    }

    /**
     * Begins a posted request: checks fence, READ limit and the memory of what is sent (rules Q2, Q11). Memory for a response is judged
     * when that arrives. rxe: rxe_wqe_is_fenced, check_init_depth.
     */
    private RequesterState begin() {
        SendWqe wqe = send.next();
        if (wqe.isFence() && send.readAtomicInUse() > 0) {
            return RequesterState.WAIT_ACKNOWLEDGEMENT;
        }
        if (wqe.operation().isLocal()) {
            return beginLocal(wqe);
        }
        if (wqe.refusal() != null) {
            send.beginFailed();
            wqe.fail(wqe.refusedStatus(), wqe.refusal());
            return RequesterState.WAIT_ACKNOWLEDGEMENT;
        }
        if (wqe.operation().isReadOrAtomic() && !hasReadAtomicPlace(wqe)) {
            return RequesterState.WAIT_ACKNOWLEDGEMENT;
        }
        if (wqe.operation().isAtomic() && wqe.scatterGather().totalBytes() != Long.BYTES) {
            send.beginFailed();
            wqe.fail(CompletionStatus.LOC_LEN_ERR, wqe.operation() + " into " + wqe.scatterGather().totalBytes()
                + " bytes: the old value has exactly 8");
            return RequesterState.WAIT_ACKNOWLEDGEMENT;
        }
        if (!wqe.operation().bringsData() && !packet.checksAllMemory(wqe)
            && !ScatterGather.isUsable(wqe.scatterGather(), context.keys(), context.domain(), 0)) {
            send.beginFailed();
            return failLocally(wqe);
        }
        send.begin(wqe, context.mtu(), wqe.operation() == Operation.RDMA_READ
            ? send.readChunkPackets(wqe, context.mtu(), context.attributes().maxRdAtomic(), window) : 1);
        return RequesterState.SELECT;
    }

    /** Runs a request that sends no packet. A LOCAL_INV waits for all before it (rule W4). rxe: rxe_wqe_is_fenced, rxe_do_local_ops. */
    private RequesterState beginLocal(SendWqe wqe) {
        if (wqe.operation() == Operation.LOCAL_INV && send.oldest() != null) {
            return RequesterState.WAIT_ACKNOWLEDGEMENT;
        }
        if (local.run(wqe)) {
            return RequesterState.WAIT_ENGINES;
        }
        if (wqe.state() == SendWqe.State.ERROR) {
            send.beginFailed();
            return RequesterState.WAIT_ACKNOWLEDGEMENT;
        }
        send.ranLocally(wqe);
        return RequesterState.RAN_LOCALLY;
    }

    /** The request completes with its error once all before it have completed; nothing behind it is sent. */
    private RequesterState failLocally(SendWqe wqe) {
        wqe.fail(CompletionStatus.LOC_PROT_ERR, "a local key, range or access right of this " + wqe.operation() + " is wrong, "
            + ScatterGather.describeUnusable(wqe.scatterGather(), context.keys(), context.domain(), 0)
            + ": register the memory in the queue pair's domain and keep it registered");
        return RequesterState.WAIT_ACKNOWLEDGEMENT;
    }

    private RequesterState sendNew(long nowNs, PacketSink sink) {
        SendWqe wqe = send.next();
        long seq = send.nextSeq();
        long index = seq - wqe.firstSeq();
        long count = 1;
        if (wqe.operation().isReadOrAtomic()) {
            count = packetsOfNext(wqe);
            if (seq + count - send.ackedSeq() > SendState.MAX_UNACKED_PACKETS) {
                return RequesterState.WAIT_ACKNOWLEDGEMENT;
            }
        }
        boolean isLast = index + count == wqe.packets();
        boolean ackRequested = wqe.operation().isReadOrAtomic() || isAckRequested(wqe, seq, isLast);
        if (!writeNew(sink, wqe, index, index + count, ackRequested, nowNs)) {
            return packet.isMemoryGone() ? failLocally(wqe) : RequesterState.WAIT_SINK;
        }
        if (wqe.operation().isReadOrAtomic()) {
            int before = wqe.read().placesInUse();
            wqe.read().requestedTo(index + count);
            send.useReadAtomic(wqe.read().placesInUse() - before);
        }
        if (takesReceiveNow(wqe, seq)) {
            credits.onSent(seq);
        }
        packets.onSent(seq, seq + count, isRead(wqe), ackRequested, nowNs);
        send.sentNew(count);
        if (isLast) {
            wqe.sent();
        }
        window.onSent(isRead(wqe), count, wqe.payloadBytes(index, index + count, context.mtu()));
        afterSend(seq + count - 1, ackRequested, nowNs);
        return RequesterState.SELECT;
    }

    /**
     * Rule G7: where packets are lost or late, a READ request for much data leaves three times, since a missing one holds up the responses
     * to all behind it. The last copy leaves before the next request, so that no short burst of losses takes all of them.
     */
    private boolean writeNew(PacketSink sink, SendWqe wqe, long index, long end, boolean ackRequested, long nowNs) {
        tellReadRate(wqe);
        boolean isMuch = isRead(wqe) && end - index >= MANY_RESPONSES;
        if (!isMuch || !send.reportsGaps() || window.isSteady(nowNs)) {
            return packet.write(sink, wqe, index, end, ackRequested);
        }
        packet.repeated(true);
        repeatLast(sink);
        boolean isWritten = packet.write(sink, wqe, index, end, ackRequested);
        if (isWritten && packet.write(sink, wqe, index, end, ackRequested)) {
            repeatedSeq = wqe.firstSeq() + index;
        }
        packet.repeated(false);
        return isWritten;
    }

    /** Rule G9. */
    private void tellReadRate(SendWqe wqe) {
        if (isRead(wqe)) {
            packet.readRate(send.reportsGaps() ? window.readRate() : 0);
        }
    }

    private void repeatLast(PacketSink sink) {
        SendWqe wqe = repeatedSeq < send.ackedSeq() ? null : send.find(repeatedSeq);
        if (wqe != null) {
            long index = repeatedSeq - wqe.firstSeq();
            packet.write(sink, wqe, index, wqe.read().requestEnd(index), true);
        }
        repeatedSeq = -1;
    }

    private RequesterState retransmit(long nowNs, PacketSink sink) {
        long seq = retransmitSeq;
        SendWqe wqe = send.find(seq);
        long index = seq - wqe.firstSeq();
        long end = wqe.operation().isReadOrAtomic() ? lostEnd(wqe, index) : index + 1;
        long next = wqe.firstSeq() + end;
        boolean demandsResponse = wqe.operation().isReadOrAtomic() || packets.firstLost(next) == send.nextSeq()
            || isAckRequested(wqe, seq, end == wqe.packets());
        boolean ackRequested = wqe.operation().isReadOrAtomic() ? wqe.read().nextAckRequest() : demandsResponse;
        tellReadRate(wqe);
        if (!packet.write(sink, wqe, index, end, ackRequested)) {
            return packet.isMemoryGone() ? leaveOut(wqe, seq, next) : RequesterState.WAIT_SINK;
        }
        if (wqe.operation().isReadOrAtomic()) {
            wqe.read().onRetransmitted();
        }
        window.onSent(isRead(wqe), end - index, wqe.payloadBytes(index, end, context.mtu()));
        packets.onRetransmitted(seq, next, nowNs);
        context.counters().count(NicCounter.RETRANSMITTED_PKTS);
        context.counters().event(EngineEvent.RETRANSMISSION, (int) seq & Psn.MASK, next - seq);
        afterSend(next - 1, demandsResponse, nowNs);
        return RequesterState.SELECT;
    }

    /**
     * The memory of a retransmission is gone. Before a retry is charged, the packet may have arrived, with its acknowledgement on the way
     * (rule Q2): a program may free what a peer has shown by other means to have received.
     */
    private RequesterState leaveOut(SendWqe wqe, long seq, long endSeq) {
        if (retry.failures() > 0) {
            return failLocally(wqe);
        }
        packets.forgetLost(seq, endSeq);
        return RequesterState.SELECT;
    }

    /**
     * One past the responses to request again from an index on: a run of lost ones within its request, as far as the window has room. When
     * nothing of the request has arrived, the peer may not have it: then all of it, since the peer counts each request as a message.
     */
    private long lostEnd(SendWqe wqe, long index) {
        long end = wqe.read().missingEnd(index);
        if (wqe.read().isRequestStart(index) && end == wqe.read().requestEnd(index)) {
            return end;
        }
        long seq = wqe.firstSeq() + index;
        return Math.min(packets.lostEnd(seq, wqe.firstSeq() + end), seq + Math.max(1, window.packets(isRead(wqe)) / 2)) - wqe.firstSeq();
    }

    /**
     * The last packet of each message requests an acknowledgement, and enough packets between that the window never closes without one. A
     * kernel spends about as much on an acknowledgement as on a packet, so that of a foreign peer no more is requested than that.
     */
    private boolean isAckRequested(SendWqe wqe, long seq, boolean isLast) {
        return isLast || retry.isRefusedAgain() || sinceAckRequest >= Math.min(ACK_INTERVAL, window.ackInterval(isForeign())) - 1
            || window.isLast(seq, send.ackedSeq()) && !isForeignAckDue() || isOutOfCredits(wqe);
    }

    private void afterSend(long lastSeq, boolean demandsResponse, long nowNs) {
        sinceAckRequest = demandsResponse ? 0 : sinceAckRequest + 1;
        if (demandsResponse) {
            send.onResponseDemanded(lastSeq + 1);
            retry.startAckTimer(nowNs);
        }
    }
}
