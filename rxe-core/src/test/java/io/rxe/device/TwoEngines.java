package io.rxe.device;

import io.rxe.port.EngineThread;
import io.rxe.port.MulticastPort;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.wire.Gid;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A NIC with two engines, and a queue pair on each with one receive posted. */
final class TwoEngines {
    final Nic nic;
    final CompletionQueue queue;
    final List<QueuePair> pairs = new ArrayList<>();

    TwoEngines(EngineThread thread) {
        Random random = new Random(7);
        nic = new Nic(TestConfig.of(Gid.parse("10.0.0.3"), 4791, PathMtu.MTU_4096, 2), random::nextInt,
            List.of(thread, thread), MulticastPort.NONE, null);
        queue = nic.createCompletionQueue(64);
        ProtectionDomain domain = nic.allocateProtectionDomain();
        for (int i = 0; i < 2; i++) {
            QueuePair pair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, queue, queue));
            pair.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE));
            pair.postReceive(new ReceiveRequest().id(i));
            pairs.add(pair);
        }
    }
}
