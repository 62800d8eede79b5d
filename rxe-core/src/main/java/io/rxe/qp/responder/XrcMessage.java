package io.rxe.qp.responder;

import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.context.XrcReceiveQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.wire.XrcEth;

/**
 * The SEND or WRITE in progress on an XRC_RECV queue pair. Each request names a shared receive queue: from there the message takes its
 * receive request, to that queue's completion queue goes the completion, and that queue's protection domain has the memory (rules X2 to
 * X4).
 *
 * <p>Owned by the engine thread.
 */
final class XrcMessage extends InboundMessage {
    private final QueuePairContext context;
    private XrcReceiveQueue queue;

    XrcMessage(QueuePairContext context) {
        super(context);
        this.context = context;
    }

    /** Rule X2: the queue exists in the XRC domain of the queue pair, and all packets of a message name the same. */
    @Override
    NakReason checkSequence(InboundPacket packet) {
        NakReason refusal = super.checkSequence(packet);
        if (refusal != null) {
            return refusal;
        }
        XrcReceiveQueue named = context.xrcReceiveQueues().find(
            XrcEth.queueNumber(packet.buffer(), packet.at(packet.opcode().xrcEthOffset())));
        if (named == null || isInProgress() && named != queue) {
            return NakReason.INVALID_XRC_ETH;
        }
        if (usesReceive() && named != queue) {
            // Taken for a request that was kept behind a gap and then refused: it belongs to the other queue.
            fail(CompletionStatus.WR_FLUSH_ERR, "");
        }
        queue = named;
        context.receiveFrom(named);
        return null;
    }
}
