package io.rxe.qp.responder;

import io.rxe.counters.NicCounter;
import io.rxe.memory.Region;
import io.rxe.memory.ScatterGatherList;
import io.rxe.port.PacketSink;
import io.rxe.qp.FramePool;
import io.rxe.qp.InboundPacket;
import io.rxe.qp.QueuePairContext;
import io.rxe.qp.ReorderHold;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.AtomicEth;
import io.rxe.wire.DropReason;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Reth;
import io.rxe.wire.Syndrome;

/**
 * The responder of an RC queue pair: takes the peer's requests in PSN order, checks them, executes them, and notes what is to be
 * answered.
 *
 * <p>Owned by the engine thread. Source: rules R1 to R18; rxe: rxe_responder.
 */
public final class Responder {
    private final QueuePairContext context;
    private final Replies replies;
    private final DuplicateRequests duplicates;
    private final InboundMessage message;
    private final ReorderBuffer reorder;
    private final ReorderHold hold = new ReorderHold();

    private long expectedSeq;
    private boolean receiverNotReady;
    private boolean established;

    // The request in hand.
    private InboundPacket packet;
    private Opcode opcode;
    private Region target;
    private long nowNs;
    private long lastGapNs;
    /** A NAK has asked for the request in hand. */
    private boolean askedFor;
    /** The peer repeats what is before an open gap: it waits for an answer. */
    private boolean repeated;

    /** @param pool room for requests that arrive out of order, shared by the engine's queue pairs. */
    public Responder(QueuePairContext context, FramePool pool) {
        this.context = context;
        this.replies = new Replies(context);
        this.duplicates = new DuplicateRequests(context, replies);
        this.message = new InboundMessage(context);
        this.reorder = new ReorderBuffer(pool);
    }

    /** A new connection: the first request will carry this PSN. */
    public void start(int psn, int readAtomicPlaces) {
        expectedSeq = (1L << 24) + psn;
        receiverNotReady = false;
        established = false;
        message.reset();
        duplicates.start();
        reorder.clear();
        hold.start();
        replies.start(readAtomicPlaces);
    }

    /** PSN of the next request. */
    public int expectedPsn() {
        return (int) expectedSeq & Psn.MASK;
    }

    /** Requests kept behind a gap now. */
    public int heldRequests() {
        return reorder.count();
    }

    /** Messages completed, 24 bits (rule R15). */
    public int messageSequenceNumber() {
        return replies.messageSequenceNumber();
    }

    /** Takes a request that was checked as far as its ICRC, and after it those that were waiting for it. */
    public void onRequest(InboundPacket request, long now) {
        nowNs = now;
        if (!established) {
            established = true;
            if (context.state() == QueuePairState.RTR) {
                context.raise(AsyncEvent.Type.COMM_EST, "");
            }
        }
        long before = expectedSeq;
        process(request);
        if (expectedSeq != before) {
            takeKept(request, before);
        }
        if (context.state() == QueuePairState.ERROR || receiverNotReady) {
            // The peer sends all of it again, so no gap is left to ask about.
            reorder.clear();
            hold.onClosed(nowNs);
        }
    }

    /** The gap may have closed: what was kept behind it is executed now, in order, as if it had just come. */
    private void takeKept(InboundPacket request, long before) {
        hold.onClosed(nowNs);
        repeated = false;
        reorder.forget(before + 1, expectedSeq);
        while (reorder.has(expectedSeq) && context.state().canReceive() && !receiverNotReady) {
            long seq = expectedSeq;
            process(reorder.peek(seq, request));
            reorder.drop(seq);
            reorder.forget(seq + 1, expectedSeq);
        }
        if (!reorder.isEmpty()) {
            hold.onGap(lastGapNs);
        }
    }

    private void process(InboundPacket request) {
        packet = request;
        opcode = request.opcode();
        ResponderState state = ResponderState.CHECK_PSN;
        while (state != ResponderState.DONE) {
            state = switch (state) {
                case CHECK_PSN -> checkPsn();
                case CHECK_OP_SEQUENCE -> checkOpSequence();
                case CHECK_OP_VALID -> checkOpValid();
                case CHECK_RESOURCE -> checkResource();
                case CHECK_LENGTH -> checkLength();
                case CHECK_RKEY -> checkRkey();
                case EXECUTE -> execute();
                case COMPLETE -> complete();
                case ACKNOWLEDGE -> acknowledge();
                case DUPLICATE -> duplicate();
                case GAP -> gap();
                case DONE -> ResponderState.DONE;
            };
        }
    }

    /**
     * Sends what is owed.
     *
     * @return packets sent.
     */
    public int poll(long now, PacketSink sink) {
        nowNs = now;
        if (hold.isDue(now) && context.state().canReceive()) {
            hold.onAsked(expectedSeq);
            replies.negative(Syndrome.PSN_SEQUENCE_ERROR, expectedSeq);
        }
        // An acknowledgement in front of a gap that may still close would say no more than the one that follows, and would look like
        // the answer of a responder that discards what came behind it.
        return replies.poll(sink, isAckDeferred(), now);
    }

