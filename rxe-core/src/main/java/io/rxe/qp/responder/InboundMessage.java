package io.rxe.qp.responder;

import io.rxe.counters.NicCounter;
import io.rxe.fault.RequestFault;
import io.rxe.memory.Region;
import io.rxe.memory.ScatterGather;
import io.rxe.memory.ScatterGatherList;
import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.Invalidation;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.wire.Ieth;
import io.rxe.wire.ImmDt;
import io.rxe.wire.Opcode;
import io.rxe.wire.Reth;

/**
 * The SEND or WRITE in progress: what was checked, where the next payload goes, which receive request it uses. Reliable and unreliable
 * responders share it; they differ in the consequence of a failed check.
 *
 * <p>A check returns null when it passes. {@link #execute} follows after all of them. Owned by the engine thread.
 */
sealed class InboundMessage permits XrcMessage {
    private enum Kind {
        NONE,
        SEND,
        WRITE
    }

    private final QueuePairContext context;
    private final ReceiveRequest receive = new ReceiveRequest();
    private Kind kind = Kind.NONE;
    private boolean usesReceive;
    private RequestFault madeFault;
    private long bytes;
    private long writeAddress;
    private int writeKey;
    private long writeRemaining;
    private Region target;
    private int invalidatedKey;

    InboundMessage(QueuePairContext context) {
        this.context = context;
    }

    /** Forgets the message and the receive request in use, without a completion. */
    void reset() {
        kind = Kind.NONE;
        usesReceive = false;
    }

    /** Forgets the message but keeps its receive request for the next one (UC: a lost packet loses the message, not the request). */
    void abandon() {
        kind = Kind.NONE;
    }

    /** Rule R9: first, middle and last in order. rxe: check_op_seq. */
    boolean continues(Opcode opcode) {
        return switch (kind) {
            case NONE -> opcode.isStart();
            case SEND -> opcode.isSend() && !opcode.isStart();
            case WRITE -> opcode.isWrite() && !opcode.isStart();
        };
    }

    /** Rule R9: first, middle and last in order; what else a packet needs to belong to a message. */
    NakReason checkSequence(InboundPacket packet) {
        return continues(packet.opcode()) ? null : NakReason.INVALID_REQUEST;
    }

    /** Whether packets of a message were executed, and its last was not. */
    final boolean isInProgress() {
        return kind != Kind.NONE;
    }

    /** Rule R8: takes a receive request if this packet needs one; false when there is none. rxe: check_resource. */
    boolean hasReceive(Opcode opcode) {
        boolean needed = opcode.isSend() && opcode.isStart() || opcode.isWrite() && opcode.hasImmDt();
        if (needed && !usesReceive) {
            usesReceive = context.queues().receives().take(receive);
            madeFault = usesReceive ? context.receiveFault(receiveBytes()) : null;
        }
        return !needed || usesReceive;
    }

    /** Fails the queue pair and the receive request that was taken last if that is to fail on purpose: returns its status, or null. */
    CompletionStatus failOnPurpose() {
        RequestFault made = usesReceive ? madeFault : null;
        if (made == null) {
            return null;
        }
        context.fail();
        fail(made.status(), made.why());
        return made.status();
    }

    /** Rule R9: lengths. rxe: check_length. */
    NakReason checkLength(InboundPacket packet) {
        Opcode opcode = packet.opcode();
        int payload = packet.payloadLength();
        int mtu = context.mtu();
        boolean fits = opcode.isFirst() || opcode.isMiddle() ? payload == mtu
            : payload <= mtu && (opcode.isOnly() || payload >= 1);
        if (!fits) {
            return NakReason.INVALID_REQUEST;
        }
        return opcode.isSend() ? checkSendLength(opcode, payload) : checkWriteLength(packet, payload);
    }

    private NakReason checkSendLength(Opcode opcode, int payload) {
        long total = (opcode.isStart() ? 0 : bytes) + payload;
        return total > receive.scatterGather().totalBytes() || total > ScatterGatherList.MAX_MESSAGE_BYTES
            ? NakReason.RECEIVE_TOO_SHORT : null;
    }

    private NakReason checkWriteLength(InboundPacket packet, int payload) {
        Opcode opcode = packet.opcode();
        long remaining = opcode.isStart() ? Reth.dmaLength(packet.buffer(), packet.at(opcode.rethOffset())) : writeRemaining;
        boolean fits = remaining <= ScatterGatherList.MAX_MESSAGE_BYTES
            && (opcode.isEnd() ? remaining == payload : remaining > payload);
        return fits ? null : NakReason.INVALID_REQUEST;
    }

