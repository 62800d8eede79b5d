package io.rxe.tools.perftest;

import io.rxe.bench.CompletionReader;
import io.rxe.bench.TransferFailure;
import io.rxe.tools.side.PeerLink;
import io.rxe.verbs.AddressHandle;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Device;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Psn;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Queue pairs, completion queues and memory of one side, with the attributes of the original. One thread. */
final class PerftestEndpoint implements AutoCloseable {
    /** Queue key of every datagram. */
    private static final int QUEUE_KEY = 0x11111111;
    // As the original: seven retries, unlimited RNR retries, an RNR wait of 0.64 ms.
    private static final int RETRY_COUNT = 7;
    private static final int RNR_RETRY = 7;
    private static final int MIN_RNR_TIMER_CODE = 12;
    private static final int HOP_LIMIT = 0xFF;

    private final Device device;
    private final PerftestPlan plan;
    private final PerftestHandshake handshake;
    private final ProtectionDomain domain;
    private final CompletionQueue sends;
    private final CompletionQueue receives;
    private final CompletionReader sendReader;
    private final CompletionReader receiveReader;
    private final PerftestMemory memory;
    private final List<QueuePair> queuePairs = new ArrayList<>();
    private final List<KeyRecord> records = new ArrayList<>();
    private final List<AddressHandle> handles = new ArrayList<>();
    private List<KeyRecord> remotes = List.of();

    /**
     * Creates everything, with queue pairs in INIT.
     *
     * @param plan      as agreed with the peer.
     * @param handshake whose preface is over.
     */
    PerftestEndpoint(Device device, PerftestPlan plan, PerftestHandshake handshake) {
        this.device = device;
        this.plan = plan;
        this.handshake = handshake;
        domain = device.allocateProtectionDomain();
        sends = device.createCompletionQueue(plan.sendDepth() * plan.queuePairs());
        receives = device.createCompletionQueue(plan.receiveDepth() * plan.queuePairs());
        sendReader = new CompletionReader(sends, completion -> failure(plan.verb().title() + " to ", completion));
        receiveReader = new CompletionReader(receives, this::receiveFailure);
        memory = new PerftestMemory(domain, plan, handshake.cycleBufferBytes());
        SplittableRandom random = new SplittableRandom(plan.seed() ^ device.gid().low());
        QueuePairConfig config = QueuePairConfig.of(plan.transport(), sends, receives)
            .withRequests(plan.sendDepth(), plan.receives() ? plan.receiveDepth() : 1).withElements(1, 1);
        for (int i = 0; i < plan.queuePairs(); i++) {
            QueuePair queuePair = domain.createQueuePair(config);
            queuePair.modify(plan.isDatagram()
                ? QueuePairAttributes.to(QueuePairState.INIT).partitionKeyIndex(plan.partitionKeyIndex()).port(1).queueKey(QUEUE_KEY)
                : QueuePairAttributes.toInit(plan.verb().remoteAccess()).partitionKeyIndex(plan.partitionKeyIndex()));
            queuePairs.add(queuePair);
            records.add(new KeyRecord(plan.verb() == PerftestVerb.READ ? plan.outstandingReads() : 1, queuePair.number(),
                random.nextInt() & Psn.MASK, plan.verb() == PerftestVerb.SEND ? 0 : memory.region().rKey(),
                memory.region().address() + memory.target(i), device.gid()));
        }
    }

    /** The key records for the peer, one for each queue pair. */
    List<KeyRecord> records() {
        return records;
    }

    /**
     * Connects every queue pair to its peer.
     *
     * @throws IllegalArgumentException if the peer's address cannot be used; says what to change.
     */
    void connect(List<KeyRecord> remote) {
        remotes = List.copyOf(remote);
        for (int i = 0; i < queuePairs.size(); i++) {
            KeyRecord record = remote.get(i);
            PeerLink.checkGid(record.gid(), device.gid(), handshake.peer(), "-x");
            AddressVector vector = new AddressVector(record.gid(), plan.peerUdpPort(), 0, HOP_LIMIT);
            if (plan.isDatagram()) {
                handles.add(domain.createAddressHandle(vector));
            }
            queuePairs.get(i).modify(toReadyToReceive(record, vector));
            // As the original: a side that never sends stays in RTR.
            if (plan.sends()) {
                queuePairs.get(i).modify(toReadyToSend(records.get(i), record));
            }
        }
    }