    /** When {@link #poll} has to look again, or {@link Long#MAX_VALUE}. */
    public long deadlineNs() {
        long gapNs = context.state().canReceive() ? hold.dueNs() : Long.MAX_VALUE;
        return replies.isNegativeHeld(nowNs) ? Math.min(gapNs, replies.negativeDueNs()) : gapNs;
    }

    /** Whether something is owed that can leave as soon as the sink has room. */
    public boolean isOwing() {
        return replies.isOwing() && !replies.isNegativeHeld(nowNs) && !(isAckDeferred() && replies.isOwingAckOnly());
    }

    private boolean isAckDeferred() {
        return hold.isHolding() && !repeated;
    }

    /** The queue pair is reset: nothing is owed. */
    public void stop() {
        reorder.clear();
        replies.clear();
        message.reset();
    }

    /** The queue pair failed: the receive request in use is flushed, before those that are still queued. */
    public void flush() {
        message.fail(CompletionStatus.WR_FLUSH_ERR, "");
    }

    /** Rule R1. rxe: check_psn. */
    private ResponderState checkPsn() {
        int distance = Psn.subtract(packet.psn(), (int) expectedSeq & Psn.MASK);
        if (distance < 0) {
            return ResponderState.DUPLICATE;
        }
        if (distance > 0) {
            return ResponderState.GAP;
        }
        askedFor = hold.isAsked() && !replies.isNegativeOwed();
        if (hold.isAsked() || receiverNotReady) {
            replies.withdrawNegative();
        }
        receiverNotReady = false;
        return ResponderState.CHECK_OP_SEQUENCE;
    }

    /** Rule R9: first, middle and last in order. rxe: check_op_seq. */
    private ResponderState checkOpSequence() {
        return message.continues(opcode) ? ResponderState.CHECK_OP_VALID : refuse(Refusal.INVALID_REQUEST);
    }

    /** Rule R9: operation classes this queue pair was not opened for. rxe: check_op_valid. */
    private ResponderState checkOpValid() {
        int needed = opcode.isWrite() ? AccessFlags.REMOTE_WRITE
            : opcode.isReadRequest() ? AccessFlags.REMOTE_READ
            : opcode.isAtomic() ? AccessFlags.REMOTE_ATOMIC : 0;
        boolean granted = (context.attributes().accessFlags() & needed) == needed;
        return granted ? ResponderState.CHECK_RESOURCE : refuse(Refusal.INVALID_REQUEST);
    }

    /** Rules R7, R8. rxe: check_resource. */
    private ResponderState checkResource() {
        if (opcode.isReadRequest() || opcode.isAtomic()) {
            return replies.hasPlace() ? ResponderState.CHECK_LENGTH : refuse(Refusal.TOO_MANY_READS);
        }
        if (!message.hasReceive(opcode)) {
            receiverNotReady = true;
            replies.negative(Syndrome.rnr(context.attributes().minRnrTimer()), expectedSeq);
            return ResponderState.DONE;
        }
        return ResponderState.CHECK_LENGTH;
    }

    /** Rule R9: lengths. rxe: check_length. */
    private ResponderState checkLength() {
        if (opcode.isReadRequest() || opcode.isAtomic()) {
            boolean fits = packet.payloadLength() == 0
                && (opcode.isAtomic() || rethLength() <= ScatterGatherList.MAX_MESSAGE_BYTES);
            return fits ? ResponderState.CHECK_RKEY : refuse(Refusal.INVALID_REQUEST);
        }
        return orRefuse(message.checkLength(packet), ResponderState.CHECK_RKEY);
    }

    private long rethLength() {
        return Reth.dmaLength(packet.buffer(), packet.at(opcode.rethOffset()));
    }

    /** Rules R10, R14: the whole range of a READ, before its first response. rxe: check_rkey. */
    private ResponderState checkRkey() {
        if (opcode.isReadRequest()) {
            int at = packet.at(opcode.rethOffset());
            long length = rethLength();
            boolean granted = length == 0 || context.keys().find(Reth.rKey(packet.buffer(), at), context.domain(),
                AccessFlags.REMOTE_READ, Reth.virtualAddress(packet.buffer(), at), length) != null;
            return granted ? ResponderState.EXECUTE : refuse(Refusal.REMOTE_ACCESS);
        }
        return opcode.isAtomic() ? checkAtomicKey() : orRefuse(message.checkKey(packet), ResponderState.EXECUTE);
    }

    /** Alignment counts only when key, range and rights are right, as with rxe. */
    private ResponderState checkAtomicKey() {
        int at = packet.at(opcode.atomicEthOffset());
        long address = AtomicEth.virtualAddress(packet.buffer(), at);
        target = context.keys().find(AtomicEth.rKey(packet.buffer(), at), context.domain(), AccessFlags.REMOTE_ATOMIC, address,
            Long.BYTES);
        if (target == null) {
            return refuse(Refusal.REMOTE_ACCESS);
        }
        return (address & 7) == 0 ? ResponderState.EXECUTE : refuse(Refusal.INVALID_REQUEST);
    }

