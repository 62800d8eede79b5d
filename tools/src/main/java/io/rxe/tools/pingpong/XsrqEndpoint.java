package io.rxe.tools.pingpong;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.WorkRequest;
import io.rxe.verbs.XrcDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * XRC domain, queue pairs, shared receive queues and memory of {@code xsrq_pingpong}, with the attributes of the original. For each client
 * there is an XRC_SEND and an XRC_RECV queue pair, at both ends. A server has one shared receive queue for all clients; clients have one
 * each. One thread.
 */
final class XsrqEndpoint implements AutoCloseable {
    // As in the original: timeout 67 ms, seven retries, unlimited RNR retries, RNR timer 0.64 ms.
    private static final int TIMEOUT_CODE = 14;
    private static final int RETRY_COUNT = 7;
    private static final int RNR_RETRY = 7;
    private static final int MIN_RNR_TIMER_CODE = 12;
    private static final int HOP_LIMIT = 5;

    private final ProtectionDomain domain;
    private final XrcDomain xrcDomain;
    private final CompletionChannel channel;
    private final CompletionQueue sendCompletions;
    private final MemoryRegion region;
    private final List<CompletionQueue> receiveCompletions = new ArrayList<>();
    private final List<SharedReceiveQueue> queues = new ArrayList<>();
    private final List<QueuePair> receivers = new ArrayList<>();
    private final List<QueuePair> senders = new ArrayList<>();
    private final List<XsrqAddress> addresses = new ArrayList<>();
    private final WorkRequest send = new WorkRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private final int sizeBytes;

    /**
     * @param clients their number.
     * @param queues  number of shared receive queues: 1 at the server, {@code clients} otherwise.
     * @param psns    supplies the first PSN of each pair of queue pairs.
     * @param events  whether to sleep on a completion channel.
     */
    XsrqEndpoint(Device device, int sizeBytes, int clients, int queues, IntSupplier psns, boolean events) {
        this.sizeBytes = sizeBytes;
        domain = device.allocateProtectionDomain();
        xrcDomain = device.openXrcDomain();
        channel = events ? new CompletionChannel() : null;
        sendCompletions = device.createCompletionQueue(clients);
        PingPongBuffer buffer = new PingPongBuffer(PingPongKind.SRQ, sizeBytes);
        region = domain.register(buffer.bytes(), AccessFlags.LOCAL_WRITE);
        if (sizeBytes > 0) {
            receive.add(region, 0, sizeBytes);
        }
        for (int i = 0; i < queues; i++) {
            CompletionQueue completions = device.createCompletionQueue(clients, channel);
            if (events) {
                completions.requestNotification(false);
            }
            receiveCompletions.add(completions);
            this.queues.add(domain.createSharedReceiveQueue(xrcDomain, completions, clients, 1));
        }
        for (int i = 0; i < clients; i++) {
            QueuePair receiver = xrcDomain.createQueuePair();
            receiver.modify(QueuePairAttributes.toInit(0));
            receivers.add(receiver);
            QueuePair sender = domain.createQueuePair(QueuePairConfig.of(QueuePairType.XRC_SEND, sendCompletions, sendCompletions)
                .withRequests(clients, 1).withElements(1, 1));
            sender.modify(QueuePairAttributes.toInit(0));
            senders.add(sender);
            addresses.add(new XsrqAddress(0, receiver.number(), sender.number(), psns.getAsInt(),
                this.queues.get(i % queues).number(), device.gid()));
        }
    }

    /** The address to send to a client, or to the server as a client. */
    XsrqAddress address(int client) {
        return addresses.get(client);
    }

    int clients() {
        return addresses.size();
    }

    /**
     * Brings the queue pairs of a client to where they work: XRC_SEND to RTS, XRC_RECV to RTR. The original brings XRC_RECV to RTS too,
     * where it does nothing more; by then a first message may have failed, and the queue pair be in ERROR.
     *
     * @param udpPort UDP port of the peer's NIC.
     */
    void connect(int client, XsrqAddress remote, PathMtu pathMtu, int udpPort) {
        AddressVector vector = new AddressVector(remote.gid(), udpPort, 0, HOP_LIMIT);
        QueuePair sender = senders.get(client);
        sender.modify(toReceive(vector, pathMtu, remote.receiveQpn(), remote.psn()));
        sender.modify(QueuePairAttributes.to(QueuePairState.RTS).timeout(TIMEOUT_CODE).sendPsn(addresses.get(client).psn())
            .retryCount(RETRY_COUNT).rnrRetry(RNR_RETRY).maxRdAtomic(0));
        receivers.get(client).modify(toReceive(vector, pathMtu, remote.sendQpn(), remote.psn()).maxDestRdAtomic(0)
            .minRnrTimer(MIN_RNR_TIMER_CODE));
    }

    private static QueuePairAttributes toReceive(AddressVector vector, PathMtu pathMtu, int qpn, int psn) {
        return QueuePairAttributes.to(QueuePairState.RTR).addressVector(vector).pathMtu(pathMtu).destinationQpn(qpn).receivePsn(psn);
    }

    /** Posts a receive to a shared receive queue. */
    void postReceive(int queue) {
        if (!queues.get(queue).postReceive(receive)) {
            throw new IllegalStateException("a shared receive queue for " + clients() + " requests is full");
        }
    }

    /**
     * Posts a message; false if the send queue is full.
     *
     * @param sender      index of the queue pair it goes over.
     * @param client      whom it is for, which its completion names.
     * @param queueNumber the client's shared receive queue.
     */
    boolean postSend(int sender, int client, int queueNumber, boolean signaled) {
        send.clear();
        send.id(client).send().signaled(signaled).toSharedReceiveQueue(queueNumber);
        if (sizeBytes > 0) {
            send.add(region, 0, sizeBytes);
        }
        return senders.get(sender).postSend(send);
    }

    /** Index of the client whose XRC_RECV queue pair this is. */
    int clientOf(int receiverNumber) {
        int client = 0;
        while (receivers.get(client).number() != receiverNumber) {
            client++;
        }
        return client;
    }

    /** The completion queues of the shared receive queues, in their order. */
    List<CompletionQueue> receiveCompletions() {
        return receiveCompletions;
    }

    CompletionQueue sendCompletions() {
        return sendCompletions;
    }

    /** The channel that reports receives, or null when polling. */
    CompletionChannel channel() {
        return channel;
    }

    @Override
    public void close() {
        senders.forEach(QueuePair::close);
        receivers.forEach(QueuePair::close);
        queues.forEach(SharedReceiveQueue::close);
        xrcDomain.close();
        sendCompletions.close();
        receiveCompletions.forEach(CompletionQueue::close);
        region.close();
        domain.close();
        if (channel != null) {
            channel.close();
        }
    }
}
