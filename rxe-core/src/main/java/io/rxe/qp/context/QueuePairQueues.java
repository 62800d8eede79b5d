package io.rxe.qp.context;

import io.rxe.counters.QueuePairCell;
import io.rxe.counters.QueuePairCounters;
import io.rxe.qp.send.SendWqe;
import io.rxe.ring.Ring;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;

/**
 * The queues of a queue pair: its posted sends and receives, and the completion queues that report them. It decides which requests
 * report a completion, and fails the queue pair when there is no room for one.
 *
 * <p>Owned by the engine thread.
 */
public final class QueuePairQueues {
    private final QueuePairContext context;
    private final boolean signalAll;
    private final Ring<SendWqe> sends;
    private final CompletionRing sendCompletions;
    private ReceiveQueue receives;
    private CompletionRing receiveCompletions;
    private final ReceiveRequest flushed = new ReceiveRequest();

    QueuePairQueues(QueuePairContext context, boolean signalAll, QueuePairRings rings) {
        this.context = context;
        this.signalAll = signalAll;
        this.sends = rings.sends();
        this.sendCompletions = rings.sendCompletions();
        this.receives = rings.receives();
        this.receiveCompletions = rings.receiveCompletions();
    }

    public Ring<SendWqe> sends() {
        return sends;
    }

    /** Posted receives, its own or shared. */
    public ReceiveQueue receives() {
        return receives;
    }

    /** XRC_RECV: the request being processed is for a shared receive queue. */
    void receiveFrom(XrcReceiveQueue queue) {
        receives = queue.queue();
        receiveCompletions = queue.completions();
    }

    /**
     * Completes the oldest send and releases its slot. The slot is free before the application can see the completion. An unsignaled
     * request that succeeds reports nothing (rule Q14).
     */
    public void complete(SendWqe wqe, CompletionStatus status, String explanation) {
        if (wqe.operation().isLocal()) {
            wqe.local().complete();
        }
        boolean visible = status != CompletionStatus.SUCCESS || wqe.isSignaled() || signalAll;
        WorkCompletion completion = visible ? sendCompletions.claim() : null;
        if (completion != null) {
            completion.reset(wqe.id(), status, wqe.operation(), context.number()).queuePair(context.owner());
            if (status == CompletionStatus.SUCCESS) {
                completion.byteLength(wqe.lengthBytes());
            } else {
                completion.explanation(explanation);
            }
        }
        if (status != CompletionStatus.SUCCESS) {
            context.failure(explanation);
        }
        sends.release(sends.consumerIndex() + 1);
        if (completion != null) {
            sendCompletions.publish(status != CompletionStatus.SUCCESS);
        } else if (visible) {
            overrun(sendCompletions);
            if (status != CompletionStatus.SUCCESS && status != CompletionStatus.WR_FLUSH_ERR) {
                // No completion reports the request that failed, and CQ_ERR does not name it.
                context.raise(AsyncEvent.Type.QP_FATAL, explanation);
            }
        }
    }

    /** The receive completion to fill next, with its common fields set; null when the queue overran, which fails the queue pair. */
    public WorkCompletion claimReceive(long id, CompletionStatus status, Operation operation) {
        WorkCompletion completion = receiveCompletions.claim();
        if (completion == null) {
            overrun(receiveCompletions);
            return null;
        }
        return completion.reset(id, status, operation, context.number()).queuePair(context.owner());
    }

    /** Publishes the claimed receive completion. */
    public void publishReceive(boolean eventWorthy) {
        receiveCompletions.publish(eventWorthy);
    }

    /** Records the fill of the queues that the application fills or drains. */
    public void mark() {
        QueuePairCounters counters = context.counters();
        counters.mark(QueuePairCell.COMPLETION_QUEUE_HIGH_WATER, Math.max(sendCompletions.size(), receiveCompletions.size()));
        counters.mark(QueuePairCell.RECEIVE_QUEUE_HIGH_WATER, receives.ring().size());
    }

    private void overrun(CompletionRing ring) {
        boolean wasAlive = context.state() != QueuePairState.ERROR;
        context.fail();
        if (ring.isClosed()) {
            if (wasAlive) {
                context.raise(AsyncEvent.Type.QP_FATAL, "its completion queue of " + ring.capacity() + " entries was closed");
            }
            return;
        }
        boolean first = ring.markOverrun();
        String why = "completion queue of " + ring.capacity() + " entries was full: poll it more often or make it larger";
        if (first) {
            context.raise(ring.queue(), why);
        }
        if (wasAlive) {
            context.raise(AsyncEvent.Type.QP_FATAL, why);
        }
    }

    /** In RESET: drops every request that is queued, without completions. */
    public void drop() {
        long end = sends.producerIndex();
        for (long index = sends.consumerIndex(); index < end; index++) {
            if (sends.get(index).operation().isLocal()) {
                sends.get(index).local().complete();
            }
        }
        sends.release(end);
        if (!receives.isShared()) {
            receives.ring().release(receives.ring().producerIndex());
        }
    }

    /** In ERROR: completes every request that is queued with WR_FLUSH_ERR (rules Q12, R12). */
    public void flush() {
        long end = sends.producerIndex();
        for (long index = sends.consumerIndex(); index < end; index++) {
            complete(sends.get(index), CompletionStatus.WR_FLUSH_ERR, "");
        }
        // Not what the application posts meanwhile: it may be as fast, and rings the doorbell.
        int queued = receives.isShared() ? 0 : receives.ring().size();
        while (queued-- > 0 && receives.take(flushed)) {
            if (claimReceive(flushed.id(), CompletionStatus.WR_FLUSH_ERR, Operation.RECEIVE) != null) {
                publishReceive(true);
            }
        }
    }
}
