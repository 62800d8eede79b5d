package io.rxe.tools.perftest.measure;

import io.rxe.bench.StallWatch;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.ConnectionService;
import io.rxe.cm.exchange.ConnectionTerms;
import io.rxe.tools.perftest.handshake.KeyRecord;
import io.rxe.tools.perftest.plan.PerftestPlan;
import io.rxe.tools.perftest.plan.PerftestQueues;
import io.rxe.tools.perftest.plan.PerftestVerb;
import io.rxe.verbs.AddressHandle;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.WorkRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Queue pairs, completion queues and memory of one side, with the attributes of the original. */
public final class PerftestEndpoint implements AutoCloseable {
    /** Queue key of every datagram. */
    static final int QUEUE_KEY = 0x11111111;

    // As the original: seven retries, unlimited RNR retries, an RNR wait of 0.64 ms.
    private static final int RETRY_COUNT = 7;
    private static final int RNR_RETRY = 7;
    private static final int MIN_RNR_TIMER_CODE = 12;
    private static final int HOP_LIMIT = 0xFF;
    private static final int PSN_MASK = 0xFFFFFF;

    private final Device device;
    private final PerftestPlan plan;
    private final boolean isManaged;
    private final ProtectionDomain domain;
    private final CompletionQueue sends;
    private final CompletionQueue receives;
    private final SharedReceiveQueue sharedReceives;
    private final PerftestMemory memory;
    private final List<QueuePair> queuePairs = new ArrayList<>();
    private final List<KeyRecord> records = new ArrayList<>();
    private final List<AddressHandle> handles = new ArrayList<>();
    private List<KeyRecord> remotes = List.of();

    /**
     * Creates everything, with queue pairs in INIT.
     *
     * @param cycleBufferBytes as agreed with the peer.
     * @param isManaged        whether connection management connects the queue pairs: datagrams then use its key.
     */
    public PerftestEndpoint(Device device, PerftestPlan plan, int cycleBufferBytes, boolean isManaged) {
        this.device = device;
        this.isManaged = isManaged;
        this.plan = plan;
        PerftestQueues queues = plan.queues();
        domain = device.allocateProtectionDomain();
        sends = device.createCompletionQueue(queues.sendDepth() * queues.queuePairs());
        receives = device.createCompletionQueue(queues.receiveDepth() * (queues.sharedReceives() ? 1 : queues.queuePairs()));
        sharedReceives = queues.sharedReceives() && plan.verb() == PerftestVerb.SEND
            ? domain.createSharedReceiveQueue(queues.receiveDepth(), 1) : null;
        memory = new PerftestMemory(domain, plan, cycleBufferBytes);
        SplittableRandom random = new SplittableRandom(plan.seed() ^ device.gid().low());
        for (int i = 0; i < queues.queuePairs(); i++) {
            QueuePair queuePair = domain.createQueuePair(config());
            if (isManaged && plan.isDatagram()) {
                ConnectionService.prepare(queuePair);
            } else {
                queuePair.modify(toInit());
            }
            queuePairs.add(queuePair);
            records.add(new KeyRecord(plan.verb().isReadOrAtomic() ? plan.path().outstandingReads() : 1, queuePair.number(),
                random.nextInt() & PSN_MASK, plan.verb() == PerftestVerb.SEND ? 0 : memory.region().rKey(),
                memory.region().address() + memory.target(i), device.gid()));
        }
    }

    private QueuePairConfig config() {
        PerftestQueues queues = plan.queues();
        QueuePairConfig config = QueuePairConfig.of(plan.path().transport(), sends, receives)
            .withRequests(queues.sendDepth(), plan.receives() && sharedReceives == null ? queues.receiveDepth() : 1).withElements(1, 1)
            .withInline(queues.inlineBytes());
        return sharedReceives == null ? config : config.withSharedReceiveQueue(sharedReceives);
    }

    private QueuePairAttributes toInit() {
        return plan.isDatagram()
            ? QueuePairAttributes.to(QueuePairState.INIT).partitionKeyIndex(0).port(1).queueKey(QUEUE_KEY)
            : QueuePairAttributes.toInit(plan.verb().remoteAccess());
    }

    /** The key records for the peer, one for each queue pair. */
    public List<KeyRecord> records() {
        return records;
    }

    /** The first of {@link #records}, which also serves to synchronize. */
    public KeyRecord record() {
        return records.get(0);
    }

    /**
     * Connects every queue pair to its peer.
     *
     * @throws IllegalArgumentException if the peer's address cannot be used; says what to change.
     */
    public void connect(List<KeyRecord> remote, PerftestPlan agreed, String peer) {
        adopt(remote, agreed, peer);
        for (int i = 0; i < queuePairs.size(); i++) {
            QueuePair queuePair = queuePairs.get(i);
            queuePair.modify(toReadyToReceive(remote.get(i), vector(remote.get(i), agreed), agreed));
            // As the original: a side that never sends stays in RTR.
            if (plan.sends()) {
                queuePair.modify(toReadyToSend(records.get(i), remote.get(i)));
            }
        }
    }

