package io.rxe.tools.pingpong;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
import io.rxe.verbs.MemoryRegion;
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
import java.util.function.IntSupplier;

/** Queue pairs, completion queue and memory of a pingpong, with the queue pair attributes of libibverbs' programs. One thread. */
final class PingPongEndpoint implements AutoCloseable {
    static final long SEND_ID = 2;
    static final long RECEIVE_ID = 1;

    // As in the originals: timeout 67 ms, seven retries, unlimited RNR retries, RNR timer 0.64 ms, one READ or atomic.
    private static final int TIMEOUT_CODE = 14;
    private static final int RETRY_COUNT = 7;
    private static final int RNR_RETRY = 7;
    private static final int MIN_RNR_TIMER_CODE = 12;
    private static final int READ_ATOMIC = 1;
    private static final int HOP_LIMIT = 1;
    private static final int QUEUE_KEY = 0x11111111;

    private final PingPongPlan plan;
    private final PingPongKind kind;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final SharedReceiveQueue sharedReceives;
    private final MemoryRegion region;
    private final PingPongBuffer buffer;
    private final List<QueuePair> queuePairs = new ArrayList<>();
    private final List<PingPongAddress> addresses = new ArrayList<>();
    private final WorkRequest send = new WorkRequest().id(SEND_ID).send();
    private final ReceiveRequest receive = new ReceiveRequest().id(RECEIVE_ID);

    /** @param psns supplies the first PSN of each queue pair. */
    PingPongEndpoint(Device device, PingPongPlan plan, IntSupplier psns) {
        this.plan = plan;
        kind = plan.kind();
        buffer = new PingPongBuffer(kind, plan.sizeBytes());
        domain = device.allocateProtectionDomain();
        completions = device.createCompletionQueue(plan.receiveDepth() + plan.queuePairs());
        sharedReceives = kind == PingPongKind.SRQ ? domain.createSharedReceiveQueue(plan.receiveDepth(), 1) : null;
        region = domain.register(buffer.bytes(), AccessFlags.LOCAL_WRITE);
        for (int i = 0; i < plan.queuePairs(); i++) {
            QueuePair queuePair = domain.createQueuePair(config());
            queuePair.modify(kind == PingPongKind.UD
                ? QueuePairAttributes.to(QueuePairState.INIT).partitionKeyIndex(0).port(1).queueKey(QUEUE_KEY)
                : QueuePairAttributes.toInit(0));
            queuePairs.add(queuePair);
            addresses.add(new PingPongAddress(0, queuePair.number(), psns.getAsInt(), device.gid()));
        }
        if (plan.sizeBytes() > 0) {
            send.add(region, kind.headerBytes(), plan.sizeBytes());
        }
        if (buffer.bytes().limit() > 0) {
            receive.add(region, 0, buffer.bytes().limit());
        }
    }

    private QueuePairConfig config() {
        QueuePairConfig config = QueuePairConfig.of(kind.transport(), completions, completions)
            .withRequests(1, sharedReceives == null ? plan.receiveDepth() : 1).withElements(1, 1);
        return sharedReceives == null ? config : config.withSharedReceiveQueue(sharedReceives);
    }

    /** The addresses to send to the peer, one per queue pair. */
    List<PingPongAddress> addresses() {
        return addresses;
    }

    /** Brings the queue pairs to RTS. */
    void connect(List<PingPongAddress> remotes) {
        for (int i = 0; i < queuePairs.size(); i++) {
            PingPongAddress remote = remotes.get(i);
            AddressVector vector = new AddressVector(remote.gid(), plan.peerUdpPort(), 0, HOP_LIMIT);
            QueuePairAttributes toReceive = QueuePairAttributes.to(QueuePairState.RTR);
            QueuePairAttributes toSend = QueuePairAttributes.to(QueuePairState.RTS).sendPsn(addresses.get(i).psn());
            if (kind == PingPongKind.UD) {
                send.to(domain.createAddressHandle(vector), remote.qpn(), QUEUE_KEY);
            } else {
                toReceive.addressVector(vector).pathMtu(plan.pathMtu()).destinationQpn(remote.qpn()).receivePsn(remote.psn());
            }
            if (kind.transport() == QueuePairType.RC) {
                toReceive.maxDestRdAtomic(READ_ATOMIC).minRnrTimer(MIN_RNR_TIMER_CODE);
                toSend.timeout(TIMEOUT_CODE).retryCount(RETRY_COUNT).rnrRetry(RNR_RETRY).maxRdAtomic(READ_ATOMIC);
            }
            queuePairs.get(i).modify(toReceive);
            queuePairs.get(i).modify(toSend);
        }
    }

    /** Posts receives; returns how many fitted. */
    int postReceives(int count) {
        int posted = 0;
        while (posted < count && (sharedReceives == null ? queuePairs.get(0).postReceive(receive) : sharedReceives.postReceive(receive))) {
            posted++;
        }
        return posted;
    }

    /** Posts the message on a queue pair; false if its send queue is full. */
    boolean postSend(int index) {
        return queuePairs.get(index).postSend(send);
    }

    int indexOf(int queuePairNumber) {
        int index = 0;
        while (queuePairs.get(index).number() != queuePairNumber) {
            index++;
        }
        return index;
    }

    CompletionQueue completions() {
        return completions;
    }

    PingPongBuffer buffer() {
        return buffer;
    }

    @Override
    public void close() {
        queuePairs.forEach(QueuePair::close);
        if (sharedReceives != null) {
            sharedReceives.close();
        }
        completions.close();
        region.close();
        domain.close();
    }
}
