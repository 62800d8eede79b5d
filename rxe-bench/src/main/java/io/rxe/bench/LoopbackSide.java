package io.rxe.bench;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.WorkCompletion;
import java.util.ArrayList;
import java.util.List;

/**
 * One side of a {@link LoopbackPair}: its protection domain, its queue pairs and the two completion queues they
 * share. Owned by the measuring thread.
 */
final class LoopbackSide implements AutoCloseable {
    private static final int COMMAND_ACCESS = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ
        | AccessFlags.REMOTE_ATOMIC;
    private static final int MAX_COMPLETIONS = 4194304;

    private final String name;
    private final Device device;
    private final ProtectionDomain domain;
    private final CompletionQueue sendCompletionQueue;
    private final CompletionQueue receiveCompletionQueue;
    private final List<QueuePair> queuePairs = new ArrayList<>();
    private final CompletionReader sends;
    private final CompletionReader receives;

    /** @param channel of both completion queues, or null. */
    LoopbackSide(String name, Device device, PairConfig config, CompletionChannel channel) {
        this.name = name;
        this.device = device;
        domain = device.allocateProtectionDomain();
        sendCompletionQueue = device.createCompletionQueue(capacity(config), channel);
        receiveCompletionQueue = device.createCompletionQueue(capacity(config), channel);
        sends = new CompletionReader(sendCompletionQueue, completion -> failure("send", completion));
        receives = new CompletionReader(receiveCompletionQueue, completion -> failure("receive", completion));
        QueuePairConfig shape = QueuePairConfig.of(QueuePairType.RC, sendCompletionQueue, receiveCompletionQueue)
            .withRequests(config.depth(), config.depth());
        for (int i = 0; i < config.queuePairs(); i++) {
            QueuePair queuePair = domain.createQueuePair(shape);
            queuePairs.add(queuePair);
            queuePair.modify(QueuePairAttributes.toInit(COMMAND_ACCESS));
        }
    }

    private String failure(String kind, WorkCompletion completion) {
        StringBuilder text = new StringBuilder(160);
        text.append(kind).append(" completion queue of ").append(name).append(", request ").append(completion.workRequestId())
            .append(" on queue pair 0x").append(Integer.toHexString(completion.queuePairNumber())).append(": ")
            .append(TransferFailure.describe(completion));
        for (AsyncEvent event = device.pollAsyncEvent(); event != null; event = device.pollAsyncEvent()) {
            text.append("; event ").append(event.type()).append(event.explanation().isEmpty() ? "" : ": " + event.explanation());
        }
        return text.toString();
    }

    // A queue pair rounds its queues up to a power of two, which at most doubles them.
    private static int capacity(PairConfig config) {
        return (int) Math.min(MAX_COMPLETIONS, 2L * config.depth() * config.queuePairs());
    }

    /** Connects queue pair {@code index} to its partner and makes it ready, for as many READs and atomics as perftest has by default. */
    void connect(int index, LoopbackSide peer, PairConfig config, int ownPsn, int peerPsn) {
        QueuePair queuePair = queuePairs.get(index);
        queuePair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(peer.device.gid(), peer.device.udpPort()),
            config.pathMtu(), peer.queuePairs.get(index).number(), peerPsn)
            .maxDestRdAtomic(device.attributes().maxReadAtomicResponder()));
        queuePair.modify(QueuePairAttributes.toReadyToSend(ownPsn).maxRdAtomic(device.attributes().maxReadAtomicInitiator()));
    }

    String name() {
        return name;
    }

    int queuePairCount() {
        return queuePairs.size();
    }

    QueuePair queuePair(int index) {
        return queuePairs.get(index);
    }

    /** Completions of sends of every queue pair. */
    CompletionReader sends() {
        return sends;
    }

    /** Completions of receives of every queue pair. */
    CompletionReader receives() {
        return receives;
    }

    /** Requests a notification for the next failed send, and for the next completion of the awaited kind. */
    void arm(boolean forReceives) {
        sendCompletionQueue.requestNotification(forReceives);
        if (forReceives) {
            receiveCompletionQueue.requestNotification(false);
        }
    }

    RegisteredBuffer allocate(int lengthBytes) {
        return RegisteredBuffer.allocate(domain, lengthBytes);
    }

    @Override
    public void close() {
        queuePairs.forEach(QueuePair::close);
        sendCompletionQueue.close();
        receiveCompletionQueue.close();
        domain.close();
    }
}
