package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.ConnectionService;
import io.rxe.port.MulticastPort;
import io.rxe.port.SameThread;
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
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.DropReason;
import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The broadcast address of a subnet is no peer: nothing is sent to it, and no datagram from it reaches who would answer it. */
class BroadcastTest {
    private static final Gid BROADCAST = Gid.parse("10.0.0.255");
    private static final int KEY = 0x4711;

    private final Nic nic = nic("10.0.0.1", Set.of(BROADCAST));
    private final ProtectionDomain domain = nic.allocateProtectionDomain();
    private final CompletionQueue completions = nic.createCompletionQueue(16);

    private static Nic nic(String address, Set<Gid> broadcasts) {
        return new Nic(TestConfig.of(List.of(Gid.parse(address)), 4791, PathMtu.MTU_1024, 1, NicConfig.DEFAULT_WINDOW_BYTES, broadcasts),
            new Random(5)::nextInt, List.of(SameThread.INLINE), MulticastPort.NONE, null);
    }

    private static void assertRefused(Executable call, String what) {
        assertEquals(what + " is the broadcast address of a subnet: use the unicast address of one host",
            assertThrows(IllegalArgumentException.class, call).getMessage());
    }

    @Test
    @DisplayName("queue pairs, address handles and connects refuse it by name")
    void nothingIsSentToIt() {
        QueuePair pair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions));
        pair.modify(QueuePairAttributes.toInit(0));
        AddressVector everybody = AddressVector.to(BROADCAST);
        assertRefused(() -> pair.modify(QueuePairAttributes.toReadyToReceive(everybody, PathMtu.MTU_1024, 0x42, 0)),
            "ADDRESS_VECTOR destination ::ffff:10.0.0.255");
        assertEquals(QueuePairState.INIT, pair.state());
        assertRefused(() -> domain.createAddressHandle(everybody), "destination ::ffff:10.0.0.255");
        ConnectionService connections = ConnectionService.open(nic);
        CmEventChannel channel = new CmEventChannel();
        assertRefused(() -> connections.connector(channel).connect(pair, BROADCAST, 7471, new ConnectParameters()),
            "peer ::ffff:10.0.0.255");
        pair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(Gid.parse("10.0.0.254")), PathMtu.MTU_1024, 0x42, 0));
        assertEquals(QueuePairState.RTR, pair.state());
    }

    @Test
    @DisplayName("R16 datagrams from it are dropped before their ICRC is computed, for UD queue pairs and for queue pair 1")
    void nothingIsTakenFromIt() {
        ConnectionService.open(nic);
        QueuePair receiver = datagramPair(domain, completions, KEY);
        receiver.postReceive(new ReceiveRequest().add(region(domain), 0, 1064));
        Nic sender = nic(BROADCAST.toString(), Set.of());
        sendTo(sender, receiver.number(), KEY);
        sendTo(sender, Gsi.QPN, Gsi.QUEUE_KEY);
        assertEquals(2, nic.counter(DropReason.WRONG_SOURCE_ADDRESS));
        assertFalse(completions.poll(new WorkCompletion()));
        sendTo(nic("10.0.0.254", Set.of()), receiver.number(), KEY);
        assertEquals(2, nic.counter(DropReason.WRONG_SOURCE_ADDRESS));
        assertEquals(true, completions.poll(new WorkCompletion()), "a datagram of a host is accepted");
    }

    private static QueuePair datagramPair(ProtectionDomain domain, CompletionQueue completions, int key) {
        QueuePair pair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.UD, completions, completions));
        pair.modify(QueuePairAttributes.to(QueuePairState.INIT).partitionKeyIndex(0).port(1).queueKey(key));
        pair.modify(QueuePairAttributes.to(QueuePairState.RTR));
        pair.modify(QueuePairAttributes.to(QueuePairState.RTS).sendPsn(0));
        return pair;
    }

    private static MemoryRegion region(ProtectionDomain domain) {
        return domain.register(ByteBuffer.allocateDirect(2048), AccessFlags.LOCAL_WRITE);
    }

    private void sendTo(Nic sender, int number, int key) {
        ProtectionDomain senderDomain = sender.allocateProtectionDomain();
        QueuePair pair = datagramPair(senderDomain, sender.createCompletionQueue(4), key);
        pair.postSend(new WorkRequest().send().add(region(senderDomain), 0, 256)
            .to(senderDomain.createAddressHandle(AddressVector.to(nic.gid())), number, key));
        NicPair.Link link = new NicPair.Link();
        sender.engine(0).poll(1, link);
        assertEquals(1, link.deliver(nic, 1));
    }
}
