package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertTrue;

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
import io.rxe.verbs.WorkCompletion;
import java.nio.ByteBuffer;

/** One end of a reliable connection with a memory region of its own. */
final class QueuePairLink {
    private static final long TIMEOUT_NS = 30_000_000_000L;

    final ByteBuffer memory;
    final MemoryRegion region;
    final QueuePair queuePair;
    private final Device device;
    private final CompletionQueue completions;

    QueuePairLink(Device device, int regionBytes) {
        this.device = device;
        memory = ByteBuffer.allocateDirect(regionBytes);
        completions = device.createCompletionQueue(256);
        ProtectionDomain domain = device.allocateProtectionDomain();
        region = domain.register(memory, AccessFlags.ALL);
        queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions));
    }

    /** Connects two ends. */
    static void connect(QueuePairLink one, QueuePairLink two, PathMtu mtu) {
        one.lead(two, mtu);
        two.lead(one, mtu);
    }

    private void lead(QueuePairLink peer, PathMtu mtu) {
        queuePair.modify(QueuePairAttributes.toInit(AccessFlags.ALL));
        queuePair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(peer.device.gid(), peer.device.udpPort()), mtu,
            peer.queuePair.number(), 0xFFFFF0));
        queuePair.modify(QueuePairAttributes.toReadyToSend(0xFFFFF0));
    }

    /** Waits for a completion, which must be a success. */
    WorkCompletion complete() {
        WorkCompletion completion = completion();
        assertTrue(completion.isSuccess(), completion.toString());
        return completion;
    }

    /** Waits for a completion of any kind. */
    WorkCompletion completion() {
        WorkCompletion completion = new WorkCompletion();
        long endNs = System.nanoTime() + TIMEOUT_NS;
        while (!completions.poll(completion)) {
            assertTrue(System.nanoTime() < endNs, "a completion comes");
            Thread.onSpinWait();
        }
        return completion;
    }
}
