package io.rxe.qp.responder;

import io.rxe.counters.NicCounter;
import io.rxe.memory.ScatterGatherList;
import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.qp.context.FileFlush;
import io.rxe.qp.context.FramePool;
import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.time.HostDelay;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.DropReason;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Syndrome;
import java.util.function.Consumer;

/**
 * The responder of an RC or XRC_RECV queue pair: checks the peer's requests, executes them in PSN order, and queues the responses.
 *
 * <p>Owned by the engine thread. Source: rules R1 to R18; rxe: rxe_responder.
 */
public final class Responder {
    private final QueuePairContext context;
    private final Consumer<Runnable> offload;
    private final ResponseQueue responses;
    private final DuplicateRequests duplicates;
    private final InboundMessage message;
    private final CreditGrants credits;
    private final ReadRequests reads;
    private final AtomicRequests atomics;
    private final PlacementRequests placement;
    private final KeptRequests kept;
    private final ReorderBuffer reorder;
    private final RequestDigests executed = new RequestDigests();
    private final Gaps gaps;

    private long expectedSeq;
    private boolean receiverNotReady;
    /** The FLUSH with the expected PSN, while the file system carries it out; null for none. */
    private FileFlush fileFlush;

    // The request being processed.
    private InboundPacket packet;
    private Opcode opcode;
    private long nowNs;
    /** The request being processed was kept behind a gap. */
    private boolean isKept;
    /** A NAK requested the request being processed. */
    private boolean requestedByNak;

    /**
     * @param pool      frames for requests that arrive behind a gap, shared by the engine's queue pairs.
     * @param hostDelay of this host, which responses tell (rule G8).
     * @param offload   runs what waits for the file system on another thread, see {@code QueuePairHost}.
     */
    public Responder(QueuePairContext context, FramePool pool, HostDelay hostDelay, Consumer<Runnable> offload) {
        this.context = context;
        this.offload = offload;
        this.message = context.xrcReceiveQueues() == null ? new InboundMessage(context) : new XrcMessage(context);
        this.credits = new CreditGrants(context, message);
        this.kept = new KeptRequests(context, pool);
        this.reads = new ReadRequests(context, kept.reports());
        this.atomics = new AtomicRequests(context);
        this.placement = new PlacementRequests(context);
        this.reorder = kept.buffer();
        this.responses = new ResponseQueue(context, credits, kept.reports(), hostDelay);
        this.duplicates = new DuplicateRequests(context, responses, kept.reports(), reads);
        this.gaps = new Gaps(kept, kept.reports(), responses);
    }

    /** A new connection, whose first request has this PSN. */
    public void start(int psn, int readAtomicPlaces) {
        expectedSeq = (1L << 24) + psn;
        receiverNotReady = false;
        isKept = false;
        fileFlush = null;
        message.reset();
        duplicates.start();
        reads.start();
        gaps.start(context.flow().destination());
        executed.start();
        responses.start(readAtomicPlaces, expectedSeq);
        credits.start();
    }

    /** The queue pair has another path from now on. */
    public void onNewPath() {
        reorder.move(context.flow().destination());
    }

    /** PSN of the next request. */
    public int expectedPsn() {
        return (int) expectedSeq & Psn.MASK;
    }

    /** Requests kept behind a gap now. */
    public int bufferedRequests() {
        return reorder.count();
    }

    /** Whether the peer is known as an rxe, which takes reports of gaps (rule G1). */
    public boolean knowsReports() {
        return kept.reports().isKnown();
    }

    /** The READ request that comes next has waited so long on its way. */
    public void readWaitedNs(long ns) {
        reads.waitedNs(ns);
    }

    /** Processes a request, and then those that waited for it. Its headers, addressing and ICRC are checked already. */
    public void onRequest(InboundPacket request, long nowNs) {
        this.nowNs = nowNs;
        context.reportRequest();
        long before = expectedSeq;
        process(request);
        afterProgress(request.flow(), before);
    }

    private void afterProgress(Flow flow, long before) {
        if (expectedSeq != before) {
            executeBuffered(flow, before);
        }
        if (context.state() == QueuePairState.ERROR || receiverNotReady) {
            // The peer retransmits all of it, so there is no gap to report.
            reorder.clear();
            gaps.close(nowNs);
        }
    }