    /**
     * Records the peers' keys without connecting: connection management has connected the queue pairs.
     *
     * @throws IllegalArgumentException as {@link #connect}.
     */
    public void adopt(List<KeyRecord> remote, PerftestPlan agreed, String peer) {
        remotes = List.copyOf(remote);
        for (KeyRecord record : remote) {
            checkGid(record, peer);
            if (plan.isDatagram()) {
                handles.add(domain.createAddressHandle(vector(record, agreed)));
            }
        }
    }

    private static AddressVector vector(KeyRecord remote, PerftestPlan agreed) {
        return new AddressVector(remote.gid(), agreed.path().peerUdpPort(), 0, HOP_LIMIT);
    }

    /** Sends our queue pair number to a datagram service of connection management: four bytes, with the number as immediate data. */
    public void sendOwnNumber(int index, ConnectionTerms service) {
        QueuePair queuePair = queuePairs.get(index);
        queuePair.postSend(new WorkRequest().sendWithImmediate(queuePair.number()).add(memory.region(), memory.source(index), Integer.BYTES)
            .to(domain.createAddressHandle(service.peer()), service.remoteQpn(), service.remoteQueueKey()));
        CompletionBatch completions = new CompletionBatch(sends, "datagram with our number");
        StallWatch watch = new StallWatch(plan.stallNs(), () -> "the completion of a datagram");
        while (completions.poll() == 0) {
            watch.idle();
        }
    }

    private void checkGid(KeyRecord remote, String peer) {
        if (remote.qpn() == 0) {
            throw new IllegalArgumentException(peer + " sent an empty key, so it uses connection management: use -R at both ends or"
                + " at none");
        }
        if (remote.gid().high() == 0 && remote.gid().low() == 0) {
            throw new IllegalArgumentException(peer + " sent no GID: start it with -x INDEX of " + (device.gid().isIpv4() ? "an IPv4"
                : "an IPv6") + " RoCE v2 GID (see ibv_devinfo -v)");
        }
        if (remote.gid().isIpv4() != device.gid().isIpv4()) {
            throw new IllegalArgumentException("the GID " + remote.gid() + " of " + peer + " and ours " + device.gid()
                + " are of different address families: choose another -x there, or another -d here");
        }
    }

    private QueuePairAttributes toReadyToReceive(KeyRecord remote, AddressVector vector, PerftestPlan agreed) {
        QueuePairAttributes attributes = QueuePairAttributes.to(QueuePairState.RTR);
        if (plan.isDatagram()) {
            return attributes;
        }
        attributes.addressVector(vector).pathMtu(agreed.path().pathMtu()).destinationQpn(remote.qpn()).receivePsn(remote.psn());
        if (plan.path().transport() == QueuePairType.RC) {
            attributes.maxDestRdAtomic(record().outReads()).minRnrTimer(MIN_RNR_TIMER_CODE);
        }
        return attributes;
    }

    private QueuePairAttributes toReadyToSend(KeyRecord own, KeyRecord remote) {
        QueuePairAttributes attributes = QueuePairAttributes.to(QueuePairState.RTS).sendPsn(own.psn());
        if (plan.path().transport() == QueuePairType.RC) {
            int reads = Math.max(1, Math.min(remote.outReads(), device.attributes().maxReadAtomicInitiator()));
            attributes.timeout(plan.path().timeoutCode()).retryCount(RETRY_COUNT).rnrRetry(RNR_RETRY).maxRdAtomic(reads);
        }
        return attributes;
    }

    /** Addresses a datagram to the peer of a queue pair; does nothing on a connected transport. */
    void address(WorkRequest request, int index) {
        if (plan.isDatagram()) {
            request.to(handles.get(index), remotes.get(index).qpn(),
                isManaged ? ConnectParameters.DEFAULT_QUEUE_KEY : QUEUE_KEY);
        }
    }

    KeyRecord remote(int index) {
        return remotes.get(index);
    }

    public QueuePair queuePair(int index) {
        return queuePairs.get(index);
    }

    /** Posts a receive to a queue pair, or to the shared receive queue. */
    boolean postReceive(int index, ReceiveRequest request) {
        return sharedReceives == null ? queuePairs.get(index).postReceive(request) : sharedReceives.postReceive(request);
    }

    CompletionQueue sends() {
        return sends;
    }

    CompletionQueue receives() {
        return receives;
    }

    PerftestMemory memory() {
        return memory;
    }

    @Override
    public void close() {
        queuePairs.forEach(QueuePair::close);
        if (sharedReceives != null) {
            sharedReceives.close();
        }
        sends.close();
        receives.close();
        memory.close();
        domain.close();
    }
}
