package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AlternatePath;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PathMigrationState;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * One end of a transfer over two paths: sends numbered messages whose bytes follow from their number, and checks those of the peer. Path
 * 1 is between the first ports of the NICs, path 2 between the second. One thread drives it.
 */
final class MigratingEnd implements AutoCloseable {
    static final int MESSAGE_BYTES = 32 * 1024;
    private static final int DEPTH = 8;
    private static final int PSN = 0xFFFF00;
    /** 268 ms; eight transmissions make a dead path, so that a busy machine that stops a thread for a second does not look like one. */
    private static final int TIMEOUT = 16;
    private static final int RETRIES = 7;

    /** Where a peer is. */
    record Peer(int number, int udpPort, List<Gid> ports) {
    }

    private final RxeNic nic;
    private final Device device;
    private final CompletionQueue sends;
    private final CompletionQueue receives;
    private final ByteBuffer memory = ByteBuffer.allocateDirect(2 * DEPTH * MESSAGE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final MemoryRegion region;
    private final WorkCompletion completion = new WorkCompletion();
    final QueuePair queuePair;
    private Peer peer;
    /** Messages posted, completed, and received with every byte right. */
    long posted;
    long completed;
    long received;
    int migrations;

    MigratingEnd(RxeNicOptions options) throws Exception {
        nic = RxeNic.open(options);
        device = nic.device();
        sends = device.createCompletionQueue(DEPTH);
        receives = device.createCompletionQueue(DEPTH);
        ProtectionDomain domain = device.allocateProtectionDomain();
        region = domain.register(memory, AccessFlags.ALL);
        queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, sends, receives).withRequests(DEPTH, DEPTH));
    }

    Device device() {
        return device;
    }

    void connectTo(MigratingEnd other, PathMtu mtu) {
        connectTo(new Peer(other.queuePair.number(), other.device.udpPort(), List.of(other.device.gid(1), other.device.gid(2))), mtu);
    }

    /** Connects over path 1, with path 2 as the alternate one. */
    void connectTo(Peer newPeer, PathMtu mtu) {
        peer = newPeer;
        queuePair.modify(QueuePairAttributes.toInit(AccessFlags.ALL));
        for (int slot = 0; slot < DEPTH; slot++) {
            postReceive(slot);
        }
        queuePair.modify(QueuePairAttributes.toReadyToReceive(address(1), mtu, peer.number(), PSN));
        queuePair.modify(QueuePairAttributes.toReadyToSend(PSN).timeout(TIMEOUT).retryCount(RETRIES)
            .alternatePath(new AlternatePath(address(2), 2, TIMEOUT)).pathMigrationState(PathMigrationState.REARM));
    }

    private AddressVector address(int port) {
        return AddressVector.to(peer.ports().get(port - 1), peer.udpPort());
    }

    /** Loads the path that is not in use, unless one is loaded. */
    void rearm() {
        QueuePairAttributes now = queuePair.query();
        if (now.alternatePath() == null) {
            int other = 3 - now.port();
            queuePair.modify(QueuePairAttributes.to(QueuePairState.RTS).pathMigrationState(PathMigrationState.REARM)
                .alternatePath(new AlternatePath(address(other), other, TIMEOUT)));
        }
    }

    boolean isArmed() {
        return queuePair.query().pathMigrationState() == PathMigrationState.ARMED;
    }

    /** The path in use, 1 or 2. */
    int path() {
        return queuePair.query().port();
    }

    private void postReceive(int slot) {
        assertTrue(queuePair.postReceive(new ReceiveRequest().id(slot).add(region, (DEPTH + slot) * (long) MESSAGE_BYTES,
            MESSAGE_BYTES)));
    }

    /** Takes completions and, while wanted, sends more messages. */
    void step(boolean isSending) {
        while (isSending && posted - completed < DEPTH) {
            int at = (int) (posted % DEPTH) * MESSAGE_BYTES;
            for (int i = 0; i < MESSAGE_BYTES; i += Long.BYTES) {
                memory.putLong(at + i, word(posted, i));
            }
            assertTrue(queuePair.postSend(new WorkRequest().id(posted).send().add(region, at, MESSAGE_BYTES)));
            posted++;
        }
        while (sends.poll(completion)) {
            assertTrue(completion.isSuccess(), completion::toString);
            assertEquals(completed, completion.workRequestId());
            completed++;
        }
        while (receives.poll(completion)) {
            assertTrue(completion.isSuccess(), completion::toString);
            int slot = (int) completion.workRequestId();
            check(slot);
            postReceive(slot);
        }
        for (AsyncEvent event = device.pollAsyncEvent(); event != null; event = device.pollAsyncEvent()) {
            // A packet of the peer may arrive between RTR and RTS.
            if (event.type() != AsyncEvent.Type.COMM_EST) {
                assertEquals(AsyncEvent.Type.PATH_MIG, event.type(), event::toString);
                migrations++;
            }
        }
    }

    private void check(int slot) {
        assertEquals(MESSAGE_BYTES, completion.byteLength());
        int at = (DEPTH + slot) * MESSAGE_BYTES;
        for (int i = 0; i < MESSAGE_BYTES; i += Long.BYTES) {
            if (memory.getLong(at + i) != word(received, i)) {
                throw new AssertionError("message " + received + " is wrong at byte " + i);
            }
        }
        received++;
    }

    private static long word(long message, int index) {
        return (message << 20 | index) * 0x9E37_79B9_7F4A_7C15L;
    }

    @Override
    public void close() {
        nic.close();
    }
}