    /** rxe: execute. */
    private ResponderState execute() {
        if (opcode.isReadRequest()) {
            int at = packet.at(opcode.rethOffset());
            Reply reply = replies.add();
            reply.read(expectedSeq, Reth.virtualAddress(packet.buffer(), at), Reth.rKey(packet.buffer(), at), rethLength(),
                context.mtu(), replies.nextMessage());
            reply.served(expectedSeq, rethLength(), packet.isAckRequested(), nowNs);
            reply.expectRepetition(askedFor && packet.isAckRequested());
            expectedSeq += reply.packets();
            return ResponderState.DONE;
        }
        if (opcode.isAtomic()) {
            int at = packet.at(opcode.atomicEthOffset());
            long address = AtomicEth.virtualAddress(packet.buffer(), at);
            long operand = AtomicEth.swapOrAdd(packet.buffer(), at);
            long original = opcode == Opcode.RC_FETCH_ADD ? target.fetchAndAdd(address, operand)
                : target.compareAndSwap(address, AtomicEth.compare(packet.buffer(), at), operand);
            replies.add().atomic(expectedSeq, original, replies.nextMessage());
            expectedSeq++;
            return ResponderState.DONE;
        }
        return orRefuse(message.execute(packet), ResponderState.COMPLETE);
    }

    /**
     * A SEND or WRITE packet is executed; at the end of its message the receive request completes. A message whose completion was
     * lost is not acknowledged (rule R17). rxe: do_complete.
     */
    private ResponderState complete() {
        if (opcode.isEnd() && !message.end(packet)) {
            return ResponderState.DONE;
        }
        replies.executed(expectedSeq);
        expectedSeq++;
        if (opcode.isEnd()) {
            replies.nextMessage();
        }
        return ResponderState.ACKNOWLEDGE;
    }

    private ResponderState acknowledge() {
        if (packet.isAckRequested()) {
            replies.acknowledge();
        }
        return ResponderState.DONE;
    }

    /** Rules R3 to R6. rxe: duplicate_request. */
    private ResponderState duplicate() {
        long seq = expectedSeq + Psn.subtract(packet.psn(), (int) expectedSeq & Psn.MASK);
        hold.onCopy(seq);
        repeated = hold.isHolding();
        duplicates.onDuplicate(packet, seq, nowNs);
        return ResponderState.DONE;
    }

    /**
     * Rules R1, R8: what comes behind a gap is kept, and one NAK tells the peer what is missing, at once or after a short hold when
     * gaps have been closing by themselves. Behind an RNR NAK everything is dropped in silence.
     */
    private ResponderState gap() {
        context.counters().count(NicCounter.OUT_OF_SEQ_REQUEST);
        if (receiverNotReady) {
            context.counters().drop(DropReason.RNR_HOLD);
            return ResponderState.DONE;
        }
        long seq = expectedSeq + Psn.subtract(packet.psn(), (int) expectedSeq & Psn.MASK);
        if (seq - expectedSeq >= ReorderBuffer.WINDOW) {
            context.counters().drop(DropReason.PSN_GAP);
        } else if (reorder.has(seq)) {
            context.counters().count(NicCounter.DUPLICATE_REQUEST);
            context.counters().drop(DropReason.PSN_GAP);
        } else if (reorder.keep(seq, packet)) {
            context.counters().count(NicCounter.REORDER_BUFFERED);
            context.counters().mark(NicCounter.REORDER_HIGH_WATER, reorder.count());
        } else {
            context.counters().drop(DropReason.REORDER_BUFFER_FULL);
        }
        lastGapNs = nowNs;
        hold.onGap(nowNs);
        return ResponderState.DONE;
    }

    private ResponderState orRefuse(Refusal refusal, ResponderState next) {
        return refusal == null ? next : refuse(refusal);
    }

    /** Rules R2, R12, R13: the NAK is owed behind what came before; the receive request in use completes, else an event is raised. */
    private ResponderState refuse(Refusal refusal) {
        replies.negative(refusal.syndrome(), expectedSeq);
        String why = explain(refusal);
        context.fail();
        if (!message.fail(refusal.status(), why)) {
            context.raise(refusal.event(), why);
        }
        return ResponderState.DONE;
    }

    private String explain(Refusal refusal) {
        String what = opcode + " with PSN 0x" + Psn.toString(packet.psn()) + " and " + packet.payloadLength() + " bytes from "
            + context.peer();
        return switch (refusal) {
            case INVALID_REQUEST -> what + " is malformed, out of order or not allowed by this queue pair's access flags";
            case TOO_MANY_READS -> what + " is one READ or atomic more than max_dest_rd_atomic "
                + context.attributes().maxDestRdAtomic();
            case RECEIVE_TOO_SHORT -> what + " does not fit the receive request of " + message.receiveBytes()
                + " bytes: post longer ones";
            case REMOTE_ACCESS -> what + " uses a key, a range or a right that was not granted";
            case RECEIVE_UNUSABLE -> what + " met a receive request whose memory cannot be used: keep it registered with LOCAL_WRITE";
        };
    }
}
