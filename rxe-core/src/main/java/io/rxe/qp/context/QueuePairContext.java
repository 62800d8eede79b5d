package io.rxe.qp.context;

import io.rxe.counters.QueuePairCell;
import io.rxe.counters.QueuePairCounters;
import io.rxe.memory.KeyCache;
import io.rxe.memory.Region;
import io.rxe.port.EngineEvent;
import io.rxe.port.Flow;
import io.rxe.qp.send.SendWqe;
import io.rxe.ring.Ring;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;

/**
 * What requester, responder and completer of a queue pair share: its identity, attributes, state and rings, and the ways to report
 * completions and events.
 *
 * <p>Owned by the engine thread; {@link #state} may be read by any.
 */
public final class QueuePairContext {
    /** Allocated before the heap may be used up. */
    private static final QueuePairAttributes TO_ERROR = QueuePairAttributes.to(QueuePairState.ERROR);

    private final int number;
    private final QueuePairType type;
    private int domain;
    private final boolean signalAll;
    private final KeyCache keys;
    private final QueuePairCounters counters;
    private final Events events;
    private final Ring<SendWqe> sendQueue;
    private ReceiveQueue receiveQueue;
    private final CompletionRing sendCompletions;
    private CompletionRing receiveCompletions;
    private final QueuePairAttributes attributes = QueuePairAttributes.to(QueuePairState.RESET);
    private final PathMigration path = new PathMigration(this);
    private final ReceiveRequest flushed = new ReceiveRequest();
    private QueuePair owner;
    private GracePeriods gracePeriods;
    private Offload offload = Runnable::run;
    private XrcReceiveQueues xrcReceiveQueues;
    private boolean acknowledgeFirst;
    private volatile QueuePairState state = QueuePairState.RESET;
    private Flow flow;
    private int mtu;
    private boolean established;
    /** Why it failed, in a sentence; null while it did not. */
    private String failure;

