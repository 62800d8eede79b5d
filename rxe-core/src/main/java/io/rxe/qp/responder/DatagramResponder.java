package io.rxe.qp.responder;

import io.rxe.counters.NicCounter;
import io.rxe.fault.RequestFault;
import io.rxe.memory.ScatterGather;
import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.wire.Deth;
import io.rxe.wire.DropReason;
import io.rxe.wire.ImmDt;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The responder of a UD queue pair: each packet is a message. The receive request gets the 40 bytes of the GRH, then the payload. A
 * datagram that does not fit its receive request is dropped (rule S1), since anyone who knows the queue key can send one.
 *
 * <p>Owned by the engine thread. rxe: the UD branches of rxe_responder.
 */
public final class DatagramResponder implements UnackedResponder {
    private final QueuePairContext context;
    private final ReceiveRequest receive = new ReceiveRequest();
    private final UnsafeBuffer grh = new UnsafeBuffer(new byte[Grh.LENGTH]);
    /** Whether {@link #receive} was taken for a datagram that did not fit; the next datagram uses it. */
    private boolean holdsReceive;

    public DatagramResponder(QueuePairContext context) {
        this.context = context;
    }

    @Override
    public void start() {
        holdsReceive = false;
    }

    @Override
    public void stop() {
        holdsReceive = false;
    }

    @Override
    public void flush() {
        if (holdsReceive) {
            holdsReceive = false;
            completeWithError(CompletionStatus.WR_FLUSH_ERR, "");
        }
    }

    @Override
    public int expectedPsn() {
        return 0;
    }

    @Override
    public void onRequest(InboundPacket packet) {
        int deth = packet.at(packet.opcode().dethOffset());
        if (Deth.queueKey(packet.buffer(), deth) != context.attributes().queueKey()) {
            context.counters().drop(DropReason.WRONG_QUEUE_KEY);
            return;
        }
        if (!holdsReceive) {
            if (!context.queues().receives().take(receive)) {
                context.counters().drop(DropReason.NO_RECEIVE_REQUEST);
                return;
            }
            RequestFault fault = context.receiveFault(receive.scatterGather().totalBytes());
            if (fault != null) {
                context.fail();
                completeWithError(fault.status(), fault.why());
                return;
            }
        }
        int payload = packet.payloadLength();
        holdsReceive = Grh.LENGTH + payload > receive.scatterGather().totalBytes();
        if (holdsReceive) {
            context.counters().drop(DropReason.RECEIVE_TOO_SHORT);
            return;
        }
        Grh.write(grh, packet.flow(), packet.length());
        if (!scatter(0, grh, 0, Grh.LENGTH)
            || payload > 0 && !scatter(Grh.LENGTH, packet.buffer(), packet.payloadOffset(), payload)) {
            context.fail();
            completeWithError(CompletionStatus.LOC_PROT_ERR,
                "a receive request names memory that cannot be used: keep it registered with LOCAL_WRITE");
            return;
        }
        complete(packet, Deth.sourceQpn(packet.buffer(), deth));
    }

    private boolean scatter(long offset, DirectBuffer source, int index, int length) {
        return ScatterGather.scatter(receive.scatterGather(), context.keys(), context.queues().receives().domain(), AccessFlags.LOCAL_WRITE,
            offset, source, index, length);
    }

    private void complete(InboundPacket packet, int sourceQpn) {
        WorkCompletion completion = context.queues().claimReceive(receive.id(), CompletionStatus.SUCCESS, Operation.RECEIVE);
        if (completion == null) {
            return;
        }
        completion.byteLength(Grh.LENGTH + packet.payloadLength()).solicited(packet.isSolicited()).source(sourceQpn)
            .partitionKeyIndex(context.attributes().partitionKeyIndex());
        if (packet.opcode().hasImmDt()) {
            completion.immediate(ImmDt.immediateData(packet.buffer(), packet.at(packet.opcode().immDtOffset())));
        }
        context.queues().publishReceive(packet.isSolicited());
        context.counters().count(NicCounter.RDMA_RECVS);
    }

    private void completeWithError(CompletionStatus status, String why) {
        WorkCompletion completion = context.queues().claimReceive(receive.id(), status, Operation.RECEIVE);
        if (completion != null) {
            completion.explanation(why);
            context.queues().publishReceive(true);
        }
    }
}
