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
import io.rxe.verbs.WorkRequest;

/**
 * Queue pair, completion queue and memory of a pingpong over RC, with the attributes of {@code ibv_rc_pingpong}. One
 * thread.
 */
final class PingPongEndpoint implements AutoCloseable {
    /** Id of every send. */
    static final long SEND_ID = 2;
    /** Id of every receive. */
    static final long RECEIVE_ID = 1;

    // As the original: 67 ms, seven retries, RNR retries without end, 0.64 ms when not ready, one READ or atomic.
    private static final int TIMEOUT_CODE = 14;
    private static final int RETRY_COUNT = 7;
    private static final int RNR_RETRY = 7;
    private static final int MIN_RNR_TIMER_CODE = 12;
    private static final int READ_ATOMIC = 1;
    private static final int HOP_LIMIT = 1;

    private final ProtectionDomain domain;
    private final CompletionChannel channel;
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private final MemoryRegion region;
    private final PingPongBuffer buffer;
    private final Device device;
    private final int psn;
    private final WorkRequest send = new WorkRequest().id(SEND_ID).send();
    private final ReceiveRequest receive = new ReceiveRequest().id(RECEIVE_ID);

    /**
     * @param psn    PSN of the first request to send.
     * @param events whether to sleep on a channel.
     */
    PingPongEndpoint(final Device device, final int sizeBytes, final int receiveDepth, final int psn, final boolean events) {
        this.device = device;
        this.psn = psn;
        buffer = new PingPongBuffer(sizeBytes);
        domain = device.allocateProtectionDomain();
        channel = events ? new CompletionChannel() : null;
        completions = device.createCompletionQueue(receiveDepth + 1, channel);
        region = domain.register(buffer.bytes(), AccessFlags.LOCAL_WRITE);
        queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions)
            .withRequests(1, receiveDepth).withElements(1, 1));
        queuePair.modify(QueuePairAttributes.toInit(0));
        if (sizeBytes > 0) {
            send.add(region, 0, sizeBytes);
            receive.add(region, 0, sizeBytes);
        }
    }

    /** What the peer must know. */
    PingPongAddress address() {
        return new PingPongAddress(0, queuePair.number(), psn, device.gid());
    }

    /**
     * Brings the queue pair to RTS.
     *
     * @param udpPort UDP port of the peer's NIC.
     */
    void connect(final PingPongAddress remote, final PathMtu pathMtu, final int udpPort) {
        queuePair.modify(QueuePairAttributes.to(QueuePairState.RTR)
            .addressVector(new AddressVector(remote.gid(), udpPort, 0, HOP_LIMIT)).pathMtu(pathMtu).destinationQpn(remote.qpn())
            .receivePsn(remote.psn()).maxDestRdAtomic(READ_ATOMIC).minRnrTimer(MIN_RNR_TIMER_CODE));
        queuePair.modify(QueuePairAttributes.to(QueuePairState.RTS).sendPsn(psn).timeout(TIMEOUT_CODE).retryCount(RETRY_COUNT)
            .rnrRetry(RNR_RETRY).maxRdAtomic(READ_ATOMIC));
    }

    /** Posts receives; how many fitted. */
    int postReceives(final int count) {
        int posted = 0;
        while (posted < count && queuePair.postReceive(receive)) {
            posted++;
        }
        return posted;
    }

    /** Posts the message; false when the queue is full for the moment. */
    boolean postSend() {
        return queuePair.postSend(send);
    }

    CompletionQueue completions() {
        return completions;
    }

    /** Where completions are announced, or null when they are polled for. */
    CompletionChannel channel() {
        return channel;
    }

    PingPongBuffer buffer() {
        return buffer;
    }

    @Override
    public void close() {
        queuePair.close();
        completions.close();
        region.close();
        domain.close();
        if (channel != null) {
            channel.close();
        }
    }
}
