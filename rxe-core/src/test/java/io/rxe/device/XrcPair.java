package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
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
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.verbs.XrcDomain;
import java.nio.ByteBuffer;

/** The NICs of a {@link NicPair}, with an XRC connection from left to right and two shared receive queues at the right. */
final class XrcPair {
    static final int ACCESS = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC
        | AccessFlags.FLUSH_GLOBAL;
    static final int PSN = 0xFFFFFE;

    /** A shared receive queue with memory of a protection domain of its own. */
    static final class Port {
        final ProtectionDomain domain;
        final CompletionQueue completions;
        final SharedReceiveQueue queue;
        final ByteBuffer memory = ByteBuffer.allocateDirect(1 << 16);
        final MemoryRegion region;

        Port(Nic nic, XrcDomain xrcDomain) {
            domain = nic.allocateProtectionDomain();
            completions = nic.createCompletionQueue(16);
            queue = domain.createSharedReceiveQueue(xrcDomain, completions, 16, 1);
            region = domain.register(memory, ACCESS);
        }

        void post(long id, int offset, int bytes) {
            assertTrue(queue.postReceive(new ReceiveRequest().id(id).add(region, offset, bytes)));
        }

        WorkCompletion take(long id) {
            return XrcPair.take(completions, id);
        }
    }

    final NicPair nics = new NicPair();
    final ProtectionDomain leftDomain = nics.leftNic.allocateProtectionDomain();
    final CompletionQueue sent = nics.leftNic.createCompletionQueue(64);
    final ByteBuffer memory = ByteBuffer.allocateDirect(1 << 16);
    final MemoryRegion region = leftDomain.register(memory, ACCESS);
    final XrcDomain xrcDomain = nics.rightNic.openXrcDomain();
    final Port first = new Port(nics.rightNic, xrcDomain);
    final Port second = new Port(nics.rightNic, xrcDomain);
    final QueuePair initiator = leftDomain.createQueuePair(QueuePairConfig.of(QueuePairType.XRC_SEND, sent, sent).withInline(64));
    final QueuePair target = xrcDomain.createQueuePair("target");

    XrcPair() {
        connect(initiator, target);
    }

    void connect(QueuePair from, QueuePair to) {
        from.modify(QueuePairAttributes.toInit(0));
        from.modify(QueuePairAttributes.to(QueuePairState.RTR).addressVector(AddressVector.to(nics.rightNic.gid()))
            .pathMtu(PathMtu.MTU_1024).destinationQpn(to.number()).receivePsn(0));
        from.modify(QueuePairAttributes.toReadyToSend(PSN));
        to.modify(QueuePairAttributes.toInit(ACCESS & ~AccessFlags.LOCAL_WRITE));
        to.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(nics.leftNic.gid()), PathMtu.MTU_1024, from.number(), PSN));
    }

    /** Posts a request for a queue and runs until both NICs are idle. */
    void post(WorkRequest request, SharedReceiveQueue queue) {
        assertTrue(initiator.postSend(request.toSharedReceiveQueue(queue.number())));
        nics.run();
    }

    static WorkCompletion take(CompletionQueue queue, long id) {
        WorkCompletion completion = new WorkCompletion();
        assertTrue(queue.poll(completion), () -> "no completion of " + id);
        assertEquals(id, completion.workRequestId(), completion::toString);
        return completion;
    }
}
