package io.rxe.tools;

import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Device;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/** The program of README.md, made to run: the lines between the two marks are those lines. */
final class ReadmeExample {
    /** What each side tells the other, for example over TCP. */
    record Contact(AddressVector address, int qpn, int psn, long memory, int rKey) {
    }

    private ReadmeExample() {
    }

    static CompletionStatus run(RxeNicOptions options, Function<Contact, Contact> trade) throws IOException {
        // README begins
        try (RxeNic nic = RxeNic.open(options)) {
            Device device = nic.device();
            ProtectionDomain domain = device.allocateProtectionDomain();
            ByteBuffer memory = ByteBuffer.allocateDirect(1 << 20);
            MemoryRegion region = domain.register(memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
            CompletionQueue completions = device.createCompletionQueue(128);
            QueuePair queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions));
            AddressVector here = AddressVector.to(device.gid(), device.udpPort());
            Contact peer = trade.apply(new Contact(here, queuePair.number(), 100, region.address(), region.rKey()));
            queuePair.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE));
            queuePair.modify(QueuePairAttributes.toReadyToReceive(peer.address(), PathMtu.MTU_1024, peer.qpn(), peer.psn()));
            queuePair.modify(QueuePairAttributes.toReadyToSend(100));
            memory.put(0, "hello, peer".getBytes(StandardCharsets.UTF_8));
            queuePair.postSend(new WorkRequest().id(1).write(peer.memory(), peer.rKey()).add(region, 0, 11));
            WorkCompletion done = new WorkCompletion();
            while (!completions.poll(done)) {
                Thread.onSpinWait();
            }
            return done.status();
        }
        // README ends
    }
}
