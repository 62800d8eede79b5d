package io.rxe.net;

import io.rxe.net.port.ForwardingPort;
import io.rxe.net.port.SendStatus;
import io.rxe.net.port.UdpPort;
import io.rxe.port.Flow;
import io.rxe.wire.Ecn;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import org.agrona.DirectBuffer;

/** Marks batches that may be marked (ECT) as a router with a long queue does: they leave as CE. */
final class MarkingRouter extends ForwardingPort {
    private final IntPredicate isMarked;
    private final AtomicInteger marks;
    private int batches;

    /**
     * @param isMarked says it for the number of a batch.
     * @param marks    counts the frames marked.
     */
    MarkingRouter(UdpPort inner, IntPredicate isMarked, AtomicInteger marks) {
        super(inner);
        this.isMarked = isMarked;
        this.marks = marks;
    }

    @Override
    public SendStatus send(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, int segmentBytes) {
        if ((flow.trafficClass() & Ecn.MASK) != Ecn.CAPABLE || !isMarked.test(batches++)) {
            return super.send(flow, buffer, offset, lengthBytes, segmentBytes);
        }
        SendStatus status = super.send(flow.withTrafficClass(flow.trafficClass() | Ecn.CONGESTION_EXPERIENCED), buffer, offset,
            lengthBytes, segmentBytes);
        marks.addAndGet(status == SendStatus.SENT ? (lengthBytes + segmentBytes - 1) / segmentBytes : 0);
        return status;
    }
}
