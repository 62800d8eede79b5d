package io.rxe.qp;

import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.DropReason;

/**
 * One side of an XRC connection: an RC queue pair of which only requester and completer work (XRC_SEND, the initiator), or only the
 * responder (XRC_RECV, the target; rule X1).
 */
final class XrcQueuePair extends RcQueuePair {
    private final boolean isTarget;

    XrcQueuePair(QueuePairContext context, QueuePairHost host) {
        super(context, host);
        isTarget = context.type() == QueuePairType.XRC_RECV;
    }

    @Override
    public void onPacket(InboundPacket packet, long nowNs) {
        if (packet.opcode().isRequest() == isTarget) {
            super.onPacket(packet, nowNs);
        } else {
            context().counters().drop(DropReason.WRONG_XRC_SIDE);
        }
    }
}