    private QueuePairAttributes toReadyToReceive(KeyRecord remote, AddressVector vector) {
        QueuePairAttributes attributes = QueuePairAttributes.to(QueuePairState.RTR);
        if (plan.isDatagram()) {
            return attributes;
        }
        attributes.addressVector(vector).pathMtu(plan.pathMtu()).destinationQpn(remote.qpn()).receivePsn(remote.psn());
        return plan.transport() == QueuePairType.RC
            ? attributes.maxDestRdAtomic(records.get(0).outReads()).minRnrTimer(MIN_RNR_TIMER_CODE) : attributes;
    }

    private QueuePairAttributes toReadyToSend(KeyRecord own, KeyRecord remote) {
        QueuePairAttributes attributes = QueuePairAttributes.to(QueuePairState.RTS).sendPsn(own.psn());
        int reads = Math.max(1, Math.min(remote.outReads(), device.attributes().maxReadAtomicInitiator()));
        return plan.transport() == QueuePairType.RC
            ? attributes.timeout(plan.timeoutCode()).retryCount(RETRY_COUNT).rnrRetry(RNR_RETRY).maxRdAtomic(reads) : attributes;
    }

    /**
     * The prepared requests of one queue pair, to be posted in turn. In a bandwidth test small messages cycle through a buffer on both
     * sides, each at least a cache line behind the one before; large ones all use the same bytes.
     */
    WorkRequest[] requests(int index, int sizeBytes) {
        int line = handshake.cacheLineBytes();
        int step = (sizeBytes + line - 1) / line * line;
        boolean cycles = !plan.kind().isLatency() && sizeBytes <= handshake.cycleBufferBytes() / 2;
        WorkRequest[] requests = new WorkRequest[cycles ? Math.max(1, handshake.cycleBufferBytes() / step) : 1];
        KeyRecord remote = remotes.get(index);
        for (int slot = 0; slot < requests.length; slot++) {
            int offset = slot * step;
            WorkRequest request = switch (plan.verb()) {
                case SEND -> new WorkRequest().send();
                case WRITE -> new WorkRequest().write(remote.address() + offset, remote.rKey());
                case READ -> new WorkRequest().read(remote.address() + offset, remote.rKey());
            };
            request.add(memory.region(), memory.source(index) + offset, sizeBytes);
            requests[slot] = plan.isDatagram() ? request.to(handles.get(index), remote.qpn(), QUEUE_KEY) : request;
        }
        return requests;
    }

    QueuePair queuePair(int index) {
        return queuePairs.get(index);
    }

    CompletionReader sends() {
        return sendReader;
    }

    CompletionReader receives() {
        return receiveReader;
    }

    private String failure(String what, WorkCompletion completion) {
        String remedy = switch (completion.status()) {
            case LOC_LEN_ERR, REM_INV_REQ_ERR -> "; use the same -s at both ends";
            case REM_ACCESS_ERR -> "; use the same test and the same -s, -a and -q at both ends";
            default -> "";
        };
        return what + handshake.peer() + " on queue pair 0x" + Integer.toHexString(completion.queuePairNumber()) + " failed: "
            + TransferFailure.describe(completion) + remedy;
    }

    /** A receive is flushed after a send failed: polling the sends throws what explains it. */
    private String receiveFailure(WorkCompletion completion) {
        int count = completion.status() == CompletionStatus.WR_FLUSH_ERR ? sendReader.poll() : 0;
        while (count > 0) {
            count = sendReader.poll();
        }
        return failure("receive from ", completion);
    }

    PerftestMemory memory() {
        return memory;
    }

    @Override
    public void close() {
        queuePairs.forEach(QueuePair::close);
        sends.close();
        receives.close();
        memory.close();
        domain.close();
    }
}
