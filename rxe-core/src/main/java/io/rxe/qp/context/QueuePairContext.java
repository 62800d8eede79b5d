package io.rxe.qp.context;

import io.rxe.counters.QueuePairCell;
import io.rxe.counters.QueuePairCounters;
import io.rxe.fault.RequestFault;
import io.rxe.fault.Verb;
import io.rxe.fault.VerbFaults;
import io.rxe.memory.KeyCache;
import io.rxe.memory.Region;
import io.rxe.port.EngineEvent;
import io.rxe.port.Flow;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Ecn;

/**
 * What requester, responder and completer of a queue pair share: its identity, attributes, state, flow and events;
 * {@link QueuePairQueues} has its queues, {@link PathMigration} its paths.
 *
 * <p>Owned by the engine thread; {@link #state} may be read by any.
 */
public final class QueuePairContext {
    /** Allocated before the heap may be used up. */
    private static final QueuePairAttributes TO_ERROR = QueuePairAttributes.to(QueuePairState.ERROR);

    private final int number;
    private final QueuePairType type;
    private int domain;
    private final KeyCache keys;
    private final QueuePairCounters counters;
    private final Events events;
    private final QueuePairQueues queues;
    private final QueuePairAttributes attributes = QueuePairAttributes.to(QueuePairState.RESET);
    private final PathMigration path = new PathMigration(this);
    private QueuePair owner;
    /** What may have receive requests fail; null for a NIC without such faults. */
    private VerbFaults receiveFaults;
    private final boolean acknowledgeFirst;
    private final CongestionOptions congestion;
    private final XrcReceiveQueues xrcReceiveQueues;
    private volatile QueuePairState state = QueuePairState.RESET;
    private Flow flow;
    private Flow dataFlow;
    private boolean markable;
    private int mtu;
    /** What packets carry, and what those of the peer must match; that of the primary path. */
    private int partitionKey = PartitionKeys.DEFAULT.key(0);
    private boolean established;
    /** Why it failed, in a sentence; null while it did not. */
    private String failure;

    /**
     * @param number           queue pair number.
     * @param config           what the application asked for.
     * @param domain           number of its protection domain.
     * @param keys             the engine's view of the memory registered with the device.
     * @param counters         counters of the queue pair, part of the engine's.
     * @param events           the device's event queue.
     * @param rings            of its queues.
     * @param xrcReceiveQueues the shared receive queues that requests of an XRC_RECV queue pair may name; null for any other type.
     */
    public QueuePairContext(int number, QueuePairConfig config, int domain, KeyCache keys, QueuePairCounters counters, Events events,
                            QueuePairRings rings, XrcReceiveQueues xrcReceiveQueues) {
        this.number = number;
        this.type = config.type();
        this.domain = domain;
        this.keys = keys;
        this.counters = counters;
        this.events = events;
        this.queues = new QueuePairQueues(this, config.signalAll(), rings);
        this.acknowledgeFirst = config.acknowledgeFirst();
        this.congestion = config.congestion();
        this.xrcReceiveQueues = xrcReceiveQueues;
    }

    /** Sets the object that events refer to; once, before first use. */
    public void owner(QueuePair queuePair) {
        owner = queuePair;
    }

    /** Sets what may have receive requests fail on purpose; once, before first use. */
    public void receiveFaults(VerbFaults faults) {
        receiveFaults = faults;
    }

    /**
     * A message took a receive request.
     *
     * @param bytes size of the request.
     * @return how the request fails on purpose; null when it does not.
     */
    public RequestFault receiveFault(long bytes) {
        return receiveFaults == null ? null
            : receiveFaults.onReceive(queues.receives().isShared() ? Verb.POST_SRQ_RECV : Verb.POST_RECV, number, type, bytes);
    }

    QueuePair owner() {
        return owner;
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

    /** Whether acknowledgements leave before requests. */
    public boolean isAcknowledgeFirst() {
        return acknowledgeFirst;
    }

    /** The congestion controller that was chosen for it; null for that of the NIC. */
    public CongestionOptions congestion() {
        return congestion;
    }

    /** The shared receive queues of an XRC_RECV queue pair's XRC domain; null for any other type. */
    public XrcReceiveQueues xrcReceiveQueues() {
        return xrcReceiveQueues;
    }

    /** XRC_RECV: the request being processed is for a queue, and uses its receives, completion queue and protection domain. */
    public void receiveFrom(XrcReceiveQueue queue) {
        queues.receiveFrom(queue);
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

    /** Its queues and the completions of what was posted to them. */
    public QueuePairQueues queues() {
        return queues;
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

    /** The flow of what carries data: that to the peer, as ECT(0) where routers may mark it. */
    public Flow dataFlow() {
        return dataFlow;
    }

    /** Whether routers may mark what carries data, because something obeys the marks; not unless set. */
    public void markable(boolean isMarkable) {
        markable = isMarkable;
        dataFlow = flow != null && isMarkable ? flow.withTrafficClass(flow.trafficClass() | Ecn.CAPABLE) : flow;
    }

    /** Sets the flow to the peer and the path MTU in bytes. */
    public void connect(Flow newFlow, int newMtu) {
        flow = newFlow;
        markable(markable);
        mtu = newMtu;
        counters.peer(newFlow == null ? null : newFlow.destination(), attributes.destinationQpn());
    }

    /** The P_Key of its packets, as in {@link PartitionKeys}. */
    public int partitionKey() {
        return partitionKey;
    }

    /** Sets the P_Key: that of the table at the index in the attributes. */
    public void partitionKey(int key) {
        partitionKey = key;
    }

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

    /** Raises CQ_ERR: a completion queue had no room. */
    void raise(CompletionQueue overrun, String explanation) {
        events.raise(AsyncEvent.Type.CQ_ERR, null, overrun, explanation);
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
}
