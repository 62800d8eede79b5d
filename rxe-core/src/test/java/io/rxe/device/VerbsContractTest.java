package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.port.MulticastPort;
import io.rxe.port.SameThread;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.MemoryRegion;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The contract of the verbs: arguments, error messages, completion channels, closing. */
class VerbsContractTest {
    private final NicPair pair = new NicPair();

    private static String refused(Executable call) {
        return assertThrows(IllegalArgumentException.class, call).getMessage();
    }

    private static void says(String text, String... words) {
        for (String word : words) {
            assertTrue(text.contains(word), () -> "no '" + word + "' in: " + text);
        }
    }

    @Test
    void memoryTheNicCannotUseIsRejected() {
        ProtectionDomain domain = pair.left.domain;
        says(refused(() -> domain.register(ByteBuffer.allocate(8), 0)), "heap", "allocateDirect");
        says(refused(() -> domain.register(ByteBuffer.allocateDirect(8).asReadOnlyBuffer(), AccessFlags.LOCAL_WRITE)), "read-only");
        says(refused(() -> domain.register(ByteBuffer.allocateDirect(8), AccessFlags.REMOTE_WRITE)), "LOCAL_WRITE");
        says(refused(() -> domain.register(ByteBuffer.allocateDirect(8), 1 << 29)), "unknown bits");
        says(refused(() -> domain.register(0, 0)), "at least one");
        assertDoesNotThrow(() -> domain.register(ByteBuffer.allocateDirect(8).asReadOnlyBuffer(), AccessFlags.REMOTE_READ));
    }

    @Test
    @DisplayName("R9 R10 no atomic can ever cross from one buffer of a region into the next")
    void atomicsNeedEveryBufferAligned() {
        ProtectionDomain domain = pair.left.domain;
        int atomic = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ATOMIC;
        says(refused(() -> domain.register(atomic, 4, ByteBuffer.allocateDirect(64))), "8 byte alignment");
        says(refused(() -> domain.register(atomic, 0, ByteBuffer.allocateDirect(12), ByteBuffer.allocateDirect(12))), "8 byte alignment");
        says(refused(() -> domain.register(atomic, 0, ByteBuffer.allocateDirect(16), ByteBuffer.allocateDirect(64).position(4))),
            "8 byte alignment");
        assertDoesNotThrow(() -> domain.register(atomic, 0, ByteBuffer.allocateDirect(16), ByteBuffer.allocateDirect(12)));
    }

    @Test
    @DisplayName("an empty buffer among others is left out of the region")
    void anEmptyBufferAmongOthersIsLeftOut() {
        ByteBuffer full = ByteBuffer.allocateDirect(16);
        MemoryRegion region = pair.right.domain.register(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE, 0,
            ByteBuffer.allocateDirect(0), full, ByteBuffer.allocateDirect(0), ByteBuffer.allocateDirect(8));
        assertEquals(24, region.length());
        pair.left.memory.put(0, (byte) 7).put(19, (byte) 9);
        pair.left.post(new WorkRequest().id(1).write(0, region.rKey()).add(pair.left.region, 0, 20));
        pair.run();
        assertEquals(CompletionStatus.SUCCESS, pair.left.take(1).status());
        assertEquals(7, full.get(0));
        assertEquals(0, pair.right.domain.register(0, 0, ByteBuffer.allocateDirect(0)).length());
    }

