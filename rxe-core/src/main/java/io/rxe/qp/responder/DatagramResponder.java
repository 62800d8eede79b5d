package io.rxe.qp.responder;

import io.rxe.counters.NicCounter;
import io.rxe.memory.ScatterGather;
import io.rxe.qp.InboundPacket;
import io.rxe.qp.QueuePairContext;
import io.rxe.qp.ReceiveWqe;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;
import io.rxe.verbs.WorkCompletion;
import io.rxe.wire.Deth;
import io.rxe.wire.DropReason;
import io.rxe.wire.ImmDt;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The responder of a UD queue pair: each packet is a message. The first 40 bytes of the receive request get the routing header, the
 * payload follows.
 *
 * <p>Owned by the engine thread. rxe: the UD branches of rxe_responder.
 */
public final class DatagramResponder implements MessageResponder {
    private final QueuePairContext context;
    private final ReceiveWqe receive = new ReceiveWqe();
    private final UnsafeBuffer route = new UnsafeBuffer(new byte[GlobalRoute.LENGTH]);

    public DatagramResponder(QueuePairContext context) {
        this.context = context;
    }

    @Override
    public void start() {
        // A datagram needs no memory of the one before.
    }

    @Override
    public void stop() {
        // No message is ever in progress between two packets.
    }

    @Override
    public void flush() {
        // No receive request is ever in use between two packets.
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
        if (!context.receiveQueue().take(receive)) {
            context.counters().drop(DropReason.NO_RECEIVE_REQUEST);
            return;
        }
        int payload = packet.payloadLength();
        if (GlobalRoute.LENGTH + payload > receive.scatterGather().totalBytes()) {
            fail(CompletionStatus.LOC_LEN_ERR, "a datagram of " + payload + " bytes and " + GlobalRoute.LENGTH
                + " of routing header do not fit the receive request of " + receive.scatterGather().totalBytes()
                + " bytes: post longer ones");
            return;
        }
        GlobalRoute.write(route, packet.flow(), packet.length());
        if (!scatter(0, route, 0, GlobalRoute.LENGTH)
            || payload > 0 && !scatter(GlobalRoute.LENGTH, packet.buffer(), packet.payloadOffset(), payload)) {
            fail(CompletionStatus.LOC_PROT_ERR, "a receive request names memory that cannot be used: keep it registered with LOCAL_WRITE");
            return;
        }
        complete(packet, Deth.sourceQpn(packet.buffer(), deth));
    }

    private boolean scatter(long offset, DirectBuffer source, int index, int length) {
        return ScatterGather.scatter(receive.scatterGather(), context.keys(), context.domain(), AccessFlags.LOCAL_WRITE, offset, source,
            index, length);
    }

    private void complete(InboundPacket packet, int sourceQpn) {
        WorkCompletion completion = context.claimReceive(receive.id(), CompletionStatus.SUCCESS, Operation.RECEIVE);
        if (completion == null) {
            return;
        }
        completion.byteLength(GlobalRoute.LENGTH + packet.payloadLength()).solicited(packet.isSolicited()).source(sourceQpn);
        if (packet.opcode().hasImmDt()) {
            completion.immediate(ImmDt.immediateData(packet.buffer(), packet.at(packet.opcode().immDtOffset())));
        }
        context.publishReceive(packet.isSolicited());
        context.counters().count(NicCounter.RDMA_RECVS);
    }

    private void fail(CompletionStatus status, String why) {
        context.fail();
        WorkCompletion completion = context.claimReceive(receive.id(), status, Operation.RECEIVE);
        if (completion != null) {
            completion.explanation(why);
            context.publishReceive(true);
        }
    }
}