    /** The gap may have closed: executes the requests kept behind it, in order. */
    private void executeBuffered(Flow flow, long before) {
        gaps.onProgress(nowNs);
        reorder.forget(before + 1, expectedSeq);
        boolean isGap = false;
        while (reorder.has(expectedSeq) && context.state().canReceive() && !receiverNotReady) {
            long seq = expectedSeq;
            processKept(reorder.peek(seq, flow), seq);
            isGap = expectedSeq == seq;
            reorder.drop(seq);
            reorder.forget(seq + 1, expectedSeq);
        }
        if (fileFlush == null && (isGap || !reorder.isEmpty())) {
            if (isGap) {
                kept.reports().onDiscarded();
            }
            gaps.onMoved(expectedSeq, nowNs);
        }
    }

    private void processKept(InboundPacket request, long seq) {
        isKept = true;
        process(request);
        isKept = false;
        if (expectedSeq != seq) {
            executed.add(seq, request);
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

    /** Sends the responses that are due; returns the packets sent. */
    public int poll(long nowNs, PacketSink sink) {
        this.nowNs = nowNs;
        if (fileFlush != null && fileFlush.isDone() && context.state().canReceive()) {
            Flow flow = fileFlush.flow();
            long before = expectedSeq;
            endFileFlush();
            afterProgress(flow, before);
        }
        if (context.state().canReceive()) {
            gaps.poll(expectedSeq, fileFlush != null, nowNs);
        }
        if (responses.isGrantDue(expectedSeq) && !responses.hasPending()) {
            responses.grant();
        }
        responses.dropOldAck(expectedSeq);
        return responses.poll(sink, gaps.isAckDeferred(), nowNs);
    }

    /** When a gap is reported with a NAK unless it closes before, or {@link Long#MAX_VALUE}. */
    public long nakDelayDeadlineNs() {
        return gaps.nakDelayDeadlineNs();
    }

    /** When the requests kept behind a gap are dropped unless it moves before, or {@link Long#MAX_VALUE}. */
    public long keptDeadlineNs() {
        return fileFlush != null ? Long.MAX_VALUE : kept.deadlineNs();
    }

    /** When a NAK that exceeds the rate may leave, or {@link Long#MAX_VALUE} when none waits. */
    public long nakRateDeadlineNs() {
        return responses.isNakRateLimited(nowNs) ? responses.nakDueNs() : Long.MAX_VALUE;
    }

    /** When READ responses that wait for their time may leave, or {@link Long#MAX_VALUE} when none wait. */
    public long responsePaceDeadlineNs() {
        return responses.isPaced() ? responses.pacedUntilNs() : Long.MAX_VALUE;
    }

    /** Whether a response is due that can leave as soon as the sink has room. */
    public boolean hasPending() {
        if (!responses.hasPending()) {
            return responses.isGrantDue(expectedSeq) && !gaps.isAckDeferred();
        }
        return !responses.isPaced() && !responses.isNakRateLimited(nowNs) && !(gaps.isAckDeferred() && responses.isOnlyAckPending());
    }

    /** The queue pair is reset: forgets every response. */
    public void stop() {
        fileFlush = null;
        reorder.stop();
        responses.clear();
        message.reset();
        credits.stop();
    }

    /** The application ends the connection, see {@link ResponseQueue#abandonReads}. */
    public void abandonReads() {
        responses.abandonReads();
    }

    /** The queue pair failed: flushes the receive request in use, before those that are still queued. */
    public void flush() {
        fileFlush = null;
        reorder.clear();
        gaps.close(nowNs);
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
        if (fileFlush != null) {
            if (executed.contradict(expectedSeq, packet)) {
                return distrust();
            }
            context.counters().count(NicCounter.DUPLICATE_REQUEST);
            context.counters().drop(DropReason.NETWORK_COPY);
            return ResponderState.DONE;
        }
        requestedByNak = gaps.onInOrder(packet, isKept);
        if (receiverNotReady) {
            responses.withdrawNak();
        }
        receiverNotReady = false;
        return ResponderState.CHECK_OP_SEQUENCE;
    }

    /** Rules R9, X2: first, middle and last in order. rxe: check_op_seq. */
    private ResponderState checkOpSequence() {
        return orRefuse(message.checkSequence(packet), ResponderState.CHECK_OP_VALID);
    }

    /** Rule R9: the access flags of this queue pair. rxe: check_op_valid. */
    private ResponderState checkOpValid() {
        int needed = opcode.isWrite() ? AccessFlags.REMOTE_WRITE
            : opcode.isAtomicWrite() || opcode.isFlush() ? placement.neededAccess(packet)
            : opcode.isReadRequest() ? AccessFlags.REMOTE_READ
            : opcode.isAtomic() ? AccessFlags.REMOTE_ATOMIC : 0;
        boolean granted = (context.attributes().accessFlags() & needed) == needed;
        return granted ? ResponderState.CHECK_RESOURCE : refuse(NakReason.INVALID_REQUEST);
    }

    /** Rules R7, R8. rxe: check_resource. */
    private ResponderState checkResource() {
        if (opcode.isReadOrAtomic()) {
            return responses.hasPlace(opcode.isFlush()) ? ResponderState.CHECK_LENGTH : refuse(NakReason.TOO_MANY_READS);
        }
        if (!message.hasReceive(opcode)) {
            receiverNotReady = true;
            responses.nak(Syndrome.rnr(context.attributes().minRnrTimer()), expectedSeq);
            return ResponderState.DONE;
        }
        CompletionStatus made = message.failOnPurpose();
        if (made != null && made != CompletionStatus.WR_FLUSH_ERR) {
            responses.nak(NakReason.syndromeOf(made), expectedSeq);
        }
        return made == null ? ResponderState.CHECK_LENGTH : ResponderState.DONE;
    }

    /** Rule R9: lengths. rxe: check_length. */
    private ResponderState checkLength() {
        if (opcode.isAtomicWrite() || opcode.isFlush()) {
            return orRefuse(placement.check(packet), ResponderState.CHECK_RKEY);
        }
        if (opcode.isReadOrAtomic()) {
            boolean fits = packet.payloadLength() == 0
                && (opcode.isAtomic() || ReadRequests.bytes(packet) <= ScatterGatherList.MAX_MESSAGE_BYTES);
            return fits ? ResponderState.CHECK_RKEY : refuse(NakReason.INVALID_REQUEST);
        }
        return orRefuse(message.checkLength(packet), ResponderState.CHECK_RKEY);
    }

    /** Rules R10, R14. rxe: check_rkey. */
    private ResponderState checkRkey() {
        if (opcode.isReadRequest()) {
            return orRefuse(reads.checkKey(packet), ResponderState.EXECUTE);
        }
        if (opcode.isAtomicWrite() || opcode.isFlush()) {
            return orRefuse(placement.checkKey(packet), ResponderState.EXECUTE);
        }
        return orRefuse(opcode.isAtomic() ? atomics.checkKey(packet) : message.checkKey(packet), ResponderState.EXECUTE);
    }

    /** rxe: execute. */
    private ResponderState execute() {
        if (opcode.isReadRequest()) {
            ResponderResource resource = responses.add(nowNs);
            reads.execute(packet, context.domain(), expectedSeq, responses.nextMessage(), resource);
            resource.served(expectedSeq, ReadRequests.bytes(packet), packet.isAckRequested(), nowNs);
            resource.expectRetransmission(requestedByNak && packet.isAckRequested());
            expectedSeq += resource.packets();
            return ResponderState.DONE;
        }
        if (opcode.isAtomic()) {
            return executeAtomic();
        }
        if (opcode.isAtomicWrite() || opcode.isFlush()) {
            return executePlacement();
        }
        NakReason refusal = message.execute(packet);
        // A kept request too: it was executed in part, so it cannot be executed again.
        return refusal == null ? ResponderState.COMPLETE : refuse(refusal, NakReason.describe(packet, context));
    }

    private ResponderState executeAtomic() {
        NakReason refusal = atomics.execute(packet);
        if (refusal != null) {
            return refuse(refusal);
        }
        responses.add(nowNs).atomic(expectedSeq, atomics.original(), responses.nextMessage());
        expectedSeq++;
        return ResponderState.DONE;
    }

    /** Rules R20, R21: an empty READ response follows, which is remembered for duplicates. rxe: atomic_write_reply, process_flush. */
    private ResponderState executePlacement() {
        if (PlacementRequests.isToFile(packet)) {
            return executeFileFlush();
        }
        NakReason refusal = placement.execute(packet);
        if (refusal != null) {
            return refuse(refusal);
        }
        responses.add(nowNs).confirm(opcode.isFlush(), expectedSeq, responses.nextMessage());
        expectedSeq++;
        return ResponderState.DONE;
    }

    /**
     * Rule R21: another thread waits for the file system. What arrives meanwhile is kept as behind a gap, but nothing is missing. So
     * nothing behind the FLUSH is executed or answered before it is.
     */
    private ResponderState executeFileFlush() {
        gaps.onProgress(nowNs);
        if (isKept) {
            executed.add(expectedSeq, packet);
        }
        fileFlush = placement.toFile(packet, NakReason.describe(packet, context));
        offload.accept(fileFlush);
        if (fileFlush.isDone()) {
            endFileFlush();
        }
        return ResponderState.DONE;
    }

    private void endFileFlush() {
        FileFlush ended = fileFlush;
        fileFlush = null;
        if (ended.isForced()) {
            responses.add(nowNs).confirm(true, expectedSeq, responses.nextMessage());
            expectedSeq++;
        } else {
            refuse(NakReason.MEMORY_FAULT, ended.request());
        }
    }

    /**
     * A SEND or WRITE packet was executed. At the end of its message, completes the receive request. A message whose completion was lost
     * is not acknowledged (rule R17). rxe: do_complete.
     */
    private ResponderState complete() {
        if (opcode.isEnd() && !message.end(packet)) {
            return ResponderState.DONE;
        }
        responses.executed(expectedSeq);
        expectedSeq++;
        if (opcode.isEnd()) {
            responses.nextMessage();
        }
        return ResponderState.ACKNOWLEDGE;
    }

    private ResponderState acknowledge() {
        if (packet.isAckRequested()) {
            responses.acknowledge();
        }
        return ResponderState.DONE;
    }

    /** Rules R3 to R6. rxe: duplicate_request. */
    private ResponderState duplicate() {
        long seq = expectedSeq + Psn.subtract(packet.psn(), (int) expectedSeq & Psn.MASK);
        if (executed.contradict(seq, packet)) {
            return distrust();
        }
        gaps.onDuplicate(seq);
        duplicates.onDuplicate(packet, seq, expectedSeq, nowNs);
        return ResponderState.DONE;
    }

    /**
     * Rules R1, R8: keeps a request that arrived behind a gap, and lets the peer know. Behind an RNR NAK, drops every request without a
     * response. Behind a FLUSH that the file system carries out, nothing is missing.
     */
    private ResponderState gap() {
        if (fileFlush == null) {
            context.counters().count(NicCounter.OUT_OF_SEQ_REQUEST);
        }
        if (receiverNotReady) {
            context.counters().drop(DropReason.RNR_HOLD);
            return ResponderState.DONE;
        }
        gaps.onBehindGap(packet, expectedSeq + Psn.subtract(packet.psn(), (int) expectedSeq & Psn.MASK), expectedSeq, nowNs);
        if (fileFlush == null) {
            gaps.open(expectedSeq, nowNs);
        }
        return ResponderState.DONE;
    }

    private ResponderState orRefuse(NakReason refusal, ResponderState next) {
        return refusal == null ? next : refuse(refusal);
    }

    /** Another request with this PSN was executed, and one of the two is forged: nothing that arrives can be believed any more. */
    private ResponderState distrust() {
        context.counters().drop(DropReason.CONFLICTING_DUPLICATE);
        String why = packet.opcode() + " with PSN 0x" + Psn.toString(packet.psn()) + " and " + packet.payloadLength() + " bytes from "
            + context.peer() + " arrived after another request with that PSN was executed: one of the two is forged, connect again";
        context.fail();
        context.raise(AsyncEvent.Type.QP_REQ_ERR, why);
        return ResponderState.DONE;
    }

    /**
     * Rules R2, R12, R13: queues the NAK behind earlier responses; fails the receive request in use, or else raises an event. A request
     * that was kept behind a gap may be forged: it is refused only when the peer sends it again in order (rule R3).
     */
    private ResponderState refuse(NakReason refusal) {
        if (isKept && refusal.isOfRequest()) {
            context.counters().drop(DropReason.KEPT_REQUEST_DOUBTED);
            return ResponderState.DONE;
        }
        return refuse(refusal, NakReason.describe(packet, context));
    }

    private ResponderState refuse(NakReason refusal, String what) {
        responses.nak(refusal.syndrome(), expectedSeq);
        String why = refusal.explain(what, context.attributes().maxDestRdAtomic(), message.receiveBytes());
        context.fail();
        if (!message.fail(refusal.status(), why)) {
            context.raise(refusal.event(), why);
        }
        return ResponderState.DONE;
    }
}