    @Test
    void keysAreNeverZeroAndNeverInUseTwice() {
        List<Integer> keys = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            keys.add(pair.left.domain.register(ByteBuffer.allocateDirect(8), 0).rKey());
        }
        assertEquals(100, keys.stream().distinct().count());
        assertFalse(keys.contains(0));
    }

    @Test
    void aRegionIsAddressedAsItWasRegistered() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(64);
        MemoryRegion own = pair.left.domain.register(buffer, 0);
        assertNotEquals(0, own.address());
        assertEquals(0, pair.left.domain.register(0, 0, buffer).address());
        assertEquals(1L << 40, pair.left.domain.register(0, 1L << 40, buffer, buffer).address());
        assertEquals(128, pair.left.domain.register(0, 1L << 40, buffer, buffer).length());
    }

    @Test
    void requestsBeyondTheLimitsOfTheQueuePairAreRejected() {
        QueuePair qp = pair.left.pair;
        WorkRequest fiveElements = new WorkRequest().send();
        ReceiveRequest fiveReceives = new ReceiveRequest();
        for (int i = 0; i < 5; i++) {
            fiveElements.add(pair.left.region, 0, 1);
            fiveReceives.add(pair.left.region, 0, 1);
        }
        says(refused(() -> qp.postSend(fiveElements)), "5 elements", "maxSendElements 4");
        says(refused(() -> qp.postReceive(fiveReceives)), "5 elements", "maxReceiveElements 4");
        says(refused(() -> qp.postSend(new WorkRequest().send().inline(ByteBuffer.allocate(9)))), "9 bytes", "maxInlineBytes 8");
        says(refused(() -> qp.postSend(new WorkRequest().read(0, 0).inline(ByteBuffer.allocate(4)))), "RDMA_READ", "inline");
        says(refused(() -> qp.postSend(new WorkRequest().atomicWrite(4, 0).add(pair.left.region, 0, 8))), "0x4", "8 byte alignment");
        WorkRequest long2g = new WorkRequest().send().add(0, Integer.MAX_VALUE, 0).add(0, Integer.MAX_VALUE, 0);
        says(refused(() -> qp.postSend(long2g)), String.valueOf(2L * Integer.MAX_VALUE), "split");
        assertEquals(0, qp.outstandingSends());
    }

    @Test
    @DisplayName("Q2 a request that an API above refuses completes with LOC_QP_OP_ERR, and nothing of it is sent")
    void refusedRequestsComplete() {
        MemoryRegion target = pair.right.region;
        pair.left.post(new WorkRequest().id(1).write(target.address(), target.rKey()).add(pair.left.region, 0, 8).refuse("not today"));
        pair.run();
        WorkCompletion completion = pair.left.take(1);
        assertEquals(CompletionStatus.LOC_QP_OP_ERR, completion.status());
        assertEquals("not today", completion.explanation());
        assertEquals(QueuePairState.ERROR, pair.left.pair.state());
    }

    @Test
    @DisplayName("R9 an atomic at an address that is no multiple of 8 is refused by the peer, not when it is posted")
    void misalignedAtomicsArePosted() {
        pair.left.post(new WorkRequest().id(1).fetchAndAdd(pair.right.region.address() + 4, pair.right.region.rKey(), 1)
            .add(pair.left.region, 0, 8));
        pair.run();
        WorkCompletion completion = pair.left.take(1);
        assertEquals(CompletionStatus.REM_INV_REQ_ERR, completion.status());
        assertTrue(completion.explanation().contains("atomic operations need a remote address that is a multiple of 8"));
    }

    @Test
    void queuePairAndQueueSizesAreChecked() {
        CompletionQueue queue = pair.left.queue;
        QueuePairConfig config = QueuePairConfig.of(QueuePairType.RC, queue, queue);
        says(refused(() -> config.withRequests(0, 1)), "maxSendRequests 0");
        says(refused(() -> config.withRequests(1, 32769)), "maxReceiveRequests 32769", "32768");
        says(refused(() -> config.withElements(33, 1)), "maxSendElements 33", "32");
        says(refused(() -> config.withElements(1, 0)), "maxReceiveElements 0");
        says(refused(() -> config.withInline(4097)), "maxInlineBytes 4097", "4096");
        says(refused(() -> pair.leftNic.createCompletionQueue(0)), "0 entries");
        says(refused(() -> pair.leftNic.createCompletionQueue(Integer.MAX_VALUE)), "2147483647", "4194304");
        says(refused(() -> pair.rightNic.allocateProtectionDomain().createQueuePair(config)), "another device");
        says(refused(() -> TestConfig.of(Gid.parse("10.0.0.1"), 4791, PathMtu.MTU_1024, 0)), "engines 0");
        says(refused(() -> new AddressVector(Gid.parse("10.0.0.1"), 0, 0, 64)), "UDP port 0");
        says(refused(() -> PathMtu.ofBytes(1500)), "1500");
        says(refused(() -> PathMtu.largestFor(100)), "100");
        assertEquals(PathMtu.MTU_1024, PathMtu.largestFor(1500));
        assertEquals(PathMtu.MTU_4096, PathMtu.largestFor(4176));
        assertEquals(PathMtu.MTU_2048, PathMtu.largestFor(4175));
    }

    @Test
    void receivesCannotBePostedInReset() {
        QueuePair fresh = pair.left.domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, pair.left.queue, pair.left.queue));
        String text = assertThrows(IllegalStateException.class, () -> fresh.postReceive(new ReceiveRequest())).getMessage();
        says(text, "RESET", "INIT");
        assertEquals(QueuePairState.RESET, fresh.state());
    }

    @Test
    void postingToAFullQueueReturnsFalse() {
        int posted = 0;
        while (pair.left.pair.postSendDeferred(new WorkRequest().send())) {
            posted++;
        }
        assertEquals(128, posted);
        int receives = 0;
        while (pair.left.pair.postReceive(new ReceiveRequest())) {
            receives++;
        }
        assertEquals(128, receives);
    }

    @Test
    @DisplayName("an armed queue notifies its channel of the next completion, once")
    void anArmedQueueNotifiesOnce() throws InterruptedException {
        CompletionChannel channel = new CompletionChannel();
        NicPair.End end = pair.end(pair.leftNic, channel);
        NicPair.End peer = pair.end(pair.rightNic, null);
        pair.connect(end, peer);
        end.post(new WorkRequest().id(1).write(peer.region.address(), peer.region.rKey()).add(end.region, 0, 8));
        pair.run();
        assertNull(channel.await(0), "not armed");
        end.queue.requestNotification(false);
        assertNull(channel.await(0), "completions already in the queue must not notify");
        end.post(new WorkRequest().id(2).write(peer.region.address(), peer.region.rKey()).add(end.region, 0, 8));
        end.post(new WorkRequest().id(3).write(peer.region.address(), peer.region.rKey()).add(end.region, 0, 8));
        pair.run();
        assertSame(end.queue, channel.await(0));
        assertNull(channel.await(0));
        assertThrows(IllegalStateException.class, () -> peer.queue.requestNotification(false));
        channel.close();
        assertThrows(IllegalStateException.class, () -> channel.await(0));
    }

    @Test
    @DisplayName("armed for solicited only: an unsolicited receive does not notify, a solicited one and an error do")
    void solicitedOnlyMeansSolicitedOrFailed() throws InterruptedException {
        CompletionChannel channel = new CompletionChannel();
        NicPair.End end = pair.end(pair.leftNic, channel);
        NicPair.End peer = pair.end(pair.rightNic, null);
        pair.connect(end, peer);
        for (int i = 0; i < 3; i++) {
            end.pair.postReceive(new ReceiveRequest().add(end.region, 0, 64));
        }
        end.queue.requestNotification(true);
        peer.post(new WorkRequest().send().add(peer.region, 0, 8));
        pair.run();
        assertNull(channel.await(0));
        peer.post(new WorkRequest().send().add(peer.region, 0, 8).solicited(true));
        pair.run();
        assertSame(end.queue, channel.await(0));
        end.queue.requestNotification(true);
        end.pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        pair.run();
        assertSame(end.queue, channel.await(0));
    }

    @Test
    void completionsAreTakenInBatches() {
        for (int i = 0; i < 10; i++) {
            pair.left.post(new WorkRequest().id(i).write(pair.right.region.address(), pair.right.region.rKey())
                .add(pair.left.region, 0, 8));
        }
        pair.run();
        WorkCompletion[] batch = new WorkCompletion[4];
        for (int i = 0; i < 4; i++) {
            batch[i] = new WorkCompletion();
        }
        assertEquals(4, pair.left.queue.poll(batch));
        assertEquals(3, batch[3].workRequestId());
        assertEquals(4, pair.left.queue.poll(batch));
        assertEquals(2, pair.left.queue.poll(batch));
        assertEquals(9, batch[1].workRequestId());
        assertEquals(0, pair.left.queue.poll(batch));
    }

    @Test
    @DisplayName("resources close in any order, twice, with packets in flight, without a crash")
    void resourcesCloseInAnyOrder() {
        for (int seed = 0; seed < 100; seed++) {
            NicPair nics = new NicPair();
            for (int i = 0; i < 20; i++) {
                nics.right.pair.postReceive(new ReceiveRequest().add(nics.right.region, 0, 4096));
                nics.left.post(new WorkRequest().send().add(nics.left.region, 0, 3000));
                nics.left.post(new WorkRequest().read(nics.right.region.address(), nics.right.region.rKey())
                    .add(nics.left.region, 0, 5000));
            }
            List<AutoCloseable> resources = new ArrayList<>(List.of(nics.left.pair, nics.left.region, nics.left.queue, nics.left.domain,
                nics.right.pair, nics.right.region, nics.right.queue, nics.right.domain, nics.leftNic, nics.rightNic));
            resources.addAll(List.copyOf(resources));
            Collections.shuffle(resources, new Random(seed));
            for (AutoCloseable resource : resources) {
                nics.steps(2);
                assertDoesNotThrow(resource::close);
            }
            nics.steps(20);
            assertEquals(0, nics.leftNic.engine(0).poll(nics.nowNs(), nics.toRight));
            assertEquals(0, nics.rightNic.engine(0).poll(nics.nowNs(), nics.toLeft));
        }
    }

    @Test
    @DisplayName("Q2 R10 a region closed while packets arrive is not written any more")
    void aClosedRegionIsNotWritten() {
        pair.left.post(new WorkRequest().id(1).write(pair.right.region.address(), pair.right.region.rKey())
            .add(pair.left.region, 0, 1 << 16));
        pair.steps(1);
        pair.right.region.close();
        byte[] before = new byte[1 << 16];
        pair.right.memory.get(0, before);
        pair.run();
        byte[] after = new byte[1 << 16];
        pair.right.memory.get(0, after);
        assertEquals(-1, Arrays.mismatch(before, after));
        assertEquals(CompletionStatus.REM_ACCESS_ERR, pair.left.take(1).status());
    }

    @Test
    void aClosedDomainCreatesNothing() {
        ProtectionDomain domain = pair.left.domain;
        domain.close();
        assertThrows(IllegalStateException.class, () -> domain.register(ByteBuffer.allocateDirect(8), 0));
        assertThrows(IllegalStateException.class,
            () -> domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, pair.left.queue, pair.left.queue)));
    }

    @Test
    @DisplayName("P7 with several engines the queue pair number selects the engine")
    void numbersSelectTheirEngine() {
        Random random = new Random(1);
        Nic nic = new Nic(TestConfig.of(Gid.parse("10.0.0.1"), 4791, PathMtu.MTU_1024, 3), random::nextInt,
            List.of(SameThread.INLINE, SameThread.INLINE, SameThread.INLINE), MulticastPort.NONE, null);
        CompletionQueue queue = nic.createCompletionQueue(16);
        ProtectionDomain domain = nic.allocateProtectionDomain();
        for (int i = 0; i < 300; i++) {
            int number = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, queue, queue).withRequests(1, 1)).number();
            assertEquals(i % 3, number % 3);
        }
        assertThrows(IllegalArgumentException.class, () -> new Nic(TestConfig.of(Gid.parse("10.0.0.1"), 4791, PathMtu.MTU_1024, 2),
            random::nextInt, List.of(SameThread.INLINE), MulticastPort.NONE, null));
    }
}
