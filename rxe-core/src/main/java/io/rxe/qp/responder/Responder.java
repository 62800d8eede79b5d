package io.rxe.qp.responder;

import io.rxe.counters.NicCounter;
import io.rxe.memory.Region;
import io.rxe.memory.ScatterGather;
import io.rxe.memory.ScatterGatherList;
import io.rxe.port.PacketSink;
import io.rxe.qp.FramePool;
import io.rxe.qp.InboundPacket;
import io.rxe.qp.QueuePairContext;
import io.rxe.qp.ReceiveWqe;
import io.rxe.qp.ReorderHold;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.WorkCompletion;
import io.rxe.wire.AtomicEth;
import io.rxe.wire.DropReason;
import io.rxe.wire.Ieth;
import io.rxe.wire.ImmDt;
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
    /** Within this time the same READ request once more is taken for a copy; shorter than any kernel's retransmission timer. */
    private static final long COPY_NS = 4_000_000;

    /** The message in progress. */
    private enum Message {
        NONE,
        SEND,
        WRITE
    }

    private final QueuePairContext context;
    private final Replies replies;
    private final ReorderBuffer reorder;
    private final ReorderHold hold = new ReorderHold();

    private long expectedSeq;
    private boolean receiverNotReady;
    private boolean repeatsLiterally;
    private boolean established;
    private Message message;
    private ReceiveWqe receive;
    private long messageBytes;
    private long writeAddress;
    private int writeKey;
    private long writeRemaining;

    // The request in hand.
    private InboundPacket packet;
    private Opcode opcode;
    private Region target;
    private Region invalidated;
    private long nowNs;
    private long lastGapNs;

    /** @param pool room for requests that arrive out of order, shared by the engine's queue pairs. */
    public Responder(QueuePairContext context, FramePool pool) {
        this.context = context;
        this.replies = new Replies(context);
        this.reorder = new ReorderBuffer(pool);
    }

    /** A new connection: the first request will carry this PSN. */
    public void start(int psn, int readAtomicPlaces) {
        expectedSeq = (1L << 24) + psn;
        receiverNotReady = false;
        repeatsLiterally = false;
        established = false;
        message = Message.NONE;
        receive = null;
        reorder.clear();
        hold.start();
        replies.start(readAtomicPlaces);
    }

    /** PSN of the next request. */
    public int expectedPsn() {
        return (int) expectedSeq & Psn.MASK;
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
            takeKept(request);
        }
        if (context.state() == QueuePairState.ERROR || receiverNotReady) {
            reorder.clear();
        }
    }

    /** The gap may have closed: what was kept behind it is executed now, in order, as if it had just come. */
    private void takeKept(InboundPacket request) {
        hold.onClosed(nowNs);
        while (reorder.has(expectedSeq) && context.state().canReceive() && !receiverNotReady) {
            long seq = expectedSeq;
            process(reorder.peek(seq, request));
            reorder.drop(seq);
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
        if (hold.isDue(now) && context.state().canReceive()) {
            hold.onAsked(expectedSeq);
            replies.negative(Syndrome.PSN_SEQUENCE_ERROR, expectedSeq);
        }
        return replies.poll(sink);
    }

    /** When {@link #poll} has to look again, or {@link Long#MAX_VALUE}. */
    public long deadlineNs() {
        return context.state().canReceive() ? hold.dueNs() : Long.MAX_VALUE;
    }

    public boolean isOwing() {
        return replies.isOwing();
    }

    /** The queue pair is reset: nothing is owed. */
    public void stop() {
        reorder.clear();
        replies.clear();
        receive = null;
        message = Message.NONE;
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
        if (hold.isAsked()) {
            replies.withdrawNegative();
        }
        receiverNotReady = false;
        return ResponderState.CHECK_OP_SEQUENCE;
    }

    /** Rule R9: first, middle and last in order. rxe: check_op_seq. */
    private ResponderState checkOpSequence() {
        boolean fits = switch (message) {
            case NONE -> opcode.isStart();
            case SEND -> opcode.isSend() && !opcode.isStart();
            case WRITE -> opcode.isWrite() && !opcode.isStart();
        };
        return fits ? ResponderState.CHECK_OP_VALID : invalidRequest();
    }

    /** Rule R9: operation classes this queue pair was not opened for. rxe: check_op_valid. */
    private ResponderState checkOpValid() {
        int needed = opcode.isWrite() ? AccessFlags.REMOTE_WRITE
            : opcode.isReadRequest() ? AccessFlags.REMOTE_READ
            : opcode.isAtomic() ? AccessFlags.REMOTE_ATOMIC : 0;
        return (context.attributes().accessFlags() & needed) == needed ? ResponderState.CHECK_RESOURCE : invalidRequest();
    }

    /** Rules R7, R8. rxe: check_resource. */
    private ResponderState checkResource() {
        if (opcode.isReadRequest() || opcode.isAtomic()) {
            if (!replies.hasPlace()) {
                return refuse(Syndrome.INVALID_REQUEST, CompletionStatus.REM_INV_REQ_ERR, AsyncEvent.Type.QP_ACCESS_ERR,
                    "more READs and atomics at once than max_dest_rd_atomic " + context.attributes().maxDestRdAtomic());
            }
            return ResponderState.CHECK_LENGTH;
        }
        boolean needsReceive = opcode.isSend() && opcode.isStart() || opcode.isWrite() && opcode.hasImmDt();
        if (needsReceive && !takeReceive()) {
            receiverNotReady = true;
            replies.negative(Syndrome.rnr(context.attributes().minRnrTimer()), expectedSeq);
            return ResponderState.DONE;
        }
        return ResponderState.CHECK_LENGTH;
    }

    private boolean takeReceive() {
        long index = context.receiveQueue().consumerIndex();
        if (index == context.receiveQueue().producerIndex()) {
            return false;
        }
        receive = context.receiveQueue().get(index);
        return true;
    }

    /** Rule R9: lengths. rxe: check_length. */
    private ResponderState checkLength() {
        int payload = packet.payloadLength();
        int mtu = context.mtu();
        if (opcode.isReadRequest()) {
            return payload == 0 && rethLength() <= ScatterGatherList.MAX_MESSAGE_BYTES ? ResponderState.CHECK_RKEY : invalidRequest();
        }
        if (opcode.isAtomic()) {
            return payload == 0 ? ResponderState.CHECK_RKEY : invalidRequest();
        }
        boolean fits = opcode.isFirst() || opcode.isMiddle() ? payload == mtu : opcode.isLast() ? payload >= 1 && payload <= mtu
            : payload <= mtu;
        if (!fits) {
            return invalidRequest();
        }
        return opcode.isSend() ? checkSendLength(payload) : checkWriteLength(payload);
    }

    private ResponderState checkSendLength(int payload) {
        long before = opcode.isStart() ? 0 : messageBytes;
        if (before + payload > receive.scatterGather().totalBytes() || before + payload > ScatterGatherList.MAX_MESSAGE_BYTES) {
            return refuse(Syndrome.INVALID_REQUEST, CompletionStatus.LOC_LEN_ERR, AsyncEvent.Type.QP_REQ_ERR,
                "a SEND of at least " + (before + payload) + " bytes came for a receive request of "
                    + receive.scatterGather().totalBytes());
        }
        return ResponderState.CHECK_RKEY;
    }

    private ResponderState checkWriteLength(int payload) {
        long remaining = opcode.isStart() ? rethLength() : writeRemaining;
        boolean fits = remaining <= ScatterGatherList.MAX_MESSAGE_BYTES && (opcode.isEnd() ? remaining == payload : remaining > payload);
        return fits ? ResponderState.CHECK_RKEY : invalidRequest();
    }

    private long rethLength() {
        return Reth.dmaLength(packet.buffer(), packet.at(opcode.rethOffset()));
    }

    /** Rule R10. rxe: check_rkey. */
    private ResponderState checkRkey() {
        target = null;
        invalidated = null;
        if (opcode.isWrite()) {
            return checkWriteKey();
        }
        if (opcode.isReadRequest()) {
            int at = packet.at(opcode.rethOffset());
            long length = rethLength();
            return length == 0 || context.keys().find(Reth.rKey(packet.buffer(), at), context.domain(), AccessFlags.REMOTE_READ,
                Reth.virtualAddress(packet.buffer(), at), length) != null ? ResponderState.EXECUTE : remoteAccess();
        }
        if (opcode.isAtomic()) {
            return checkAtomicKey();
        }
        if (opcode.hasIeth()) {
            Region region = context.keys().find(Ieth.rKey(packet.buffer(), packet.at(opcode.iethOffset())));
            if (region == null || region.domain() != context.domain() || !region.grants(AccessFlags.REMOTE_INVALIDATE)) {
                return remoteAccess();
            }
            invalidated = region;
        }
        return ResponderState.EXECUTE;
    }

    private ResponderState checkWriteKey() {
        if (opcode.isStart()) {
            int at = packet.at(opcode.rethOffset());
            writeAddress = Reth.virtualAddress(packet.buffer(), at);
            writeKey = Reth.rKey(packet.buffer(), at);
            writeRemaining = rethLength();
        }
        if (writeRemaining == 0) {
            return ResponderState.EXECUTE;
        }
        target = context.keys().find(writeKey, context.domain(), AccessFlags.REMOTE_WRITE, writeAddress, writeRemaining);
        return target == null ? remoteAccess() : ResponderState.EXECUTE;
    }

    /** Alignment counts only when key, range and rights are right, as with rxe. */
    private ResponderState checkAtomicKey() {
        int at = packet.at(opcode.atomicEthOffset());
        long address = AtomicEth.virtualAddress(packet.buffer(), at);
        target = context.keys().find(AtomicEth.rKey(packet.buffer(), at), context.domain(), AccessFlags.REMOTE_ATOMIC, address,
            Long.BYTES);
        if (target == null) {
            return remoteAccess();
        }
        return (address & 7) == 0 ? ResponderState.EXECUTE : invalidRequest();
    }

    /** rxe: execute. */
    private ResponderState execute() {
        if (opcode.isSend()) {
            return executeSend();
        }
        if (opcode.isWrite()) {
            executeWrite();
            return ResponderState.COMPLETE;
        }
        if (opcode.isReadRequest()) {
            int at = packet.at(opcode.rethOffset());
            Reply reply = replies.add();
            reply.read(expectedSeq, Reth.virtualAddress(packet.buffer(), at), Reth.rKey(packet.buffer(), at), rethLength(),
                context.mtu(), replies.nextMessage());
            reply.served(expectedSeq, rethLength(), packet.isAckRequested(), nowNs);
            expectedSeq += reply.packets();
            return ResponderState.DONE;
        }
        int at = packet.at(opcode.atomicEthOffset());
        long address = AtomicEth.virtualAddress(packet.buffer(), at);
        long operand = AtomicEth.swapOrAdd(packet.buffer(), at);
        long original = opcode == Opcode.RC_FETCH_ADD ? target.fetchAndAdd(address, operand)
            : target.compareAndSwap(address, AtomicEth.compare(packet.buffer(), at), operand);
        replies.add().atomic(expectedSeq, original, replies.nextMessage());
        expectedSeq++;
        return ResponderState.DONE;
    }

    private ResponderState executeSend() {
        if (opcode.isStart()) {
            messageBytes = 0;
            message = Message.SEND;
        }
        int payload = packet.payloadLength();
        if (payload > 0 && !ScatterGather.scatter(receive.scatterGather(), context.keys(), context.domain(), AccessFlags.LOCAL_WRITE,
            messageBytes, packet.buffer(), packet.payloadOffset(), payload)) {
            return refuse(Syndrome.REMOTE_OPERATIONAL_ERROR, CompletionStatus.LOC_PROT_ERR, AsyncEvent.Type.QP_FATAL,
                "a receive request names memory that cannot be used");
        }
        messageBytes += payload;
        return ResponderState.COMPLETE;
    }

    private void executeWrite() {
        if (opcode.isStart()) {
            messageBytes = 0;
            message = Message.WRITE;
        }
        int payload = packet.payloadLength();
        if (payload > 0) {
            target.write(writeAddress, packet.buffer(), packet.payloadOffset(), payload);
        }
        writeAddress += payload;
        writeRemaining -= payload;
        messageBytes += payload;
    }

    /** A SEND or WRITE packet is executed; at the end of its message the receive request completes. rxe: do_complete. */
    private ResponderState complete() {
        replies.executed(expectedSeq);
        expectedSeq++;
        if (!opcode.isEnd()) {
            return ResponderState.ACKNOWLEDGE;
        }
        message = Message.NONE;
        replies.nextMessage();
        if (invalidated != null) {
            context.keys().remove(invalidated);
        }
        if (receive != null && !completeReceive()) {
            return ResponderState.DONE;
        }
        return ResponderState.ACKNOWLEDGE;
    }

    private boolean completeReceive() {
        Operation operation = opcode.isSend() ? Operation.RECEIVE : Operation.RECEIVE_RDMA_WITH_IMMEDIATE;
        WorkCompletion completion = context.claimReceive(receive.id(), CompletionStatus.SUCCESS, operation);
        releaseReceive();
        if (completion == null) {
            return false;
        }
        completion.byteLength(messageBytes).solicited(packet.isSolicited());
        if (opcode.hasImmDt()) {
            completion.immediate(ImmDt.immediateData(packet.buffer(), packet.at(opcode.immDtOffset())));
        }
        if (opcode.hasIeth()) {
            completion.invalidatedKey(Ieth.rKey(packet.buffer(), packet.at(opcode.iethOffset())));
        }
        context.publishReceive(packet.isSolicited());
        context.counters().count(NicCounter.RDMA_RECVS);
        return true;
    }

    private void releaseReceive() {
        receive = null;
        context.receiveQueue().release(context.receiveQueue().consumerIndex() + 1);
    }

    private ResponderState acknowledge() {
        if (packet.isAckRequested()) {
            replies.acknowledge();
        }
        return ResponderState.DONE;
    }

    /** Rules R3 to R6. rxe: duplicate_request. */
    private ResponderState duplicate() {
        context.counters().count(NicCounter.DUPLICATE_REQUEST);
        long seq = expectedSeq + Psn.subtract(packet.psn(), (int) expectedSeq & Psn.MASK);
        hold.onCopy(seq);
        if (opcode.isReadRequest()) {
            duplicateRead(seq);
        } else if (opcode.isAtomic()) {
            duplicateAtomic(seq);
        } else if (!replies.acknowledge()) {
            context.counters().drop(DropReason.PSN_OUT_OF_WINDOW);
        }
        return ResponderState.DONE;
    }

    private void duplicateRead(long seq) {
        int at = packet.at(opcode.rethOffset());
        long address = Reth.virtualAddress(packet.buffer(), at);
        int key = Reth.rKey(packet.buffer(), at);
        long length = rethLength();
        Reply original = replies.find(seq);
        if (original == null || !original.covers(seq, address, key, length, context.mtu())) {
            context.counters().drop(DropReason.DUPLICATE_READ_MISMATCH);
            return;
        }
        if (isNetworkCopy(original, seq, length)) {
            context.counters().drop(DropReason.NETWORK_COPY);
            return;
        }
        Reply replay = replies.addReplay();
        if (replay == null) {
            context.counters().drop(DropReason.REPLAY_QUEUE_FULL);
            return;
        }
        original.served(seq, length, packet.isAckRequested(), nowNs);
        replay.read(seq, address, key, length, context.mtu(), original.messageSequenceNumber());
    }

    /**
     * A repeated READ costs the whole answer again, so a copy that only the network made is not answered: one whose answer is still on
     * its way out, or the same request bit for bit within a few milliseconds. A requester of ours turns AckReq over each time it
     * repeats a READ; once a peer has been seen to repeat without that, its repetitions are always answered.
     */
    private boolean isNetworkCopy(Reply original, long seq, long length) {
        if (replies.isSending(original) && original.firstSeq() + original.sent() <= seq) {
            return true;
        }
        if (!original.isSameAsServed(seq, length, packet.isAckRequested())) {
            return false;
        }
        if (nowNs - original.servedNs() >= COPY_NS) {
            repeatsLiterally = true;
        }
        return !repeatsLiterally;
    }

    private void duplicateAtomic(long seq) {
        Reply original = replies.find(seq);
        if (original == null || !original.isAtomic()) {
            context.counters().drop(DropReason.DUPLICATE_ATOMIC_UNKNOWN);
            return;
        }
        if (replies.isSending(original)) {
            return;
        }
        Reply replay = replies.addReplay();
        if (replay == null) {
            context.counters().drop(DropReason.REPLAY_QUEUE_FULL);
            return;
        }
        replay.replayAtomic(original);
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

    private ResponderState invalidRequest() {
        return refuse(Syndrome.INVALID_REQUEST, CompletionStatus.REM_INV_REQ_ERR, AsyncEvent.Type.QP_REQ_ERR,
            "peer " + context.peer() + " sent an invalid request: " + opcode + " with PSN 0x" + Psn.toString(packet.psn()) + " and "
                + packet.payloadLength() + " bytes");
    }

    private ResponderState remoteAccess() {
        return refuse(Syndrome.REMOTE_ACCESS_ERROR, CompletionStatus.REM_ACCESS_ERR, AsyncEvent.Type.QP_ACCESS_ERR,
            "peer " + context.peer() + " used a key, a range or a right it does not have: " + opcode + " with PSN 0x"
                + Psn.toString(packet.psn()));
    }

    /** Rules R2, R12, R13: the NAK is owed behind what came before; the receive request in use completes, else an event is raised. */
    private ResponderState refuse(int syndrome, CompletionStatus status, AsyncEvent.Type event, String explanation) {
        replies.negative(syndrome, expectedSeq);
        ReceiveWqe inUse = receive;
        context.fail();
        if (inUse != null) {
            WorkCompletion completion = context.claimReceive(inUse.id(), status, Operation.RECEIVE);
            releaseReceive();
            if (completion != null) {
                completion.explanation(explanation);
                context.publishReceive(true);
            }
        } else {
            context.raise(event, explanation);
        }
        message = Message.NONE;
        return ResponderState.DONE;
    }
}
