package io.rxe.qp;

import io.rxe.counters.QueuePairCell;
import io.rxe.counters.QueuePairCounters;
import io.rxe.memory.KeyCache;
import io.rxe.port.EngineEvent;
import io.rxe.port.Flow;
import io.rxe.ring.Ring;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.WorkCompletion;

/**
 * What the three state machines of a queue pair share: who it is, its attributes and state, its rings, and the ways out to completions
 * and events.
 *
 * <p>Owned by the engine thread; {@link #state} may be read by any.
 */
public final class QueuePairContext {
    private final int number;
    private final QueuePairType type;
    private final int domain;
    private final boolean signalAll;
    private final KeyCache keys;
    private final QueuePairCounters counters;
    private final Events events;
    private final Ring<SendWqe> sendQueue;
    private final ReceiveQueue receiveQueue;
    private final CompletionLane sendCompletions;
    private final CompletionLane receiveCompletions;
    private final QueuePairAttributes attributes = QueuePairAttributes.to(QueuePairState.RESET);
    private final ReceiveWqe flushed = new ReceiveWqe();
    private QueuePair owner;
    private volatile QueuePairState state = QueuePairState.RESET;
    private Flow flow;
    private int mtu;

    /**
     * @param number             queue pair number.
     * @param type               transport service.
     * @param domain             number of its protection domain.
     * @param signalAll          whether every send makes a completion.
     * @param keys               registered memory of the device, as its engine finds it.
     * @param counters           its own, part of the engine's.
     * @param events             the device's event queue.
     * @param sendQueue          ring of posted sends.
     * @param receiveQueue       where receives are taken from.
     * @param sendCompletions    this engine's lane of the send completion queue.
     * @param receiveCompletions this engine's lane of the receive completion queue.
     */
    public QueuePairContext(int number, QueuePairType type, int domain, boolean signalAll, KeyCache keys, QueuePairCounters counters,
                            Events events, Ring<SendWqe> sendQueue, ReceiveQueue receiveQueue,
                            CompletionLane sendCompletions, CompletionLane receiveCompletions) {
        this.number = number;
        this.type = type;
        this.domain = domain;
        this.signalAll = signalAll;
        this.keys = keys;
        this.counters = counters;
        this.events = events;
        this.sendQueue = sendQueue;
        this.receiveQueue = receiveQueue;
        this.sendCompletions = sendCompletions;
        this.receiveCompletions = receiveCompletions;
    }

    /** Names the object that events refer to; once, before first use. */
    public void owner(QueuePair queuePair) {
        owner = queuePair;
    }

    public int number() {
        return number;
    }

    public QueuePairType type() {
        return type;
    }

    public int domain() {
        return domain;
    }

    public KeyCache keys() {
        return keys;
    }

    public QueuePairCounters counters() {
        return counters;
    }

    public Ring<SendWqe> sendQueue() {
        return sendQueue;
    }

    public ReceiveQueue receiveQueue() {
        return receiveQueue;
    }

    public QueuePairAttributes attributes() {
        return attributes;
    }

    public QueuePairState state() {
        return state;
    }

    public void state(QueuePairState newState) {
        if (newState != state) {
            counters.event(EngineEvent.STATE_CHANGE, 0, state.ordinal() << 8 | newState.ordinal());
        }
        state = newState;
        counters.show(QueuePairCell.STATE, newState.ordinal());
    }

    /** The way to the peer; null before RTR. */
    public Flow flow() {
        return flow;
    }

    /** Sets where packets go and how long they are. */
    public void connect(Flow newFlow, int newMtu) {
        flow = newFlow;
        mtu = newMtu;
        counters.peer(newFlow == null ? null : newFlow.destination(), attributes.destinationQpn());
    }

    /** Payload bytes of a full packet. */
    public int mtu() {
        return mtu;
    }

    /** Who the peer is, for messages. */
    public String peer() {
        return flow == null ? "no peer" : flow.destination() + " QPN 0x" + Integer.toHexString(attributes.destinationQpn());
    }

    /** Raises an event about this queue pair. */
    public void raise(AsyncEvent.Type event, String explanation) {
        events.raise(event, owner, null, explanation);
    }

    /**
     * Completes the oldest send and gives its slot back, in this order: whoever sees the completion finds the slot free. An unsignaled
     * success leaves no trace (rule Q14).
     */
    public void completeSend(SendWqe wqe, CompletionStatus status, String explanation) {
        boolean visible = status != CompletionStatus.SUCCESS || wqe.isSignaled() || signalAll;
        WorkCompletion completion = visible ? sendCompletions.claim() : null;
        if (completion != null) {
            completion.reset(wqe.id(), status, wqe.operation(), number);
            if (status == CompletionStatus.SUCCESS) {
                completion.byteLength(wqe.lengthBytes());
            } else {
                completion.explanation(explanation);
            }
        }
        sendQueue.release(sendQueue.consumerIndex() + 1);
        if (completion != null) {
            sendCompletions.publish(status != CompletionStatus.SUCCESS);
        } else if (visible) {
            overrun(sendCompletions);
        }
    }

    /** The receive completion to fill next, with the fields every one has; null when the queue overran, and then the queue pair failed. */
    public WorkCompletion claimReceive(long id, CompletionStatus status, Operation operation) {
        WorkCompletion completion = receiveCompletions.claim();
        if (completion == null) {
            overrun(receiveCompletions);
            return null;
        }
        return completion.reset(id, status, operation, number);
    }

    /** Hands over the claimed receive completion. */
    public void publishReceive(boolean eventWorthy) {
        receiveCompletions.publish(eventWorthy);
    }

    /** Notes how full the queues are that the application empties or fills. */
    public void markQueues() {
        counters.mark(QueuePairCell.COMPLETION_QUEUE_HIGH_WATER, Math.max(sendCompletions.size(), receiveCompletions.size()));
        counters.mark(QueuePairCell.RECEIVE_QUEUE_HIGH_WATER, receiveQueue.ring().size());
    }

    /** Fails: goes to ERROR; the flush follows on the next poll. Harmless when already there. */
    public void fail() {
        if (state != QueuePairState.RESET && state != QueuePairState.ERROR) {
            counters.event(EngineEvent.FAILURE, 0, state.ordinal());
        }
        enterError();
    }

    /** Goes to ERROR because the application says so, or because it failed. */
    public void enterError() {
        if (state != QueuePairState.RESET) {
            state(QueuePairState.ERROR);
            attributes.merge(QueuePairAttributes.to(QueuePairState.ERROR));
        }
    }

    private void overrun(CompletionLane lane) {
        boolean first = lane.markOverrun();
        boolean wasAlive = state != QueuePairState.ERROR;
        fail();
        String why = "completion queue of " + lane.capacity() + " entries was full: poll it more often or make it larger";
        if (first) {
            events.raise(AsyncEvent.Type.CQ_ERR, null, lane.queue(), why);
        }
        if (wasAlive) {
            raise(AsyncEvent.Type.QP_FATAL, why);
        }
    }

    /** In ERROR: completes everything that is still queued with WR_FLUSH_ERR (rules Q12, R12). */
    public void flush() {
        long end = sendQueue.producerIndex();
        for (long index = sendQueue.consumerIndex(); index < end; index++) {
            completeSend(sendQueue.get(index), CompletionStatus.WR_FLUSH_ERR, "");
        }
        while (!receiveQueue.isShared() && receiveQueue.take(flushed)) {
            if (claimReceive(flushed.id(), CompletionStatus.WR_FLUSH_ERR, Operation.RECEIVE) != null) {
                publishReceive(true);
            }
        }
    }
}
