package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.CmConnection;
import io.rxe.cm.CmEvent;
import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.PortSpace;
import io.rxe.fault.TimedFault;
import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.net.fault.VerbsFaultSpec;
import io.rxe.net.port.NetCounter;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressHandle;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

@DisplayName("Faults at the verbs leave a NIC in the state that true ones would")
class VerbsFaultTest {
    private static final String ADDRESS = "127.0.0.1";
    private static final String PEER = "127.0.0.2";
    private static final int CM_PORT = 7471;
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(60);

    private static RxeNic open(String spec) throws Exception {
        return RxeNic.open(RxeNicOptions.defaults(ADDRESS).withUdpPort(FreePorts.udp(ADDRESS, PEER)).withSeed(1L)
            .withVerbsFault(VerbsFaultSpec.parse(spec).faults(1)));
    }

    private static RxeNic peerOf(RxeNic nic) throws Exception {
        return RxeNic.open(RxeNicOptions.defaults(PEER).withUdpPort(nic.device().udpPort()).withSeed(2L));
    }

    private static void write(QueuePairLink from, QueuePairLink to, long id) {
        assertTrue(from.queuePair.postSend(new WorkRequest().id(id).write(to.region.address(), to.region.rKey())
            .add(from.region.address(), 1000, from.region.lKey())));
    }

    private static AsyncEvent await(NicEvents events) throws Exception {
        NicEvent event = events.await(WAIT_NS);
        assertNotNull(event, "an event within a minute");
        return event.async();
    }

    @ParameterizedTest
    @EnumSource(value = CompletionStatus.class, mode = Mode.EXCLUDE, names = "SUCCESS")
    @DisplayName("the request before succeeds, the one that is meant fails, and those behind are flushed")
    void aRequestFails(CompletionStatus status) throws Exception {
        try (RxeNic nic = open("poll_cq: status=" + status + " nth 2"); RxeNic peer = peerOf(nic)) {
            QueuePairLink from = new QueuePairLink(nic.device(), 4096);
            QueuePairLink to = new QueuePairLink(peer.device(), 4096);
            QueuePairLink.connect(from, to, PathMtu.MTU_1024);
            for (int id = 1; id <= 4; id++) {
                write(from, to, id);
            }
            List<CompletionStatus> found = new ArrayList<>();
            for (int id = 1; id <= 4; id++) {
                WorkCompletion completion = from.completion();
                assertEquals(id, completion.workRequestId());
                found.add(completion.status());
                assertEquals(id == 2, completion.explanation().contains("a fault is made on purpose"), completion.explanation());
            }
            assertEquals(List.of(CompletionStatus.SUCCESS, status, CompletionStatus.WR_FLUSH_ERR, CompletionStatus.WR_FLUSH_ERR), found);
            assertEquals(QueuePairState.ERROR, from.queuePair.state());
            assertEquals("{poll_cq: status=" + status + " nth 2=1}", nic.verbsFaults().toString());
            // Another queue pair of the same NIC is as good as before.
            QueuePairLink.exchange(nic, peer, PathMtu.MTU_1024, 10_000);
            assertEquals(1, nic.count(NetCounter.VERBS_FAULTS));
        }
    }

    /** In RTS, and its own peer. */
    private static QueuePair ownPeer(RxeNic nic, ProtectionDomain domain, QueuePairType type, CompletionQueue sends) {
        QueuePair pair = domain.createQueuePair(QueuePairConfig.of(type, sends, nic.device().createCompletionQueue(4)));
        QueuePairLink.connectToItself(pair, AddressVector.to(nic.device().gid(), nic.device().udpPort()));
        return pair;
    }

