package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.port.MulticastPort;
import io.rxe.port.SameThread;
import io.rxe.verbs.AddressHandle;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import io.rxe.wire.Psn;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Limits of a device, and resources that are released in every order. */
class ResourceLimitsTest {
    private static final Gid GROUP = Gid.parse("239.1.2.3");

    /** Keeps which groups are joined, once for each join. */
    private static final class Memberships implements MulticastPort {
        private final List<Gid> joined = new ArrayList<>();

        @Override
        public void joinMulticast(Gid group) {
            joined.add(group);
        }

        @Override
        public void leaveMulticast(Gid group) {
            assertTrue(joined.remove(group), () -> group + " was left without a join");
        }
    }

    private final Memberships port = new Memberships();
    private final Nic nic = nic("10.0.0.1");
    private final ProtectionDomain domain = nic.allocateProtectionDomain();
    private final CompletionQueue queue = nic.createCompletionQueue(16);

    private Nic nic(String address) {
        return new Nic(TestConfig.of(Gid.parse(address), 4791, PathMtu.MTU_4096, 1), new Random(7)::nextInt, List.of(SameThread.INLINE),
            port, null);
    }

    private QueuePair datagramPair() {
        return domain.createQueuePair(QueuePairConfig.of(QueuePairType.UD, queue, queue));
    }

    @Test
    @DisplayName("a closed queue pair cannot join a multicast group, and nothing stays joined")
    void aClosedQueuePairCannotJoin() {
        QueuePair pair = datagramPair();
        pair.close();
        String text = assertThrows(IllegalStateException.class, () -> pair.attachMulticast(GROUP)).getMessage();
        assertTrue(text.contains("closed"), text);
        assertEquals(List.of(), port.joined);
    }

    @Test
    @DisplayName("each membership is left once: by detach, by close of the queue pair, of its domain or of the NIC")
    void everyMembershipIsLeftOnce() {
        QueuePair detached = datagramPair();
        detached.attachMulticast(GROUP);
        detached.attachMulticast(GROUP);
        assertEquals(List.of(GROUP), port.joined);
        assertTrue(detached.detachMulticast(GROUP));
        assertFalse(detached.detachMulticast(GROUP));
        assertEquals(List.of(), port.joined);
        detached.attachMulticast(GROUP);
        detached.close();
        assertThrows(IllegalStateException.class, () -> detached.detachMulticast(GROUP));
        assertEquals(List.of(), port.joined);
        datagramPair().attachMulticast(GROUP);
        domain.close();
        assertEquals(List.of(), port.joined);
        ProtectionDomain other = nic.allocateProtectionDomain();
        QueuePair last = other.createQueuePair(QueuePairConfig.of(QueuePairType.UD, queue, queue));
        last.attachMulticast(GROUP);
        nic.close();
        assertEquals(List.of(), port.joined);
    }

    @Test
    @DisplayName("an address handle of another device is refused at the post")
    void anAddressHandleOfAnotherDeviceIsRefused() {
        QueuePair pair = datagramPair();
        pair.modify(QueuePairAttributes.to(QueuePairState.INIT).partitionKeyIndex(0).port(1).queueKey(1));
        pair.modify(QueuePairAttributes.to(QueuePairState.RTR));
        pair.modify(QueuePairAttributes.to(QueuePairState.RTS).sendPsn(0));
        AddressVector peer = AddressVector.to(Gid.parse("10.0.0.9"));
        AddressHandle own = domain.createAddressHandle(peer);
        AddressHandle foreign = nic("10.0.0.2").allocateProtectionDomain().createAddressHandle(peer);
        assertDoesNotThrow(() -> pair.postSend(new WorkRequest().send().to(own, 5, 1)));
        String text = assertThrows(IllegalArgumentException.class, () -> pair.postSend(new WorkRequest().send().to(foreign, 5, 1)))
            .getMessage();
        assertTrue(text.contains("10.0.0.2") && text.contains("10.0.0.1") && text.contains("another device"), text);
        assertEquals(1, pair.outstandingSends());
    }

    @Test
    @DisplayName("no more queue pairs are created than the device says it can have")
    void theMaximumOfQueuePairsIsEnforced() {
        QueuePair pair = datagramPair();
        NicInspection.queuePairCount(nic).set(nic.attributes().maxQueuePairs());
        String text = assertThrows(IllegalStateException.class, this::datagramPair).getMessage();
        assertTrue(text.contains(String.valueOf(nic.attributes().maxQueuePairs())), text);
        pair.close();
        datagramPair().close();
        assertEquals(nic.attributes().maxQueuePairs() - 1, NicInspection.queuePairCount(nic).get());
    }

    @Test
    @DisplayName("a queue pair is closed as a whole although there is no memory to keep its number from the next one")
    void aQueuePairIsClosedWithoutMemory() {
        QueuePair pair = datagramPair();
        pair.attachMulticast(GROUP);
        NicInspection.endMemoryOfNumbers(nic);
        pair.close();
        assertEquals(List.of(), port.joined);
        assertEquals(0, NicInspection.queuePairs(nic));
        assertEquals(0, NicInspection.queuePairCount(nic).get());
    }

    @Test
    @DisplayName("memory ends while a queue pair is created: neither engine, queue nor domain keep anything of it")
    void nothingIsKeptOfAQueuePairWithoutMemory() {
        NicInspection.endMemoryOfDomain(domain);
        assertThrows(OutOfMemoryError.class, this::datagramPair);
        assertEquals(0, NicInspection.queuePairs(nic));
        NicInspection.endMemoryOfTable(nic);
        assertThrows(OutOfMemoryError.class, this::datagramPair);
        assertEquals(0, NicInspection.queuePairs(nic));
        assertEquals(Set.of(), ((NicCompletionQueue) queue).users());
        assertEquals(0, NicInspection.queuePairCount(nic).get());
    }

    @Test
    @DisplayName("a queue pair number is found although every draw hits one in use, and none free is an error")
    void drawEndsWhateverTheEntropy() {
        int engines = 1 << 20;
        QueuePairTable table = new QueuePairTable(3, engines);
        NicPair pair = new NicPair();
        int numbers = (Psn.MASK + 1) / engines;
        for (int i = 0; i < numbers; i++) {
            int number = table.draw(() -> 0, 0);
            assertEquals(3, number % engines);
            NicInspection.add(table, number, pair.left.pair);
        }
        String text = assertThrows(IllegalStateException.class, () -> table.draw(() -> 0, 0)).getMessage();
        assertTrue(text.contains(String.valueOf(numbers)), text);
    }

    @Test
    @DisplayName("no queue pair has the number that stands for multicast: what is sent to it would go to the members of groups")
    void theNumberOfMulticastIsNotDrawn() {
        QueuePairTable table = new QueuePairTable(0, 1);
        assertEquals(2, table.draw(() -> Psn.MASK, 0));
    }
}
