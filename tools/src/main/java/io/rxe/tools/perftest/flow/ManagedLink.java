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
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * A {@link ControlLink} over a queue pair made by connection management: each message is one SEND. The original posts one receive at a
 * time; this posts several, so that no message of the peer finds an empty receive queue.
 *
 * <p>While nothing arrives, an RDMA WRITE of no bytes asks once a second whether the peer is still there: a peer that was killed sends no
 * DREQ. Its NIC answers without its application, and needs no key for it.
 */
final class ManagedLink implements ControlLink {
    private static final int RECEIVES = 16;
    private static final int SLOT_BYTES = 64;
    private static final int SENDS = 2;
    private static final long SEND_ID = -1;
    private static final long PROBE_ID = -2;
    private static final long PROBE_AFTER_NS = 1_000_000_000L;
    private static final long RECEIVE_TIMEOUT_NS = 60_000_000_000L;

    private final ManagedConnections connections;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final ByteBuffer bytes = ByteBuffer.allocateDirect((RECEIVES + 1) * SLOT_BYTES);
    private final MemoryRegion region;
    private final QueuePair queuePair;
    private final ReceiveRequest receive = new ReceiveRequest();
    private final WorkCompletion completion = new WorkCompletion();
    private final WorkRequest probe = new WorkRequest().id(PROBE_ID).write(0, 0);
    private final Queue<byte[]> arrived = new ArrayDeque<>();
    private long heardNs = System.nanoTime();
    private boolean probing;
    private long processed;
    private boolean sent;
    /** Why the queue pair does not work any more, or null. */
    private String broken;

    ManagedLink(Device device, ManagedConnections connections) {
        this.connections = connections;
        domain = device.allocateProtectionDomain();
        completions = device.createCompletionQueue(2 * (RECEIVES + SENDS));
        region = domain.register(bytes, AccessFlags.LOCAL_WRITE);
        queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions).withRequests(SENDS, RECEIVES)
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
        while (arrived.isEmpty()) {
            if (!step(watch)) {
                throw new IOException("the peer " + endReason());
            }
        }
        byte[] message = arrived.remove();
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
        long before = processed;
        boolean isEnded = endReason() != null;
        if (processed != before) {
            watch.progress();
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

    @Override
    public String endReason() {
        // Read before the poll: what arrived before the end is processed.
        String ended = connections.endReason();
        while (completions.poll(completion)) {
            onCompletion();
        }
        if (ended == null && broken == null && !probing && System.nanoTime() - heardNs > PROBE_AFTER_NS) {
            probing = queuePair.postSend(probe);
        }
        return ended != null ? "closed the control connection (" + ended.strip() + "): see its output for the reason" : broken;
    }

    private void onCompletion() {
        processed++;
        probing &= completion.workRequestId() != PROBE_ID;
        if (!completion.isSuccess()) {
            broken = broken == null ? "does not answer on the control connection: " + TransferFailure.describe(completion) : broken;
            return;
        }
        heardNs = System.nanoTime();
        if (completion.workRequestId() == SEND_ID) {
            sent = true;
        } else if (completion.workRequestId() != PROBE_ID) {
            int slot = (int) completion.workRequestId();
            byte[] message = new byte[(int) completion.byteLength()];
            bytes.get(slot * SLOT_BYTES, message);
            arrived.add(message);
            post(slot);
        }
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
