package io.rxe.qp.responder;

import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionStatus;
import io.rxe.wire.DropReason;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;

/**
 * The responder of a UC queue pair: executes messages in order and sends no response. A lost packet loses its message, and everything up
 * to the next first or only packet is discarded.
 *
 * <pre>
 *   F1 M1 L1   F2 -- L2   O3        message 1 arrives, 2 is discarded, 3 arrives
 * </pre>
 *
 * <p>Owned by the engine thread. rxe: check_psn and the UC branches of rxe_responder.
 */
public final class UnreliableResponder implements UnackedResponder {
    private final QueuePairContext context;
    private final InboundMessage message;
    private int expectedPsn;
    private boolean discarding;

    public UnreliableResponder(QueuePairContext context) {
        this.context = context;
        this.message = new InboundMessage(context);
    }

    @Override
    public void start() {
        expectedPsn = context.attributes().receivePsn();
        discarding = false;
        message.reset();
    }

    @Override
    public void stop() {
        message.reset();
    }

    @Override
    public void flush() {
        message.fail(CompletionStatus.WR_FLUSH_ERR, "");
    }

    @Override
    public int expectedPsn() {
        return expectedPsn;
    }

    @Override
    public void onRequest(InboundPacket packet) {
        context.reportRequest();
        Opcode opcode = packet.opcode();
        if (packet.psn() != expectedPsn || !message.continues(opcode)) {
            message.abandon();
            discarding = true;
        }
        expectedPsn = Psn.next(packet.psn());
        if (discarding && !opcode.isStart()) {
            context.counters().drop(DropReason.MESSAGE_INCOMPLETE);
            return;
        }
        discarding = false;
        take(packet);
    }

    private void take(InboundPacket packet) {
        Opcode opcode = packet.opcode();
        boolean granted = !opcode.isWrite() || (context.attributes().accessFlags() & AccessFlags.REMOTE_WRITE) != 0;
        if (!granted) {
            discard(DropReason.REFUSED_MESSAGE);
            return;
        }
        if (!message.hasReceive(opcode)) {
            discard(DropReason.NO_RECEIVE_REQUEST);
            return;
        }
        if (message.failOnPurpose() != null) {
            return;
        }
        NakReason refusal = message.checkLength(packet);
        if (refusal == null) {
            refusal = message.checkKey(packet);
        }
        if (refusal == null) {
            refusal = message.execute(packet);
        }
        if (refusal != null) {
            refuse(refusal);
        } else if (opcode.isEnd()) {
            message.end(packet);
        }
    }

    /** An error of the peer loses its message. Memory that faults or a receive request that cannot be used fails the queue pair. */
    private void refuse(NakReason refusal) {
        boolean ours = refusal == NakReason.RECEIVE_TOO_SHORT || refusal == NakReason.RECEIVE_UNUSABLE
            || refusal == NakReason.MEMORY_FAULT;
        if (!ours) {
            discard(DropReason.REFUSED_MESSAGE);
            return;
        }
        context.fail();
        String why = refusal == NakReason.MEMORY_FAULT
            ? "memory faulted while " + context.peer() + " wrote to it: " + NakReason.KEEP_MEMORY
            : "a message from " + context.peer() + " did not fit the receive request of " + message.receiveBytes()
                + " bytes, or its memory cannot be used: post longer ones, and keep them registered with LOCAL_WRITE";
        if (!message.fail(refusal.status(), why)) {
            context.raise(refusal.event(), why);
        }
    }

    private void discard(DropReason reason) {
        context.counters().drop(reason);
        message.abandon();
        discarding = true;
    }
}
