package io.rxe.tools.perftest.flow;

import io.rxe.bench.StallWatch;
import io.rxe.bench.TransferFailure;
import io.rxe.cm.ConnectionService;
import io.rxe.tools.perftest.handshake.ControlLink;
import io.rxe.tools.perftest.handshake.KeyFormat;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A {@link ControlLink} over a queue pair made by connection management: each message is one SEND. The original posts one receive at a
 * time; this posts several, so that no message of the peer meets an empty receive queue.
 */
final class ManagedLink implements ControlLink {
    private static final int RECEIVES = 16;
    private static final int SLOT_BYTES = 64;
    private static final long SEND_ID = -1;
    private static final long RECEIVE_TIMEOUT_NS = 60_000_000_000L;

    private final ManagedConnections connections;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final ByteBuffer bytes = ByteBuffer.allocateDirect((RECEIVES + 1) * SLOT_BYTES);
    private final MemoryRegion region;
    private final QueuePair queuePair;
    private final ReceiveRequest receive = new ReceiveRequest();
    private final WorkCompletion completion = new WorkCompletion();
    private byte[] arrived;
    private boolean sent;

    ManagedLink(Device device, ManagedConnections connections) {
        this.connections = connections;
        domain = device.allocateProtectionDomain();
        completions = device.createCompletionQueue(2 * (RECEIVES + 1));
        region = domain.register(bytes, AccessFlags.LOCAL_WRITE);
        queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions).withRequests(1, RECEIVES)
            .withElements(1, 1));
        ConnectionService.prepare(queuePair);
        for (int slot = 0; slot < RECEIVES; slot++) {
            post(slot);
        }
    }

    private void post(int slot) {
        queuePair.postReceive(receive.clear().id(slot).add(region, (long) slot * SLOT_BYTES, SLOT_BYTES));
    }

    QueuePair queuePair() {
        return queuePair;
    }

    @Override
    public String peer() {
        return connections.peer();
    }

    @Override
    public boolean isClient() {
        return connections.isClient();
    }

    @Override
    public KeyFormat keyFormat() {
        return KeyFormat.BINARY;
    }

    @Override
    public byte[] exchange(byte[] own, boolean isUnbounded) throws IOException {
        if (isClient()) {
            send(own);
            return receive(own.length, isUnbounded);
        }
        byte[] remote = receive(own.length, isUnbounded);
        send(own);
        return remote;
    }

    private void send(byte[] message) throws IOException {
        bytes.put(RECEIVES * SLOT_BYTES, message);
        sent = false;
        queuePair.postSend(new WorkRequest().id(SEND_ID).send().add(region, (long) RECEIVES * SLOT_BYTES, message.length));
        StallWatch watch = watch("the acknowledgement of a message", RECEIVE_TIMEOUT_NS);
        boolean isOpen = true;
        // A peer that has disconnected has all it needs. If we still need a message of it, the next receive fails.
        while (!sent && isOpen) {
            isOpen = step(watch);
        }
    }

    private byte[] receive(int lengthBytes, boolean isUnbounded) throws IOException {
        StallWatch watch = watch("a message of " + lengthBytes + " bytes", isUnbounded ? Long.MAX_VALUE : RECEIVE_TIMEOUT_NS);
        while (arrived == null) {
            if (!step(watch)) {
                throw new IOException("the peer closed the control connection (" + connections.endReason()
                    + "): see its output for the reason");
            }
        }
        byte[] message = arrived;
        arrived = null;
        if (message.length != lengthBytes) {
            throw new IOException("a message of " + message.length + " bytes arrived, expected " + lengthBytes
                + ": is the same test running there, with the same options?");
        }
        return message;
    }

    private StallWatch watch(String what, long limitNs) {
        return new StallWatch(limitNs, () -> what + " on the control connection with " + peer() + ": check that it still runs");
    }

    /** @return false if the connection has ended and everything received before has been processed. */
    private boolean step(StallWatch watch) throws IOException {
        boolean isEnded = connections.endReason() != null;
        if (completions.poll(completion)) {
            watch.progress();
            onCompletion();
            return true;
        }
        if (!isEnded) {
            try {
                watch.idle();
            } catch (TransferFailure e) {
                throw new IOException(e.getMessage(), e);
            }
        }
        return !isEnded;
    }

    private void onCompletion() throws IOException {
        if (!completion.isSuccess()) {
            throw new IOException("the control connection broke: " + TransferFailure.describe(completion));
        }
        if (completion.workRequestId() == SEND_ID) {
            sent = true;
            return;
        }
        int slot = (int) completion.workRequestId();
        arrived = new byte[(int) completion.byteLength()];
        bytes.get(slot * SLOT_BYTES, arrived);
        post(slot);
    }

    @Override
    public void sendLast(byte[] message) {
        // The original sends this only on sockets; here the disconnect takes its place.
    }

    @Override
    public void close() {
        connections.close();
        queuePair.close();
        completions.close();
        region.close();
        domain.close();
    }
}
