package io.rxe.qp.completer;

import io.rxe.memory.ScatterGather;
import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.send.ReadProgress;
import io.rxe.qp.send.SendWqe;
import io.rxe.verbs.AccessFlags;
import io.rxe.wire.AtomicAckEth;
import io.rxe.wire.Opcode;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Puts the data of responses to READs and atomics where the request says in local memory. Memory may have become unusable since the
 * request was posted, so each response is checked.
 *
 * <p>Owned by the engine thread.
 */
final class ResponsePlacement {
    private final QueuePairContext context;
    private final UnsafeBuffer atomicValue = new UnsafeBuffer(new byte[Long.BYTES]);

    ResponsePlacement(QueuePairContext context) {
        this.context = context;
    }

    /** Whether first, middle or last in the opcode fits the index. After a retransmitted request, a run may begin at any index. */
    static boolean fitsSequence(Opcode opcode, ReadProgress progress, long index) {
        boolean atEnd = progress.requestEnd(index) == index + 1;
        if (atEnd && !opcode.isEnd()) {
            return false;
        }
        if (progress.wasRetransmitted()) {
            return true;
        }
        return opcode.isEnd() == atEnd && opcode.isStart() == progress.isRequestStart(index);
    }

    /** Places the payload of a response to a READ, if there is any; returns whether the memory was usable. */
    boolean placePayload(InboundPacket packet, SendWqe wqe, long index) {
        return packet.payloadLength() == 0 || ScatterGather.scatter(wqe.scatterGather(), context.keys(), context.domain(),
            AccessFlags.LOCAL_WRITE, index * context.mtu(), packet.buffer(), packet.payloadOffset(), packet.payloadLength());
    }

    /** Places the original value in the response to an atomic; returns whether the memory was usable. */
    boolean placeOriginal(InboundPacket packet, SendWqe wqe) {
        long original = AtomicAckEth.originalValue(packet.buffer(), packet.at(packet.opcode().atomicAckEthOffset()));
        atomicValue.putLong(0, original);
        return ScatterGather.scatter(wqe.scatterGather(), context.keys(), context.domain(), AccessFlags.LOCAL_WRITE, 0, atomicValue, 0,
            Long.BYTES);
    }

    /** Explains why a response has no place to go. */
    String describeUnusable(SendWqe wqe) {
        return "the local memory of this " + wqe.operation() + " is not usable, "
            + ScatterGather.describeUnusable(wqe.scatterGather(), context.keys(), context.domain(), AccessFlags.LOCAL_WRITE)
            + ": keep it registered with LOCAL_WRITE, mapped and accessible until the request completes, and do not truncate a file it"
            + " maps";
    }
}