    /**
     * @param number             queue pair number.
     * @param type               transport service.
     * @param domain             number of its protection domain.
     * @param signalAll          whether every send reports a completion.
     * @param keys               the engine's view of the memory registered with the device.
     * @param counters           counters of the queue pair, part of the engine's.
     * @param events             the device's event queue.
     * @param sendQueue          ring of posted sends.
     * @param receiveQueue       posted receives, its own or shared.
     * @param sendCompletions    this engine's ring of the completion queue for sends.
     * @param receiveCompletions this engine's ring of the completion queue for receives.
     */
    public QueuePairContext(int number, QueuePairType type, int domain, boolean signalAll, KeyCache keys, QueuePairCounters counters,
                            Events events, Ring<SendWqe> sendQueue, ReceiveQueue receiveQueue,
                            CompletionRing sendCompletions, CompletionRing receiveCompletions) {
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

    /** Sets the object that events refer to; once, before first use. */
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

    /** Sets how the queue pair waits until no engine uses what it invalidated; once, before first use. */
    public void gracePeriods(GracePeriods ofEngine) {
        gracePeriods = ofEngine;
    }

    public GracePeriods gracePeriods() {
        return gracePeriods;
    }

    /** Sets what waits for the file system in place of the engine's thread; once, before first use. */
    public void offload(Offload ofEngine) {
        offload = ofEngine;
    }

    public Offload offload() {
        return offload;
    }

    /** Sets whether acknowledgements leave before requests; once, before first use. */
    public void acknowledgeFirst(boolean first) {
        acknowledgeFirst = first;
    }

    /** Whether acknowledgements leave before requests. */
    public boolean isAcknowledgeFirst() {
        return acknowledgeFirst;
    }

    /** Sets the shared receive queues that requests of an XRC_RECV queue pair may name; once, before first use. */
    public void xrcReceiveQueues(XrcReceiveQueues ofXrcDomain) {
        xrcReceiveQueues = ofXrcDomain;
    }

    /** The shared receive queues of an XRC_RECV queue pair's XRC domain; null for any other type. */
    public XrcReceiveQueues xrcReceiveQueues() {
        return xrcReceiveQueues;
    }

    /** XRC_RECV: the request being processed is for a queue, and uses its receives, completion queue and protection domain. */
    public void receiveFrom(XrcReceiveQueue queue) {
        receiveQueue = queue.queue();
        receiveCompletions = queue.completions();
        domain = queue.domain();
    }

    /**
     * Returns what a remote key grants, or null when it does not grant the access (rules R10, W2).
     *
     * @param needed access bits, as in {@code AccessFlags}.
     */
    public Region remote(int key, int needed, long address, long lengthBytes) {
        return keys.findRemote(key, domain, this, needed, address, lengthBytes);
    }

    /** As {@link #remote(int, int, long, long)}, for memory of the protection domain that a READ began with. */
    public Region remoteIn(int inDomain, int key, int needed, long address, long lengthBytes) {
        return keys.findRemote(key, inDomain, this, needed, address, lengthBytes);
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
        QueuePairState before = state;
        state = newState;
        if (newState != before) {
            counters.event(EngineEvent.STATE_CHANGE, 0, before.ordinal() << 8 | newState.ordinal());
        }
        established &= newState != QueuePairState.RTR;
        failure = newState == QueuePairState.RESET ? null : failure;
        counters.show(QueuePairCell.STATE, newState.ordinal());
    }

    /** The flow to the peer; null before RTR. */
    public Flow flow() {
        return flow;
    }

    /** Sets the flow to the peer and the path MTU in bytes. */
    public void connect(Flow newFlow, int newMtu) {
        flow = newFlow;
        mtu = newMtu;
        counters.peer(newFlow == null ? null : newFlow.destination(), attributes.destinationQpn());
    }

    /** Its automatic path migration. */
    public PathMigration path() {
        return path;
    }

    /** Payload bytes of a full packet. */
    public int mtu() {
        return mtu;
    }

    /** Address and QPN of the peer, for messages. */
    public String peer() {
        return flow == null ? "no peer" : flow.destination() + " QPN 0x" + Integer.toHexString(attributes.destinationQpn());
    }

    /** Raises COMM_EST with the first request of a connection, if it arrives in RTR (rule A1). */
    public void reportRequest() {
        if (!established) {
            established = true;
            if (state == QueuePairState.RTR) {
                raise(AsyncEvent.Type.COMM_EST, "");
            }
        }
    }

    /** Why the queue pair failed, in a sentence; null while it did not, or when the application moved it to ERROR. */
    public String failure() {
        return failure;
    }

    /** Records why the queue pair failed; of several reasons the first counts. */
    public void failure(String sentence) {
        if (failure == null && !sentence.isEmpty()) {
            failure = sentence;
        }
    }

    /** Raises an event about this queue pair. */
    public void raise(AsyncEvent.Type event, String explanation) {
        if (state == QueuePairState.ERROR) {
            failure(explanation);
        }
        events.raise(event, owner, null, explanation);
    }

    /**
     * Completes the oldest send and releases its slot. The slot is free before the application can see the completion. An unsignaled
     * request that succeeds reports nothing (rule Q14).
     */
    public void completeSend(SendWqe wqe, CompletionStatus status, String explanation) {
        if (wqe.operation().isLocal()) {
            wqe.local().complete(status == CompletionStatus.SUCCESS);
        }
        boolean visible = status != CompletionStatus.SUCCESS || wqe.isSignaled() || signalAll;
        WorkCompletion completion = visible ? sendCompletions.claim() : null;
        if (completion != null) {
            completion.reset(wqe.id(), status, wqe.operation(), number).queuePair(owner);
            if (status == CompletionStatus.SUCCESS) {
                completion.byteLength(wqe.lengthBytes());
            } else {
                completion.explanation(explanation);
            }
        }
        if (status != CompletionStatus.SUCCESS) {
            failure(explanation);
        }
        sendQueue.release(sendQueue.consumerIndex() + 1);
        if (completion != null) {
            sendCompletions.publish(status != CompletionStatus.SUCCESS);
        } else if (visible) {
            overrun(sendCompletions);
        }
    }

    /** The receive completion to fill next, with its common fields set; null when the queue overran, which fails the queue pair. */
    public WorkCompletion claimReceive(long id, CompletionStatus status, Operation operation) {
        WorkCompletion completion = receiveCompletions.claim();
        if (completion == null) {
            overrun(receiveCompletions);
            return null;
        }
        return completion.reset(id, status, operation, number).queuePair(owner);
    }

    /** Publishes the claimed receive completion. */
    public void publishReceive(boolean eventWorthy) {
        receiveCompletions.publish(eventWorthy);
    }

    /** Records the fill of the queues that the application fills or drains. */
    public void markQueues() {
        counters.mark(QueuePairCell.COMPLETION_QUEUE_HIGH_WATER, Math.max(sendCompletions.size(), receiveCompletions.size()));
        counters.mark(QueuePairCell.RECEIVE_QUEUE_HIGH_WATER, receiveQueue.ring().size());
    }

    /** Fails the queue pair: goes to ERROR, and the next poll flushes. Does nothing in ERROR. */
    public void fail() {
        if (state != QueuePairState.RESET && state != QueuePairState.ERROR) {
            counters.event(EngineEvent.FAILURE, 0, state.ordinal());
        }
        enterError();
    }

    /** Goes to ERROR because of a failure or at the request of the application. */
    public void enterError() {
        if (state != QueuePairState.RESET) {
            state(QueuePairState.ERROR);
            attributes.merge(TO_ERROR);
        }
    }

    private void overrun(CompletionRing ring) {
        boolean wasAlive = state != QueuePairState.ERROR;
        fail();
        if (ring.isClosed()) {
            if (wasAlive) {
                raise(AsyncEvent.Type.QP_FATAL, "its completion queue of " + ring.capacity() + " entries was closed");
            }
            return;
        }
        boolean first = ring.markOverrun();
        String why = "completion queue of " + ring.capacity() + " entries was full: poll it more often or make it larger";
        if (first) {
            events.raise(AsyncEvent.Type.CQ_ERR, null, ring.queue(), why);
        }
        if (wasAlive) {
            raise(AsyncEvent.Type.QP_FATAL, why);
        }
    }

    /** In ERROR: completes every request that is still queued with WR_FLUSH_ERR (rules Q12, R12). */
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
