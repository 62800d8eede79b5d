package io.rxe.qp.requester;

import io.rxe.counters.NicCounter;
import io.rxe.memory.ScatterGather;
import io.rxe.port.PacketSink;
import io.rxe.qp.context.GracePeriods;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.send.SendState;
import io.rxe.qp.send.SendWqe;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.QueuePairState;

/**
 * The requester of UC and UD queue pairs: sends each packet once and completes a request when its last packet is in the sink. Nothing is
 * acknowledged, so there is no send window and no retransmission (section S of the rules).
 *
 * <p>Owned by the engine thread. rxe: rxe_requester.
 */
public final class UnreliableRequester {
    private static final int BUDGET = 128;

    private final QueuePairContext context;
    private final SendState send;
    private final RequestPacket packet;
    private final DrainNotification drain;
    private final LocalOperations local;
    private boolean unfinished;

    public UnreliableRequester(QueuePairContext context, GracePeriods gracePeriods, SendState send) {
        this.context = context;
        this.send = send;
        this.packet = new RequestPacket(context, send.flushCoverage());
        this.drain = new DrainNotification(context, send);
        this.local = new LocalOperations(context, gracePeriods);
    }

    /** The queue pair goes to RTS or SQD. */
    public void start() {
        unfinished = false;
        drain.start();
    }

    /** Whether the last poll ended because the sink was full or the budget used up. */
    public boolean isUnfinished() {
        return unfinished;
    }

    /** Sends what can be sent; returns the packets sent. */
    public int poll(PacketSink sink) {
        int sent = 0;
        unfinished = false;
        while (context.state().canSend()) {
            SendWqe wqe = send.next();
            if (wqe == null || wqe.state() == SendWqe.State.POSTED && context.state() == QueuePairState.SQD) {
                drain.check();
                return sent;
            }
            if (sent == BUDGET) {
                unfinished = true;
                return sent;
            }
            boolean done = wqe.operation().isLocal() ? runLocally(wqe)
                : (wqe.state() != SendWqe.State.POSTED || begin(wqe)) && sendOne(wqe, sink);
            if (!done) {
                return sent;
            }
            sent++;
        }
        return sent;
    }

    /** Runs a request that sends no packet (rules W1 to W6). */
    private boolean runLocally(SendWqe wqe) {
        if (local.run(wqe)) {
            unfinished = true;
            return false;
        }
        if (wqe.state() == SendWqe.State.ERROR) {
            fail(wqe, wqe.status(), wqe.explanation());
            return false;
        }
        send.ranLocally(wqe);
        context.queues().complete(wqe, CompletionStatus.SUCCESS, "");
        return true;
    }

    private boolean begin(SendWqe wqe) {
        if (wqe.refusal() != null) {
            fail(wqe, wqe.refusedStatus(), wqe.refusal());
            return false;
        }
        if (!packet.checksAllMemory(wqe) && !ScatterGather.isUsable(wqe.scatterGather(), context.keys(), context.domain(), 0)) {
            fail(wqe);
            return false;
        }
        send.begin(wqe, context.mtu(), 1);
        return true;
    }

    private boolean sendOne(SendWqe wqe, PacketSink sink) {
        long index = send.nextSeq() - wqe.firstSeq();
        if (!packet.write(sink, wqe, index, index + 1, false)) {
            unfinished = !packet.isMemoryGone();
            if (packet.isMemoryGone()) {
                fail(wqe);
            }
            return false;
        }
        send.sentNew(1);
        if (index + 1 == wqe.packets()) {
            send.executedTo(send.nextSeq());
            send.advance();
            if (wqe.operation().isSend()) {
                context.counters().count(NicCounter.RDMA_SENDS);
            }
            context.queues().complete(wqe, CompletionStatus.SUCCESS, "");
        }
        return true;
    }

    private void fail(SendWqe wqe) {
        fail(wqe, CompletionStatus.LOC_PROT_ERR, "a local key, range or access right of this " + wqe.operation() + " is wrong, "
            + ScatterGather.describeUnusable(wqe.scatterGather(), context.keys(), context.domain(), 0)
            + ": register the memory in the queue pair's domain and keep it registered");
    }

    private void fail(SendWqe wqe, CompletionStatus status, String why) {
        context.fail();
        context.queues().complete(wqe, status, why);
        send.abandon(context.queues().sends().consumerIndex());
    }
}