    @ParameterizedTest
    @EnumSource(value = QueuePairType.class, names = {"RC", "UC", "UD"})
    @DisplayName("a request whose transport does not have the status succeeds, and does not count")
    void aTransportHasItsOwnStatuses(QueuePairType type) throws Exception {
        try (RxeNic nic = open("poll_cq: status=RETRY_EXC_ERR nth 2; poll_cq: status=FATAL_ERR nth 3")) {
            ProtectionDomain domain = nic.device().allocateProtectionDomain();
            MemoryRegion region = domain.register(ByteBuffer.allocateDirect(64), AccessFlags.ALL);
            CompletionQueue sends = nic.device().createCompletionQueue(4);
            QueuePair pair = ownPeer(nic, domain, type, sends);
            AddressHandle handle = domain.createAddressHandle(AddressVector.to(nic.device().gid(), nic.device().udpPort()));
            List<CompletionStatus> found = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                assertTrue(pair.postReceive(new ReceiveRequest().add(region, 0, 64)));
            }
            for (int i = 0; i < 3; i++) {
                WorkRequest request = new WorkRequest().send().add(region, 0, 8);
                assertTrue(pair.postSend(type == QueuePairType.UD ? request.to(handle, pair.number(), 1) : request));
                found.add(QueuePairLink.await(sends).status());
            }
            assertEquals(type == QueuePairType.RC
                ? List.of(CompletionStatus.SUCCESS, CompletionStatus.RETRY_EXC_ERR, CompletionStatus.WR_FLUSH_ERR)
                : List.of(CompletionStatus.SUCCESS, CompletionStatus.SUCCESS, CompletionStatus.FATAL_ERR), found);
            awaitCounted(nic);
            assertEquals(1, nic.count(NetCounter.VERBS_FAULTS));
        }
    }

    @Test
    @DisplayName("faults that happen by themselves go on behind one whose listener throws an Error")
    void aListenerThrows() throws Exception {
        Thread.UncaughtExceptionHandler usual = Thread.getDefaultUncaughtExceptionHandler();
        BlockingQueue<Object> seen = new LinkedBlockingQueue<>();
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> seen.add(thrown.getMessage()));
        try (RxeNic nic = open("cm: DEVICE_REMOVAL after 1B; cm: ADDR_CHANGE after 1B"); RxeNic peer = peerOf(nic)) {
            nic.onVerbsFault(fault -> {
                if (fault.kind() == TimedFault.Kind.DEVICE_REMOVAL) {
                    throw new AssertionError("planted");
                }
                seen.add(fault.kind());
            }, failure -> { });
            QueuePairLink.exchange(nic, peer, PathMtu.MTU_1024, 10_000);
            assertEquals("planted", seen.poll(WAIT_NS, TimeUnit.NANOSECONDS));
            assertEquals(TimedFault.Kind.ADDR_CHANGE, seen.poll(WAIT_NS, TimeUnit.NANOSECONDS));
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(usual);
        }
    }

    @ParameterizedTest
    @EnumSource(VerbError.class)
    void aVerbFails(VerbError error) throws Exception {
        try (RxeNic nic = open("create_cq: " + error + " nth 2; reg_mr: " + error + "; post_send: " + error + " nth 1")) {
            nic.device().createCompletionQueue(1, null).close();
            RuntimeException thrown = assertThrows(RuntimeException.class, () -> nic.device().createCompletionQueue(1, null));
            assertEquals(error, assertInstanceOf(VerbFailure.class, thrown).error());
            assertTrue(thrown.getMessage().contains("create_cq fails with " + error), thrown::getMessage);
            nic.device().createCompletionQueue(1, null).close();
            assertThrows(RuntimeException.class, () -> new QueuePairLink(nic.device(), 4096));
        }
    }

    @Test
    void aPostThatFailsQueuesNothingAndANextOneIsGood() throws Exception {
        try (RxeNic nic = open("post_send: EAGAIN nth 1; post_send: ENOMEM nth 2"); RxeNic peer = peerOf(nic)) {
            QueuePairLink from = new QueuePairLink(nic.device(), 4096);
            QueuePairLink to = new QueuePairLink(peer.device(), 4096);
            QueuePairLink.connect(from, to, PathMtu.MTU_1024);
            WorkRequest request = new WorkRequest().id(1).write(to.region.address(), to.region.rKey())
                .add(from.region.address(), 8, from.region.lKey());
            assertEquals(VerbError.EAGAIN, assertThrows(VerbFailure.Failed.class, () -> from.queuePair.postSend(request)).error());
            // The second rule counts the calls that the first one lets pass; a queue without room answers false.
            assertTrue(from.queuePair.postSend(request));
            assertFalse(from.queuePair.postSend(request.id(2)));
            assertTrue(from.queuePair.postSend(request.id(3)));
            assertEquals(1, from.complete().workRequestId());
            assertEquals(3, from.complete().workRequestId());
        }
    }

    @ParameterizedTest
    @EnumSource(AsyncEvent.Type.class)
    void everyEventArrives(AsyncEvent.Type type) throws Exception {
        try (RxeNic nic = open("async: " + (type == AsyncEvent.Type.PORT_ACTIVE ? "PORT_ERR after 1B, " : "") + type + " after 1B");
             RxeNic peer = peerOf(nic); NicEvents events = nic.events()) {
            QueuePairLink from = new QueuePairLink(nic.device(), 4096);
            QueuePairLink to = new QueuePairLink(peer.device(), 4096);
            QueuePairLink.connect(from, to, PathMtu.MTU_1024);
            ProtectionDomain domain = nic.device().allocateProtectionDomain();
            SharedReceiveQueue shared = domain.createSharedReceiveQueue(4, 1);
            QueuePair sharing = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, from.completions(), from.completions())
                .withSharedReceiveQueue(shared));
            write(from, to, 1);
            AsyncEvent event = await(events);
            while (event.type() != type) {
                event = await(events);
            }
            boolean isOfQueuePair = event.queuePair() != null;
            assertEquals(isOfQueuePair ? from.queuePair : null, event.queuePair());
            assertEquals(type == AsyncEvent.Type.CQ_ERR, event.completionQueue() != null);
            assertEquals(type.name().startsWith("SRQ_"), event.sharedReceiveQueue() == shared);
            switch (type) {
                case QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR, QP_LAST_WQE_REACHED, CQ_ERR, DEVICE_FATAL -> awaitError(from.queuePair);
                default -> assertEquals(QueuePairState.RTS, from.queuePair.state());
            }
            assertEquals(QueuePairState.RESET, sharing.state());
            assertEquals(type != AsyncEvent.Type.PORT_ERR && type != AsyncEvent.Type.DEVICE_FATAL, nic.device().isPortActive(1));
            if (type == AsyncEvent.Type.DEVICE_FATAL) {
                assertEquals(VerbError.EIO,
                    assertThrows(VerbFailure.Failed.class, () -> nic.device().allocateProtectionDomain()).error());
            }
        }
    }

    /** The loop of the NIC counts a fault after it has struck. */
    private static void awaitCounted(RxeNic nic) {
        long endNs = System.nanoTime() + WAIT_NS;
        while (nic.count(NetCounter.VERBS_FAULTS) == 0) {
            assertTrue(System.nanoTime() < endNs, nic::toString);
            Thread.onSpinWait();
        }
    }

    private static void awaitError(QueuePair pair) {
        long endNs = System.nanoTime() + WAIT_NS;
        while (pair.state() != QueuePairState.ERROR) {
            assertTrue(System.nanoTime() < endNs, pair::toString);
            Thread.onSpinWait();
        }
    }

    @Test
    @DisplayName("a port that is down carries nothing, and the connection goes on when it is up again")
    void aPortGoesDownAndUp() throws Exception {
        try (RxeNic nic = open("async: PORT_ERR after 1B, PORT_ACTIVE after 1s"); RxeNic peer = peerOf(nic);
             NicEvents events = nic.events()) {
            QueuePairLink from = new QueuePairLink(nic.device(), 4096);
            QueuePairLink to = new QueuePairLink(peer.device(), 4096);
            QueuePairLink.connect(from, to, PathMtu.MTU_1024);
            write(from, to, 1);
            assertEquals(AsyncEvent.Type.PORT_ERR, await(events).type());
            assertFalse(nic.device().isPortActive(1));
            write(from, to, 2);
            assertEquals(AsyncEvent.Type.PORT_ACTIVE, await(events).type());
            assertEquals(1, from.complete().workRequestId());
            assertEquals(2, from.complete().workRequestId());
            assertTrue(nic.count(NetCounter.VERBS_FAULT_CUT) > 0, "the second WRITE left while the port was down");
        }
    }

    @Test
    void aQueuePairEndsWithTheRequestThatReachesTheBytes() throws Exception {
        try (RxeNic nic = open("qp: ERR after 2KB"); RxeNic peer = peerOf(nic)) {
            QueuePairLink from = new QueuePairLink(nic.device(), 4096);
            QueuePairLink to = new QueuePairLink(peer.device(), 4096);
            QueuePairLink.connect(from, to, PathMtu.MTU_1024);
            write(from, to, 1);
            write(from, to, 2);
            assertEquals(CompletionStatus.SUCCESS, from.completion().status());
            assertEquals(CompletionStatus.WR_FLUSH_ERR, from.completion().status());
            assertEquals(QueuePairState.ERROR, from.queuePair.state());
        }
    }

    /** Connects once, the faulty NIC as the client or the server; returns the events of the client until its end. */
    private static List<CmEvent> connect(String spec, boolean faultyServer) throws Exception {
        List<CmEvent> seen = new ArrayList<>();
        try (RxeNic faulty = open(spec); RxeNic sound = peerOf(faulty); CmEventChannel calling = new CmEventChannel();
             CmEventChannel listening = new CmEventChannel()) {
            RxeNic server = faultyServer ? faulty : sound;
            RxeNic client = faultyServer ? sound : faulty;
            server.connections().listen(listening, PortSpace.TCP, CM_PORT);
            QueuePair pair = new QueuePairLink(client.device(), 4096).queuePair;
            CmConnection connection = client.connections().connector(calling).connect(pair, server.device().gid(), CM_PORT,
                new ConnectParameters());
            CmEvent request = listening.await(faultyServer || !spec.contains("event=") || spec.contains("CONNECT_ERROR")
                ? spec.contains("REJECT") ? 0 : WAIT_NS : 0);
            if (request != null) {
                request.connection().accept(new QueuePairLink(server.device(), 4096).queuePair, new ConnectParameters());
            }
            CmEvent event = calling.await(WAIT_NS);
            seen.add(event);
            while (event.type() == CmEvent.Type.ESTABLISHED && spec.contains("DISCONNECTED")) {
                event = calling.await(WAIT_NS);
                seen.add(event);
            }
            assertEquals(connection, event.connection());
            if (event.type() != CmEvent.Type.ESTABLISHED) {
                awaitError(pair);
            }
        }
        return seen;
    }

    @Test
    @DisplayName("a script that expects something in vain says which line, and one that does not is silent")
    void aScriptSaysWhatDidNotFollow() throws Exception {
        BlockingQueue<String> sentences = new LinkedBlockingQueue<>();
        RxeNicOptions options = RxeNicOptions.defaults(ADDRESS).withUdpPort(FreePorts.udp(ADDRESS)).withWarnings(sentences::add);
        VerbsFaultSpec met = VerbsFaultSpec.script(List.of("at 1ms async: GID_CHANGE", "expect gid_change within 60s"));
        try (RxeNic nic = RxeNic.open(options.withVerbsFault(met.faults(1))); NicEvents events = nic.events()) {
            assertEquals(AsyncEvent.Type.GID_CHANGE, await(events).type());
        }
        assertEquals(List.of(), List.copyOf(sentences));
        VerbsFaultSpec missed = VerbsFaultSpec.script(List.of("at 1ms async: GID_CHANGE", "expect established within 1ms"));
        try (RxeNic nic = RxeNic.open(options.withVerbsFault(missed.faults(1)))) {
            String sentence = sentences.poll(WAIT_NS, TimeUnit.NANOSECONDS);
            assertTrue(sentence != null && sentence.startsWith("line 2 of the script: ESTABLISHED did not follow"), sentence);
            assertFalse(nic.isClosed());
            // A listener that is set later gets the sentence too.
            nic.onVerbsFault(fault -> { }, sentences::add);
            assertEquals(sentence, sentences.poll(WAIT_NS, TimeUnit.NANOSECONDS));
        }
    }

    @Test
    void aRequestIsRejectedWithItsReasonOnTheWire() throws Exception {
        CmEvent event = connect("cm: REJECT reason 3", true).get(0);
        assertEquals(CmEvent.Type.REJECTED, event.type());
        assertEquals(3, event.status());
    }

    @Test
    void aConnectFailsWithEachEvent() throws Exception {
        CmEvent rejected = connect("rdma_connect: event=REJECTED reason 10", false).get(0);
        assertEquals(CmEvent.Type.REJECTED, rejected.type());
        assertEquals(10, rejected.status());
        CmEvent silent = connect("rdma_connect: event=UNREACHABLE", false).get(0);
        assertEquals(CmEvent.Type.UNREACHABLE, silent.type());
        assertEquals(CmEvent.TIMED_OUT, silent.status());
        CmEvent broken = connect("rdma_connect: event=CONNECT_ERROR", false).get(0);
        assertEquals(CmEvent.Type.CONNECT_ERROR, broken.type());
        assertTrue(broken.explanation().contains("a fault is made on purpose"), broken::explanation);
    }

    @Test
    void connectionsAreEnded() throws Exception {
        List<CmEvent> events = connect("cm: DISCONNECTED after 1s", false);
        assertEquals(List.of(CmEvent.Type.ESTABLISHED, CmEvent.Type.DISCONNECTED), events.stream().map(CmEvent::type).toList());
    }

    @Test
    @DisplayName("what brings a queue pair to RTS is no call of rdma_establish")
    void anEstablishThatFailsIsTheApplications() throws Exception {
        assertEquals(CmEvent.Type.ESTABLISHED, connect("rdma_establish: EINVAL", false).get(0).type());
    }
}
