package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** XRC over real sockets, with segmented sends and several engines. */
class XrcLoopbackTest {
    private static final int BYTES = 50_000;
    private static final long TIMEOUT_NS = 30_000_000_000L;
    private static final int PSN = 0xFFFFF0;

    @Test
    @DisplayName("X2, X3: long messages reach the shared receive queue they name, whichever engine has it")
    void longMessagesReachTheQueueTheyName() throws Exception {
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1", "127.0.0.2")).withEngines(2);
        try (RxeNic left = RxeNic.open(options); RxeNic right = RxeNic.open(options.withAddress("127.0.0.2"))) {
            for (int round = 0; round < 2; round++) {
                exchange(left, right, round);
            }
        }
    }

    private static void exchange(RxeNic left, RxeNic right, int seed) {
        ProtectionDomain domain = right.device().allocateProtectionDomain();
        XrcDomain xrcDomain = right.device().openXrcDomain();
        ByteBuffer received = ByteBuffer.allocateDirect(2 * BYTES);
        MemoryRegion receives = domain.register(received, AccessFlags.ALL);
        List<CompletionQueue> completions = new ArrayList<>();
        List<SharedReceiveQueue> queues = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            completions.add(right.device().createCompletionQueue(4));
            queues.add(domain.createSharedReceiveQueue(xrcDomain, completions.get(i), 4, 1));
            assertTrue(queues.get(i).postReceive(new ReceiveRequest().id(i).add(receives, (long) i * BYTES, BYTES)));
        }
        QueuePair target = xrcDomain.createQueuePair();
        ByteBuffer sent = ByteBuffer.allocateDirect(BYTES);
        byte[] data = new byte[BYTES];
        new Random(seed).nextBytes(data);
        sent.put(0, data);
        ProtectionDomain leftDomain = left.device().allocateProtectionDomain();
        MemoryRegion sends = leftDomain.register(sent, AccessFlags.LOCAL_WRITE);
        CompletionQueue done = left.device().createCompletionQueue(4);
        QueuePair initiator = leftDomain.createQueuePair(QueuePairConfig.of(QueuePairType.XRC_SEND, done, done));
        initiator.modify(QueuePairAttributes.toInit(0));
        initiator.modify(QueuePairAttributes.to(QueuePairState.RTR).addressVector(AddressVector.to(right.device().gid(),
            right.device().udpPort())).pathMtu(PathMtu.MTU_1024).destinationQpn(target.number()).receivePsn(0));
        initiator.modify(QueuePairAttributes.toReadyToSend(PSN));
        target.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE));
        target.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(left.device().gid(), left.device().udpPort()),
            PathMtu.MTU_1024, initiator.number(), PSN));
        for (int i = 1; i >= 0; i--) {
            assertTrue(initiator.postSend(new WorkRequest().send().id(i).add(sends, 0, BYTES)
                .toSharedReceiveQueue(queues.get(i).number())));
        }
        for (int i = 0; i < 2; i++) {
            await(done);
            WorkCompletion completion = await(completions.get(i));
            assertEquals(i, completion.workRequestId());
            assertEquals(target.number(), completion.queuePairNumber());
            byte[] there = new byte[BYTES];
            received.get(i * BYTES, there);
            assertArrayEquals(data, there);
        }
    }

    private static WorkCompletion await(CompletionQueue queue) {
        WorkCompletion completion = new WorkCompletion();
        long endNs = System.nanoTime() + TIMEOUT_NS;
        while (!queue.poll(completion)) {
            assertTrue(System.nanoTime() < endNs, "a completion arrives");
            Thread.onSpinWait();
        }
        assertTrue(completion.isSuccess(), completion::toString);
        return completion;
    }
}