    /** Rules R10, W5. rxe: check_rkey. */
    NakReason checkKey(InboundPacket packet) {
        Opcode opcode = packet.opcode();
        if (opcode.isWrite()) {
            return checkWriteKey(packet);
        }
        if (opcode.hasIeth()) {
            invalidatedKey = Ieth.rKey(packet.buffer(), packet.at(opcode.iethOffset()));
            return Invalidation.isAllowedToPeer(context, invalidatedKey) ? null : NakReason.REMOTE_ACCESS;
        }
        return null;
    }

    private NakReason checkWriteKey(InboundPacket packet) {
        Opcode opcode = packet.opcode();
        if (opcode.isStart()) {
            int at = packet.at(opcode.rethOffset());
            writeAddress = Reth.virtualAddress(packet.buffer(), at);
            writeKey = Reth.rKey(packet.buffer(), at);
            writeRemaining = Reth.dmaLength(packet.buffer(), at);
        }
        if (writeRemaining == 0) {
            return null;
        }
        target = context.remote(writeKey, AccessFlags.REMOTE_WRITE, writeAddress, writeRemaining);
        return target == null ? NakReason.REMOTE_ACCESS : null;
    }

    /** Moves the payload. rxe: execute. */
    NakReason execute(InboundPacket packet) {
        int payload = packet.payloadLength();
        if (packet.opcode().isStart()) {
            bytes = 0;
            kind = packet.opcode().isSend() ? Kind.SEND : Kind.WRITE;
        }
        if (kind == Kind.WRITE) {
            // Kept no longer than this packet: the memory is free when its region is closed.
            Region region = target;
            target = null;
            if (payload > 0 && !region.write(writeAddress, packet.buffer(), packet.payloadOffset(), payload)) {
                return NakReason.MEMORY_FAULT;
            }
            writeAddress += payload;
            writeRemaining -= payload;
        } else if (payload > 0 && !ScatterGather.scatter(receive.scatterGather(), context.keys(),
            context.queues().receives().domain(), AccessFlags.LOCAL_WRITE, bytes, packet.buffer(), packet.payloadOffset(), payload)) {
            return NakReason.RECEIVE_UNUSABLE;
        }
        bytes += payload;
        return packet.opcode().hasIeth() ? invalidate() : null;
    }

    /** Rule W5: refused when the region is changed or closed in this instant, or a window was bound to it. */
    private NakReason invalidate() {
        return Invalidation.invalidate(context, invalidatedKey) ? null : NakReason.REMOTE_ACCESS;
    }

    /** After the last packet: completes the receive request; false when the completion queue overran. rxe: do_complete. */
    boolean end(InboundPacket packet) {
        Opcode opcode = packet.opcode();
        kind = Kind.NONE;
        if (!usesReceive || !opcode.isSend() && !opcode.hasImmDt()) {
            // A plain WRITE may find the receive request of a message before it that was not finished.
            return true;
        }
        usesReceive = false;
        Operation operation = opcode.isSend() ? Operation.RECEIVE : Operation.RECEIVE_RDMA_WITH_IMMEDIATE;
        WorkCompletion completion = context.queues().claimReceive(receive.id(), CompletionStatus.SUCCESS, operation);
        if (completion == null) {
            return false;
        }
        completion.byteLength(bytes).solicited(packet.isSolicited());
        if (opcode.hasImmDt()) {
            completion.immediate(ImmDt.immediateData(packet.buffer(), packet.at(opcode.immDtOffset())));
        }
        if (opcode.hasIeth()) {
            completion.invalidatedKey(invalidatedKey);
        }
        context.queues().publishReceive(packet.isSolicited());
        context.counters().count(NicCounter.RDMA_RECVS);
        return true;
    }

    /** Completes the receive request in use with an error; false when none was in use (rule R12). */
    boolean fail(CompletionStatus status, String explanation) {
        kind = Kind.NONE;
        if (!usesReceive) {
            return false;
        }
        usesReceive = false;
        context.failure(explanation);
        WorkCompletion completion = context.queues().claimReceive(receive.id(), status, Operation.RECEIVE);
        if (completion != null) {
            completion.explanation(explanation);
            context.queues().publishReceive(true);
        }
        return true;
    }

    /** Whether the message in progress has taken a receive request. */
    boolean usesReceive() {
        return usesReceive;
    }

    /** Capacity of the receive request in use, in bytes. */
    long receiveBytes() {
        return receive.scatterGather().totalBytes();
    }
}
