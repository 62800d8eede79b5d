package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.fault.Verb;
import io.rxe.fault.VerbFaults;
import io.rxe.port.EcnOptions;
import io.rxe.port.MulticastPort;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.XrcDomain;
import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A command that fails leaves nothing behind of what was to be created, or closed")
class FailedCommandTest {
    private final FailingThread thread = new FailingThread();
    private final Nic nic = new Nic(TestConfig.of(Gid.parse("10.0.0.1"), 4791, PathMtu.MTU_1024, 1), new Random(7)::nextInt,
        List.of(thread), MulticastPort.NONE, null);

    private void failNext(Runnable verb) {
        thread.failAfter(0);
        assertEquals("a planted failure", assertThrows(IllegalStateException.class, verb::run).getMessage());
    }

    @Test
    @DisplayName("a domain closes its regions although closing a shared receive queue has failed")
    void aDomainClosesTheRest() {
        ProtectionDomain domain = nic.allocateProtectionDomain();
        domain.createSharedReceiveQueue(16, 1);
        MemoryRegion region = domain.register(ByteBuffer.allocateDirect(64), AccessFlags.LOCAL_WRITE);
        failNext(domain::close);
        assertTrue(region.toString().contains("closed"), region::toString);
        assertTrue(nic.domains().isEmpty(), () -> nic.domains().toString());
    }

    @Test
    @DisplayName("a region is closed again where its close has not waited for the engine")
    void aCloseIsRepeated() {
        MemoryRegion region = nic.allocateProtectionDomain().register(ByteBuffer.allocateDirect(64), AccessFlags.LOCAL_WRITE);
        failNext(region::close);
        failNext(region::close);
        failNext(region::deregister);
        region.close();
        region.close();
    }

    @Test
    @DisplayName("a queue pair and a shared receive queue are closed again where their engine did not run the command")
    void aCloseThatFailedIsRepeated() {
        ProtectionDomain domain = nic.allocateProtectionDomain();
        CompletionQueue completions = nic.createCompletionQueue(16);
        SharedReceiveQueue shared = domain.createSharedReceiveQueue(16, 1);
        QueuePair first = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions));
        QueuePair second = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions)
            .withSharedReceiveQueue(shared));
        second.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE));
        failNext(first::close);
        first.close();
        assertEquals(1, NicInspection.queuePairs(nic));
        assertEquals(1, NicInspection.queuePairCount(nic).get());
        failNext(shared::close);
        shared.close();
        assertEquals(QueuePairState.ERROR, second.state());
        failNext(second::close);
        domain.close();
        assertEquals(0, NicInspection.queuePairs(nic));
        assertTrue(domain.toString().contains(": 0 queue pairs, 0 shared receive queues"), domain::toString);
    }

    @Test
    @DisplayName("a completion queue fails each queue pair that uses it, although the engine of one did not run the command")
    void aCompletionQueueFailsAllItsUsers() {
        ProtectionDomain domain = nic.allocateProtectionDomain();
        CompletionQueue completions = nic.createCompletionQueue(16);
        List<QueuePair> users = List.of(domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions)),
            domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions)));
        users.forEach(user -> user.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE)));
        failNext(completions::close);
        assertEquals(1, users.stream().filter(user -> user.state() == QueuePairState.ERROR).count());
        completions.close();
        assertEquals(2, users.stream().filter(user -> user.state() == QueuePairState.ERROR).count());
    }

    @Test
    @DisplayName("an XRC shared receive queue that could not be entered is no member of its domain")
    void anXrcQueueThatFails() {
        XrcDomain xrcDomain = nic.openXrcDomain();
        ProtectionDomain domain = nic.allocateProtectionDomain();
        CompletionQueue completions = nic.createCompletionQueue(16);
        failNext(() -> domain.createSharedReceiveQueue(xrcDomain, completions, 16, 1));
        assertTrue(xrcDomain.toString().contains(": 0 shared receive queues"), xrcDomain::toString);
        SharedReceiveQueue next = domain.createSharedReceiveQueue(xrcDomain, completions, 16, 1);
        assertTrue(xrcDomain.toString().contains(": 1 shared receive queues"), () -> xrcDomain + " with " + next);
    }

    /** Creation of the n-th queue that asks about faults has no memory. */
    private static VerbFaults failingAt(int queue) {
        AtomicInteger before = new AtomicInteger(queue);
        return new VerbFaults() {
            @Override
            public boolean concerns(Verb verb) {
                if (verb == Verb.POLL_CQ || verb == Verb.POST_SRQ_RECV) {
                    if (before.getAndDecrement() == 0) {
                        throw new OutOfMemoryError("a planted failure");
                    }
                }
                return false;
            }
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    @DisplayName("an XRC domain that has no memory for one of its queues leaves no protection domain and no completion queue")
    void anXrcDomainThatFails(int queue) {
        Nic failing = new Nic(new NicConfig(List.of(Gid.parse("10.0.0.1")), 4791, PathMtu.MTU_1024, 1, NicConfig.DEFAULT_WINDOW_BYTES,
            Set.of(), NicConfig.DEFAULT_REORDER_BYTES, NicConfig.DEFAULT_PATH_BYTES, PartitionKeys.DEFAULT, EcnOptions.OFF,
            CongestionOptions.DELAY, failingAt(queue)), new Random(7)::nextInt, List.of(thread), MulticastPort.NONE, null);
        assertThrows(OutOfMemoryError.class, failing::openXrcDomain);
        assertTrue(failing.domains().isEmpty(), () -> failing.domains().toString());
        assertTrue(failing.completionQueues().isEmpty(), () -> failing.completionQueues().toString());
        failing.openXrcDomain().close();
    }
}
