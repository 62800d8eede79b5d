package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.qp.AttributeLimits;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.DeviceAttributes;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkRequest;
import io.rxe.verbs.XrcDomain;
import io.rxe.wire.Gid;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Walks the limits that a device advertises: what reaches one is accepted, what exceeds it is refused, and none is left out. */
class DeviceLimitsTest {
    /** What the device states about itself, and no application can exceed. */
    private static final Set<String> STATEMENTS = Set.of("engines");

    private final NicPair pair = new NicPair();
    private final Nic nic = pair.leftNic;
    private final DeviceAttributes limits = nic.attributes();
    private final ProtectionDomain domain = nic.allocateProtectionDomain();
    private final CompletionQueue queue = nic.createCompletionQueue(16);
    private final ByteBuffer memory = ByteBuffer.allocateDirect(64);
    private final MemoryRegion region = domain.register(memory, AccessFlags.LOCAL_WRITE);
    private final Map<String, IntConsumer> uses = new LinkedHashMap<>();

    private QueuePairConfig config() {
        return QueuePairConfig.of(QueuePairType.RC, queue, queue);
    }

    private ReceiveRequest receive(int elements) {
        ReceiveRequest request = new ReceiveRequest();
        for (int i = 0; i < elements; i++) {
            request.add(region, 0, 1);
        }
        return request;
    }

