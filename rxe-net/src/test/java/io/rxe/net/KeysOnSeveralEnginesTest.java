package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AllocatedRegion;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Device;
import io.rxe.verbs.MemoryBinding;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.MemoryWindow;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Keys that begin and end by work requests, used by queue pairs of all engines, over loopback. */
class KeysOnSeveralEnginesTest {
    private static final int BYTES = 1 << 16;
    private static final int ALL = AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE;
    private static final int ROUNDS = 50;
    private static final int WRITES = 100;
    private static final long TIMEOUT_NS = 60_000_000_000L;

    /** One NIC with a queue pair for each engine, in one domain. */
    private static final class Side {
        private final Device device;
        private final ProtectionDomain domain;
        private final CompletionQueue queue;
        private final List<QueuePair> pairs = new ArrayList<>();
        private final ByteBuffer memory = ByteBuffer.allocateDirect(BYTES);
        private final MemoryRegion region;

        Side(RxeNic nic, int count) {
            device = nic.device();
            domain = device.allocateProtectionDomain();
            queue = device.createCompletionQueue(1024);
            region = domain.register(memory, ALL);
            for (int i = 0; i < count; i++) {
                pairs.add(domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, queue, queue).withRequests(256, 16)));
            }
        }

        void connect(Side peer) {
            for (int i = 0; i < pairs.size(); i++) {
                QueuePair pair = pairs.get(i);
                pair.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE));
                pair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(peer.device.gid(), peer.device.udpPort()),
                    PathMtu.MTU_1024, peer.pairs.get(i).number(), 5));
                pair.modify(QueuePairAttributes.toReadyToSend(5));
            }
        }

        WorkCompletion next() {
            WorkCompletion completion = new WorkCompletion();
            long endNs = System.nanoTime() + TIMEOUT_NS;
            while (!queue.poll(completion)) {
                assertTrue(System.nanoTime() < endNs, "a completion arrives");
                Thread.onSpinWait();
            }
            return completion;
        }

        void succeeds(int pair, WorkRequest request) {
            assertTrue(pairs.get(pair).postSend(request));
            WorkCompletion completion = next();
            assertTrue(completion.isSuccess(), completion::toString);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, false", "2, false", "4, false", "2, true"})
    @DisplayName("W4 W6 a key that LOCAL_INV ended grants nothing on any engine, however busy or asleep they are")
    void keysEndOnEveryEngine(int engines, boolean spin) throws Exception {
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1", "127.0.0.2"));
        try (RxeNic one = RxeNic.open(options.withEngines(engines).withSpin(spin));
             RxeNic two = RxeNic.open(options.withAddress("127.0.0.2"))) {
            // The last queue pair serves nothing: a refused WRITE would flush its LOCAL_INV.
            Side owner = new Side(one, engines + 1);
            Side peer = new Side(two, engines + 1);
            owner.connect(peer);
            peer.connect(owner);
            AllocatedRegion registered = owner.domain.allocateRegion(1);
            registered.map(0, owner.memory);
            for (int round = 0; round < ROUNDS; round++) {
                int by = round % engines;
                owner.succeeds(by, new WorkRequest().id(1).registerMemory(registered, registered.nextKey(), ALL));
                for (int i = 0; i < engines; i++) {
                    peer.memory.putInt(0, round);
                    peer.succeeds(i, new WorkRequest().id(2).write(4L * i, registered.rKey()).add(peer.region, 0, 4));
                    assertEquals(round, owner.memory.getInt(4 * i));
                }
                owner.succeeds((by + 1) % engines, new WorkRequest().id(3).localInvalidate(registered.rKey()));
            }
            owner.succeeds(0, new WorkRequest().id(4).registerMemory(registered, registered.nextKey(), ALL));
            endUnderTraffic(owner, peer, registered.rKey(), 0, engines,
                () -> owner.succeeds(engines, new WorkRequest().id(6).localInvalidate(registered.rKey())));
        }
    }

    @ParameterizedTest
    @CsvSource({"1, false", "2, false", "2, true"})
    @DisplayName("W2 W3 where a window of type 1 was bound, nothing arrives once it is bound elsewhere, whatever the moment")
    void windowsThatAreBoundElsewhere(int engines, boolean spin) throws Exception {
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1", "127.0.0.2"));
        try (RxeNic one = RxeNic.open(options.withEngines(engines).withSpin(spin));
             RxeNic two = RxeNic.open(options.withAddress("127.0.0.2"))) {
            Side owner = new Side(one, engines + 1);
            Side peer = new Side(two, engines + 1);
            owner.connect(peer);
            peer.connect(owner);
            MemoryWindow window = owner.domain.allocateWindow(MemoryWindowType.TYPE_1);
            MemoryRegion elsewhere = owner.domain.register(ByteBuffer.allocateDirect(BYTES), ALL);
            bind(owner, engines, window, owner.region);
            endUnderTraffic(owner, peer, window.rKey(), owner.region.address(), engines, () -> bind(owner, engines, window, elsewhere));
        }
    }

    private static void bind(Side owner, int by, MemoryWindow window, MemoryRegion region) {
        MemoryBinding all = new MemoryBinding(region, region.address(), BYTES, AccessFlags.REMOTE_WRITE);
        assertTrue(owner.pairs.get(by).bindWindow(new WorkRequest().id(7).bindWindow(window, all)));
        WorkCompletion bound = owner.next();
        assertTrue(bound.isSuccess(), bound::toString);
    }

    /** All queue pairs write while the key ends. Whatever the moment, no byte arrives once its end has completed. */
    private static void endUnderTraffic(Side owner, Side peer, int rKey, long address, int engines, Runnable end) {
        for (int i = 0; i < BYTES; i++) {
            peer.memory.put(i, (byte) 1);
        }
        for (QueuePair pair : peer.pairs.subList(0, engines)) {
            for (int i = 0; i < WRITES; i++) {
                assertTrue(pair.postSend(new WorkRequest().id(5).write(address, rKey).add(peer.region, 0, BYTES)));
            }
        }
        UnsafeBuffer written = new UnsafeBuffer(owner.memory);
        long endNs = System.nanoTime() + TIMEOUT_NS;
        while (written.getByteVolatile(BYTES - 1) != 1) {
            assertTrue(System.nanoTime() < endNs, "a WRITE arrives");
            Thread.onSpinWait();
        }
        end.run();
        for (int i = 0; i < BYTES; i++) {
            owner.memory.put(i, (byte) 0);
        }
        int refused = 0;
        for (int i = 0; i < WRITES * engines; i++) {
            refused += peer.next().status() == CompletionStatus.REM_ACCESS_ERR ? 1 : 0;
        }
        for (int i = 0; i < BYTES; i++) {
            assertEquals(0, owner.memory.get(i), "byte " + i + " was written after the key had ended");
        }
        assertFalse(refused > engines, refused + " refusals by " + engines + " queue pairs");
    }

    @ParameterizedTest
    @CsvSource({"1", "2"})
    @DisplayName("W2 W3 a window of type 1 is bound by one engine's queue pair and served by another's")
    void windowsServeEveryEngine(int engines) throws Exception {
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1", "127.0.0.2"));
        try (RxeNic one = RxeNic.open(options.withEngines(engines)); RxeNic two = RxeNic.open(options.withAddress("127.0.0.2"))) {
            Side owner = new Side(one, engines);
            Side peer = new Side(two, engines);
            owner.connect(peer);
            peer.connect(owner);
            MemoryWindow window = owner.domain.allocateWindow(MemoryWindowType.TYPE_1);
            for (int round = 0; round < ROUNDS; round++) {
                MemoryBinding part = new MemoryBinding(owner.region, owner.region.address() + round, 8, AccessFlags.REMOTE_WRITE);
                assertTrue(owner.pairs.get(round % engines).bindWindow(new WorkRequest().id(1).bindWindow(window, part)));
                WorkCompletion bound = owner.next();
                assertTrue(bound.isSuccess(), bound::toString);
                for (int i = 0; i < engines; i++) {
                    peer.memory.putLong(0, round + 1);
                    peer.succeeds(i, new WorkRequest().id(2).write(part.address(), window.rKey()).add(peer.region, 0, 8));
                    assertEquals(round + 1, owner.memory.getLong(round));
                }
            }
        }
    }
}
