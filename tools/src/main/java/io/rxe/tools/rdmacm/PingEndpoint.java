package io.rxe.tools.rdmacm;

import io.rxe.cm.ConnectionService;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;

/** Queue pair and memory of one rping connection. One thread. */
final class PingEndpoint implements AutoCloseable {
    /** Largest number of unpolled completions of one endpoint. */
    static final int COMPLETIONS = 32;
    private static final int SEND_REQUESTS = 16;
    private static final int RECEIVE_REQUESTS = 2;
    private static final int REMOTE = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE;
    private static final int RECEIVED_AT = 0;
    private static final int SENT_AT = BufferAdvert.LENGTH;

    private final ProtectionDomain domain;
    private final QueuePair queuePair;
    private final ByteBuffer messages = ByteBuffer.allocateDirect(2 * BufferAdvert.LENGTH);
    private final ByteBuffer sink;
    private final ByteBuffer source;
    private final MemoryRegion messageRegion;
    private final MemoryRegion sinkRegion;
    private final MemoryRegion sourceRegion;
    private final WorkRequest request = new WorkRequest();
    private final ReceiveRequest receive = new ReceiveRequest();

    /** @param sizeBytes size of the text. */
    PingEndpoint(Device device, CompletionQueue completions, int sizeBytes) {
        domain = device.allocateProtectionDomain();
        queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions)
            .withRequests(SEND_REQUESTS, RECEIVE_REQUESTS).withElements(1, 1));
        ConnectionService.prepare(queuePair);
        sink = ByteBuffer.allocateDirect(sizeBytes);
        source = ByteBuffer.allocateDirect(sizeBytes);
        messageRegion = domain.register(messages, AccessFlags.LOCAL_WRITE);
        sinkRegion = domain.register(sink, REMOTE);
        sourceRegion = domain.register(source, REMOTE);
        receive.add(messageRegion, RECEIVED_AT, BufferAdvert.LENGTH);
    }

    QueuePair queuePair() {
        return queuePair;
    }

    /** The data that the client sends. */
    ByteBuffer source() {
        return source;
    }

    /** Where the server stores the data it has read, and the client receives it back. */
    ByteBuffer sink() {
        return sink;
    }

    BufferAdvert sourceAdvert() {
        return new BufferAdvert(sourceRegion.address(), sourceRegion.rKey(), source.capacity());
    }

    BufferAdvert sinkAdvert() {
        return new BufferAdvert(sinkRegion.address(), sinkRegion.rKey(), sink.capacity());
    }

    /** Posts the only receive; a message in its buffer will be overwritten. */
    void postReceive() {
        queuePair.postReceive(receive);
    }

    /** The message received last. */
    BufferAdvert received() {
        return BufferAdvert.read(messages, RECEIVED_AT);
    }

    void send(BufferAdvert advert) {
        advert.write(messages, SENT_AT);
        post(request.clear().send().add(messageRegion, SENT_AT, BufferAdvert.LENGTH));
    }

    /** Sends the go-ahead; the content of the message does not matter. */
    void sendGoAhead() {
        post(request.clear().send().add(messageRegion, SENT_AT, BufferAdvert.LENGTH));
    }

    /** Reads the peer's text. */
    void read(BufferAdvert from) {
        post(request.clear().read(from.address(), from.key()).add(sinkRegion, 0, from.sizeBytes()));
    }

    /** Writes the text back, with its zero. */
    void write(BufferAdvert to, int lengthBytes) {
        post(request.clear().write(to.address(), to.key()).add(sinkRegion, 0, lengthBytes));
    }

    // At most two requests are outstanding, so the queue has room.
    private void post(WorkRequest one) {
        if (!queuePair.postSend(one)) {
            throw new AssertionError("the send queue is full with " + queuePair.outstandingSends() + " requests");
        }
    }

    @Override
    public void close() {
        queuePair.close();
        messageRegion.close();
        sinkRegion.close();
        sourceRegion.close();
        domain.close();
    }
}