    /** Uses as much of a resource as a limit says, and as much more as the argument says. */
    private void collect() {
        uses.put("maxQueueRequests", more -> {
            domain.createQueuePair(config().withRequests(limits.maxQueueRequests() + more, 1)).close();
            domain.createQueuePair(config().withRequests(1, limits.maxQueueRequests() + more)).close();
            domain.createSharedReceiveQueue(limits.maxQueueRequests() + more, 1).close();
        });
        uses.put("maxElements", more -> {
            domain.createSharedReceiveQueue(1, limits.maxElements() + more).close();
            QueuePair sender = pair.left.domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, pair.left.queue, pair.left.queue)
                .withElements(limits.maxElements() + more, limits.maxElements() + more));
            sender.modify(QueuePairAttributes.toInit(0));
            ReceiveRequest request = new ReceiveRequest();
            for (int i = 0; i < limits.maxElements() + more; i++) {
                request.add(pair.left.region, 0, 1);
            }
            assertTrue(sender.postReceive(request));
            sender.close();
        });
        uses.put("maxInlineBytes", more -> domain.createQueuePair(config().withInline(limits.maxInlineBytes() + more)).close());
        uses.put("maxCompletions", more -> nic.createCompletionQueue(limits.maxCompletions() + more).close());
        uses.put("maxMessageBytes", this::postLong);
        uses.put("maxReadAtomicResponder", more -> modified(QueuePairAttributes.toReadyToReceive(AddressVector.to(Gid.parse("10.0.0.9")),
            PathMtu.MTU_1024, 1, 0).maxDestRdAtomic(limits.maxReadAtomicResponder() + more)).close());
        uses.put("maxReadAtomicInitiator", more -> {
            QueuePair sender = modified(QueuePairAttributes.toReadyToReceive(AddressVector.to(Gid.parse("10.0.0.9")), PathMtu.MTU_1024, 1,
                0));
            sender.modify(QueuePairAttributes.toReadyToSend(0).maxRdAtomic(limits.maxReadAtomicInitiator() + more));
            sender.close();
        });
        uses.put("maxMappedBuffers", more -> domain.allocateRegion(limits.maxMappedBuffers() + more).close());
        uses.put("maxPorts", more -> {
            List<Gid> gids = IntStream.range(0, limits.maxPorts() + more).mapToObj(i -> Gid.parse("10.0.0." + (i + 1))).toList();
            assertEquals(limits.maxPorts(), TestConfig.of(gids, 4791, PathMtu.MTU_1024, 1, NicConfig.DEFAULT_WINDOW_BYTES).gids().size());
        });
        uses.put("maxQueuePairs", more -> counted(NicInspection.queuePairCount(nic)::set, limits.maxQueuePairs() - 1 + more, 0,
            () -> domain.createQueuePair(config()).close()));
        uses.put("maxMemoryKeys", more -> {
            int now = NicInspection.keys(nic);
            IntConsumer count = keys -> NicInspection.keyCount(nic, keys);
            counted(count, limits.maxMemoryKeys() - 1 + more, now, () -> domain.register(memory, 0).close());
            counted(count, limits.maxMemoryKeys() - 1 + more, now, () -> domain.allocateWindow(MemoryWindowType.TYPE_2).close());
            counted(count, limits.maxMemoryKeys() - 1 + more, now, () -> domain.allocateRegion(1).close());
        });
        uses.put("maxXrcReceiveQueues", more -> {
            XrcDomain xrc = nic.openXrcDomain();
            counted(used -> NicInspection.xrcNumberCount(nic, used), limits.maxXrcReceiveQueues() - 1 + more, 0,
                () -> domain.createSharedReceiveQueue(xrc, queue, 1, 1).close());
            xrc.close();
        });
    }

    /** Runs something while the device believes that it has a number of resources. */
    private static void counted(IntConsumer count, int pretended, int real, Runnable use) {
        count.accept(pretended);
        try {
            use.run();
        } finally {
            count.accept(real);
        }
    }

    private QueuePair modified(QueuePairAttributes toReadyToReceive) {
        QueuePair created = domain.createQueuePair(config());
        created.modify(QueuePairAttributes.toInit(0));
        created.modify(toReadyToReceive);
        return created;
    }

    /** A message of the same memory again and again. */
    private void postLong(int more) {
        int part = (1 << 26) + 4096;
        ByteBuffer big = ByteBuffer.allocateDirect(part);
        MemoryRegion bigRegion = pair.left.domain.register(big, AccessFlags.LOCAL_WRITE);
        QueuePair sender = pair.left.domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, pair.left.queue, pair.left.queue)
            .withElements(32, 32));
        sender.modify(QueuePairAttributes.toInit(0));
        sender.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(Gid.parse("10.0.0.9")), PathMtu.MTU_1024, 1, 0));
        sender.modify(QueuePairAttributes.toReadyToSend(0));
        WorkRequest request = new WorkRequest().send();
        long left = limits.maxMessageBytes() + more;
        while (left > 0) {
            int bytes = (int) Math.min(left, part);
            request.add(bigRegion, 0, bytes);
            left -= bytes;
        }
        try {
            assertTrue(sender.postSend(request));
        } finally {
            sender.close();
            bigRegion.close();
        }
    }

    @Test
    @DisplayName("every advertised limit can be reached and is enforced")
    void everyLimitIsEnforced() {
        collect();
        uses.forEach((name, use) -> {
            assertDoesNotThrow(() -> use.accept(0), name);
            RuntimeException refusal = assertThrows(RuntimeException.class, () -> use.accept(1), name);
            assertTrue(refusal instanceof IllegalArgumentException || refusal instanceof IllegalStateException, name + ": " + refusal);
            assertTrue(refusal.getMessage().matches(".*[0-9]{2,}.*"), name + ": " + refusal.getMessage());
        });
    }

    @Test
    @DisplayName("T4: the shortest ACK timeout is the advertised ACK delay")
    void theAckDelayIsThatOfTheTimer() {
        assertEquals(AttributeLimits.MIN_TIMEOUT_CODE, limits.localAckDelayCode());
        QueuePair shorter = modified(QueuePairAttributes.toReadyToReceive(AddressVector.to(Gid.parse("10.0.0.9")), PathMtu.MTU_1024, 1, 0));
        shorter.modify(QueuePairAttributes.toReadyToSend(0).timeout(limits.localAckDelayCode() - 1));
        assertEquals(QueuePairState.RTS, shorter.state());
    }

    @Test
    @DisplayName("no advertised limit is left out of the walk")
    void noLimitIsLeftOut() {
        collect();
        Set<String> known = new TreeSet<>(uses.keySet());
        known.addAll(STATEMENTS);
        known.add("localAckDelayCode");
        assertEquals(Arrays.stream(DeviceAttributes.class.getRecordComponents()).map(RecordComponent::getName)
            .collect(Collectors.toCollection(TreeSet::new)), known);
    }

    @Test
    @DisplayName("a request with one element more than granted is refused")
    void grantedElementsAreEnforced() {
        QueuePair created = domain.createQueuePair(config().withElements(2, 3));
        created.modify(QueuePairAttributes.toInit(0));
        int granted = created.capabilities().maxReceiveElements();
        assertTrue(created.postReceive(receive(granted)));
        assertThrows(IllegalArgumentException.class, () -> created.postReceive(receive(granted + 1)));
    }
}
