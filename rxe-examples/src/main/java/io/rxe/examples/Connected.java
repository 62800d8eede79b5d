package io.rxe.examples;

import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;

/**
 * A NIC with one reliable queue pair and one memory region, connected to a peer of the same kind. The two sides exchange address, queue
 * pair number, start PSN and memory over a TCP connection.
 *
 * <p>One thread uses it.
 */
public final class Connected implements AutoCloseable {
    private static final int QUEUE_ENTRIES = 256;
    private static final long COMPLETION_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);

    private final RxeNic nic;
    private final ByteBuffer memory;
    private final MemoryRegion region;
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private final WorkCompletion completion = new WorkCompletion();
    private long peerAddress;
    private int peerKey;

    private Connected(RxeNic nic, int memoryBytes) {
        // api.md: resources begins
        this.nic = nic;
        Device device = nic.device();
        ProtectionDomain domain = device.allocateProtectionDomain();
        memory = ByteBuffer.allocateDirect(memoryBytes);
        region = domain.register(memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE);
        completions = device.createCompletionQueue(2 * QUEUE_ENTRIES);
        queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions)
            .withRequests(QUEUE_ENTRIES, QUEUE_ENTRIES));
        // api.md: resources ends
    }

    /**
     * Opens a NIC and connects it.
     *
     * @param memoryBytes size of the memory region, which the peer may read and write.
     * @param control     TCP connection to the peer.
     * @throws IOException if the NIC cannot be opened or the peer goes away.
     */
    public static Connected open(RxeNicOptions options, int memoryBytes, Socket control) throws IOException {
        Connected connected = new Connected(RxeNic.open(options), memoryBytes);
        boolean ready = false;
        try {
            connected.connect(control);
            ready = true;
        } finally {
            if (!ready) {
                connected.close();
            }
        }
        return connected;
    }

    private void connect(Socket control) throws IOException {
        // api.md: connect begins
        int psn = new SecureRandom().nextInt(1 << 24);
        DataOutputStream out = new DataOutputStream(control.getOutputStream());
        out.writeLong(nic.device().gid().high());
        out.writeLong(nic.device().gid().low());
        out.writeInt(nic.device().udpPort());
        out.writeInt(queuePair.number());
        out.writeInt(psn);
        out.writeLong(region.address());
        out.writeInt(region.rKey());
        DataInputStream in = new DataInputStream(control.getInputStream());
        AddressVector peer = AddressVector.to(new Gid(in.readLong(), in.readLong()), in.readInt());
        int peerNumber = in.readInt();
        int peerPsn = in.readInt();
        peerAddress = in.readLong();
        peerKey = in.readInt();
        queuePair.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE));
        queuePair.modify(QueuePairAttributes.toReadyToReceive(peer, PathMtu.MTU_1024, peerNumber, peerPsn));
        queuePair.modify(QueuePairAttributes.toReadyToSend(psn));
        // api.md: connect ends
    }

    /** Waits until the peer calls it too. Call it after posting receives, so that neither side sends before the other is ready. */
    public void synchronize(Socket control) throws IOException {
        control.getOutputStream().write(1);
        if (control.getInputStream().read() != 1) {
            throw new IOException("the peer went away before it was ready");
        }
    }

    /** The registered memory. */
    public ByteBuffer memory() {
        return memory;
    }

    public MemoryRegion region() {
        return region;
    }

    public QueuePair queuePair() {
        return queuePair;
    }

    /** Posts a request; these programs never have more outstanding than fit in the queue. */
    public void post(WorkRequest request) {
        // api.md: posting begins
        if (!queuePair.postSend(request)) {
            throw new IllegalStateException("the send queue is full: take completions first");
        }
        // api.md: posting ends
    }

    /** Posts a receive request. */
    public void post(ReceiveRequest request) {
        if (!queuePair.postReceive(request)) {
            throw new IllegalStateException("the receive queue is full: take completions first");
        }
    }

    /** An address in the peer's memory region. */
    public long peerAddress(long offset) {
        return peerAddress + offset;
    }

    /** The key of the peer's memory region. */
    public int peerKey() {
        return peerKey;
    }

    /**
     * Waits for the next completion.
     *
     * @return valid until the next call.
     * @throws IOException if a request failed, or nothing completed for a minute; the message says why.
     */
    public WorkCompletion next() throws IOException {
        // api.md: completion begins
        long endNs = System.nanoTime() + COMPLETION_TIMEOUT_NS;
        while (!completions.poll(completion)) {
            if (System.nanoTime() > endNs) {
                throw new IOException("nothing completed for " + TimeUnit.NANOSECONDS.toSeconds(COMPLETION_TIMEOUT_NS)
                    + " s: is the peer there?");
            }
            Thread.yield();
        }
        if (!completion.isSuccess()) {
            throw new IOException(completion.operation() + " failed: " + completion.status() + ": " + completion.explanation());
        }
        return completion;
        // api.md: completion ends
    }

    @Override
    public void close() {
        nic.close();
    }
}
