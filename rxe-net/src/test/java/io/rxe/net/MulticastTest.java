package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.NicCounter;
import io.rxe.net.port.NetCounter;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.Warnings;
import io.rxe.net.socket.DirectUdpPort;
import io.rxe.net.socket.SocketOpener;
import io.rxe.port.Progress;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
import io.rxe.verbs.MemoryRegion;
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
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Datagrams to multicast groups, between NICs on real sockets. */
class MulticastTest {
    private static final int QUEUE_KEY = 0x1234_5678;
    private static final int BYTES = 1000;
    private static final int GRH_BYTES = 40;
    private static final int POSTED = 100;
    private static final long TIMEOUT_NS = 30_000_000_000L;

    /** A UD queue pair in RTS with a memory region. */
    private static final class Member {
        final QueuePair queuePair;
        private final ByteBuffer memory = ByteBuffer.allocateDirect(1 << 16);
        private final ProtectionDomain domain;
        private final MemoryRegion region;
        private final CompletionQueue completions;

        Member(Device device) {
            domain = device.allocateProtectionDomain();
            completions = device.createCompletionQueue(64);
            region = domain.register(memory, AccessFlags.ALL);
            queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.UD, completions, completions));
            queuePair.modify(QueuePairAttributes.to(QueuePairState.INIT).port(1).partitionKeyIndex(0).queueKey(QUEUE_KEY));
            queuePair.modify(QueuePairAttributes.to(QueuePairState.RTR));
            queuePair.modify(QueuePairAttributes.to(QueuePairState.RTS).sendPsn(0));
        }

        void postReceive() {
            assertTrue(queuePair.postReceive(new ReceiveRequest().id(1).add(region, 0, GRH_BYTES + BYTES)));
        }

        void send(Gid group, int udpPort, int value) {
            for (int at = 0; at < BYTES; at++) {
                memory.put(at, (byte) (value + at));
            }
            assertTrue(queuePair.postSend(new WorkRequest().id(2).send().add(region, 0, BYTES)
                .toGroup(domain.createAddressHandle(AddressVector.to(group, udpPort)), QUEUE_KEY)));
            complete();
        }

        void expect(int value) {
            WorkCompletion completion = complete();
            assertEquals(BYTES, completion.dataLength());
            assertEquals(GRH_BYTES, completion.dataOffset());
            for (int at = 0; at < BYTES; at++) {
                assertEquals((byte) (value + at), memory.get(GRH_BYTES + at));
            }
        }

        boolean hasNothing() {
            return !completions.poll(new WorkCompletion());
        }

        private WorkCompletion complete() {
            WorkCompletion completion = new WorkCompletion();
            long endNs = System.nanoTime() + TIMEOUT_NS;
            while (!completions.poll(completion)) {
                assertTrue(System.nanoTime() < endNs, "a completion arrives");
                Thread.onSpinWait();
            }
            assertTrue(completion.isSuccess(), completion.toString());
            return completion;
        }
    }

    static Stream<Arguments> ways() throws IOException {
        List<Arguments> ways = new ArrayList<>(List.of(
            Arguments.of("127.0.0.1", "127.0.0.2", "239.77.0.1", 1, false),
            Arguments.of("127.0.0.1", "127.0.0.2", "239.77.0.1", 1, true),
            Arguments.of("127.0.0.1", "127.0.0.2", "224.0.0.77", 3, false),
            Arguments.of("127.0.0.1", "127.0.0.2", "239.77.0.1", 2, false)));
        for (String address : multicastIpv6Addresses()) {
            ways.add(Arguments.of(address, address, "ff15::77:1", 1, false));
            ways.add(Arguments.of(address, address, "ff12::77:2", 2, false));
        }
        return ways.stream();
    }

    /** The loopback interface has no route for IPv6 groups; another one may. */
    private static List<String> multicastIpv6Addresses() throws IOException {
        for (NetworkInterface one : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            if (one.isUp() && one.supportsMulticast() && !one.isLoopback()) {
                for (InetAddress address : Collections.list(one.getInetAddresses())) {
                    if (address instanceof Inet6Address) {
                        return List.of(address.getHostAddress());
                    }
                }
            }
        }
        return List.of();
    }

    @ParameterizedTest(name = "{0} to {1}, group {2}, engines {3}, spin {4}")
    @MethodSource("ways")
    void aDatagramToAGroupReachesItsMembersOnEveryEngine(String from, String to, String groupText,
        int engines, boolean spin) throws Exception {
        Gid group = Gid.parse(groupText);
        int port = FreePorts.udp(to, from);
        int fromPort = from.equals(to) ? FreePorts.udp(from) : port;
        RxeNicOptions options = RxeNicOptions.defaults(to).withSpin(spin);
        try (RxeNic sending = RxeNic.open(options.withAddress(from).withUdpPort(fromPort));
             RxeNic receiving = RxeNic.open(options.withUdpPort(port).withEngines(engines))) {
            Member sender = new Member(sending.device());
            List<Member> members = new ArrayList<>();
            for (int index = 0; index < engines + 1; index++) {
                // On consecutive engines; the last is on the engine of the first.
                members.add(new Member(receiving.device()));
            }
            Member outsider = new Member(receiving.device());
            outsider.postReceive();
            members.forEach(member -> member.queuePair.attachMulticast(group));
            for (int iteration = 1; iteration <= 3; iteration++) {
                int value = iteration;
                members.forEach(Member::postReceive);
                sender.send(group, port, value);
                members.forEach(member -> member.expect(value));
            }
            assertEquals(0, receiving.count(NetCounter.FORWARDED_FRAMES), "each engine gets its own copy");
            assertEquals(0, receiving.core().counter(DropReason.BAD_ICRC));
            assertEquals(3L * engines, receiving.count(NetCounter.RECEIVED_FRAMES));

            Member last = members.remove(members.size() - 1);
            last.queuePair.detachMulticast(group);
            members.forEach(Member::postReceive);
            sender.send(group, port, 4);
            members.forEach(member -> member.expect(4));
            assertTrue(last.hasNothing() && outsider.hasNothing());
        }
    }

    @Test
    void nothingArrivesBetweenTheLastLeaveAndTheNextJoin() throws Exception {
        Gid group = Gid.parse("239.77.0.9");
        int port = FreePorts.udp("127.0.0.1", "127.0.0.2");
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.2").withUdpPort(port);
        try (RxeNic sending = RxeNic.open(options.withAddress("127.0.0.1")); RxeNic receiving = RxeNic.open(options)) {
            Member sender = new Member(sending.device());
            Member member = new Member(receiving.device());
            member.postReceive();
            member.queuePair.attachMulticast(group);
            member.queuePair.detachMulticast(group);
            sender.send(group, port, 1);
            Member again = new Member(receiving.device());
            again.postReceive();
            again.queuePair.attachMulticast(group);
            sender.send(group, port, 2);
            again.expect(2);
            again.queuePair.close();
            assertEquals(1, receiving.count(NetCounter.RECEIVED_FRAMES));
            assertTrue(member.hasNothing());
        }
    }

    @Test
    void twoNicsOfOneHostAndTheSenderItselfAreMembersOfOneGroup() throws Exception {
        Gid group = Gid.parse("239.77.0.3");
        int port = FreePorts.udp("127.0.0.2", "127.0.0.3");
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.2").withUdpPort(port);
        try (RxeNic one = RxeNic.open(options); RxeNic two = RxeNic.open(options.withAddress("127.0.0.3"))) {
            Member sender = new Member(one.device());
            Member near = new Member(one.device());
            Member far = new Member(two.device());
            for (Member member : List.of(near, far)) {
                member.postReceive();
                member.queuePair.attachMulticast(group);
            }
            sender.send(group, port, 5);
            near.expect(5);
            far.expect(5);
        }
    }

    @Test
    void joinsAndLeavesAreCounted() throws Exception {
        Gid group = Gid.parse("239.77.0.4");
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1"));
        InterfaceInfo local = InterfaceInfo.of("127.0.0.1");
        try (TestNode node = new TestNode(options)) {
            Warnings warnings = new Warnings(node.warnings::add);
            List<LoggedPort> ports = new ArrayList<>();
            MulticastSockets groups = new MulticastSockets(local, options.udpPort(), new SocketOpener(options.socketSettings(), warnings),
                (socket, address, engine) -> {
                    ports.add(new LoggedPort(new DirectUdpPort(socket, null, address, options.socketSettings(), new NetCounters(null, null),
                        warnings)));
                    return ports.get(ports.size() - 1);
                }, List.of(node.loop));
            groups.leaveMulticast(group);
            groups.joinMulticast(group);
            groups.joinMulticast(group);
            assertEquals(1, ports.size());
            groups.leaveMulticast(group);
            assertFalse(ports.get(0).closed);
            groups.leaveMulticast(group);
            assertTrue(ports.get(0).closed);
            groups.joinMulticast(group);
            assertEquals(2, ports.size());
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {IllegalStateException.class, StackOverflowError.class})
    void everyEngineLeavesAlthoughOneFails(Class<? extends Throwable> planted) throws Exception {
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1"));
        try (TestNode node = new TestNode(options)) {
            Warnings warnings = new Warnings(node.warnings::add);
            List<LoggedPort> ports = new ArrayList<>();
            MulticastSockets groups = new MulticastSockets(InterfaceInfo.of("127.0.0.1"), options.udpPort(),
                new SocketOpener(options.socketSettings(), warnings), (socket, address, engine) -> {
                    ports.add(new LoggedPort(new DirectUdpPort(socket, null, address, options.socketSettings(), new NetCounters(null, null),
                        warnings)) {
                        @Override
                        public void close() {
                            super.close();
                            if (engine == 0 && planted == StackOverflowError.class) {
                                throw new StackOverflowError("planted");
                            } else if (engine == 0) {
                                throw new IllegalStateException("a planted failure");
                            }
                        }
                    });
                    return ports.get(engine);
                }, List.of(node.loop, node.loop));
            Gid group = Gid.parse("239.77.0.6");
            groups.joinMulticast(group);
            assertThrows(planted, () -> groups.leaveMulticast(group));
            assertTrue(ports.get(0).closed && ports.get(1).closed);
        }
    }

    @Test
    void aGroupThatCannotBeJoinedIsExplainedAndLeavesNothingBehind() throws Exception {
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1"));
        InterfaceInfo gone = new InterfaceInfo(InetAddress.getByName("127.0.0.1"), "gone0", 1_000_000, 1500);
        try (TestNode node = new TestNode(options)) {
            MulticastSockets groups = new MulticastSockets(gone, options.udpPort(),
                new SocketOpener(options.socketSettings(), new Warnings(node.warnings::add)), (socket, address, engine) -> {
                    throw new AssertionError("the join is refused first");
                }, List.of(node.loop));
            Gid group = Gid.parse("239.77.0.5");
            for (int iteration = 0; iteration < 2; iteration++) {
                IllegalStateException refused = assertThrows(IllegalStateException.class, () -> groups.joinMulticast(group));
                assertTrue(refused.getMessage().startsWith("group ::ffff:239.77.0.5 cannot be joined on gone0"), refused.getMessage());
                assertTrue(refused.getMessage().contains("igmp_max_memberships"), refused.getMessage());
            }
            groups.leaveMulticast(group);
        }
    }

    @ParameterizedTest
    @CsvSource({"THREAD, close", "POLLING, close", "MANUAL, close", "MANUAL, ERROR", "MANUAL, RESET"})
    void whatWasPostedLeavesBeforeItsQueuePairEnds(Progress progress, String end) throws Exception {
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1")).withProgress(progress);
        try (RxeNic nic = RxeNic.open(options)) {
            Member sender = new Member(nic.device());
            WorkRequest datagram = new WorkRequest().send().signaled(false).add(sender.region, 0, BYTES)
                .toGroup(sender.domain.createAddressHandle(AddressVector.to(Gid.parse("239.77.0.1"), options.udpPort())), QUEUE_KEY);
            for (int i = 0; i < POSTED; i++) {
                assertTrue(sender.queuePair.postSend(datagram));
            }
            if (end.equals("close")) {
                sender.queuePair.close();
            } else {
                sender.queuePair.modify(QueuePairAttributes.to(QueuePairState.valueOf(end)));
            }
            assertEquals(POSTED, nic.core().counter(NicCounter.SENT_PKTS));
        }
    }
}
