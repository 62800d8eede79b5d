package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.CmConnection;
import io.rxe.cm.CmEvent;
import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.Connector;
import io.rxe.cm.PortSpace;
import io.rxe.fault.Verb;
import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.net.fault.VerbsFaultSpec;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
import io.rxe.verbs.MemoryBinding;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.MemoryWindow;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.RegionChange;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.verbs.XrcDomain;
import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Each word of a verb that Java programs have makes it fail once, and the next call succeeds")
class EveryVerbTest {
    private static final String ADDRESS = "127.0.0.1";
    private static final int CM_PORT = 7475;
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(60);
    /** What belongs to interfaces of C alone: their tests are {@code words.c} and that of DiSNI. */
    private static final Set<Verb> MISSING = EnumSet.of(Verb.FORK_INIT, Verb.GET_DEVICE_LIST, Verb.OPEN_DEVICE, Verb.QUERY_DEVICE,
        Verb.QUERY_PORT, Verb.QUERY_GID, Verb.QUERY_PKEY, Verb.GET_ASYNC_EVENT, Verb.ALLOC_TD, Verb.ALLOC_PARENT_DOMAIN, Verb.ADVISE_MR,
        Verb.CREATE_COMP_CHANNEL, Verb.GET_CQ_EVENT, Verb.SET_ECE, Verb.QUERY_ECE, Verb.DEALLOC_TD, Verb.DESTROY_AH,
        Verb.DESTROY_COMP_CHANNEL, Verb.RDMA_GET_DEVICES, Verb.RDMA_GETADDRINFO, Verb.RDMA_CREATE_EVENT_CHANNEL, Verb.RDMA_GET_CM_EVENT,
        Verb.RDMA_CREATE_ID, Verb.RDMA_MIGRATE_ID, Verb.RDMA_SET_OPTION, Verb.RDMA_BIND_ADDR, Verb.RDMA_RESOLVE_ADDR,
        Verb.RDMA_RESOLVE_ROUTE, Verb.RDMA_INIT_QP_ATTR, Verb.RDMA_JOIN_MULTICAST, Verb.RDMA_LEAVE_MULTICAST, Verb.RDMA_DESTROY_ID,
        Verb.ALLOC_BUF, Verb.RDMA_RESOLVE_ADDRINFO, Verb.RDMA_QUERY_ADDRINFO, Verb.RDMA_WRITE_CM_EVENT);

    private final Set<Verb> failed = EnumSet.noneOf(Verb.class);
    private VerbError error;
    private Device device;
    private ProtectionDomain domain;
    private MemoryRegion region;
    private CompletionQueue completions;

    private interface Step {
        void run() throws Exception;
    }

    /** The first call fails, and the second succeeds. */
    private <T> T once(Verb verb, Callable<T> call) throws Exception {
        RuntimeException thrown = assertThrows(RuntimeException.class, call::call);
        assertEquals(error, assertInstanceOf(VerbFailure.class, thrown).error());
        assertTrue(thrown.getMessage().startsWith(verb.word() + " fails with " + error), thrown::getMessage);
        failed.add(verb);
        return call.call();
    }

    private void step(Verb verb, Step step) throws Exception {
        once(verb, () -> {
            step.run();
            return null;
        });
    }

    @ParameterizedTest
    @EnumSource(value = VerbError.class, names = {"EBUSY", "EINVAL"})
    void everyVerbFailsOnce(VerbError asked) throws Exception {
        error = asked;
        String spec = Arrays.stream(Verb.values()).map(verb -> verb.word() + ": " + error + " nth 1").collect(Collectors.joining("; "));
        try (RxeNic nic = RxeNic.open(RxeNicOptions.defaults(ADDRESS).withUdpPort(FreePorts.udp(ADDRESS)).withSeed(1L)
                .withVerbsFault(VerbsFaultSpec.parse(spec).faults(1)))) {
            device = nic.device();
            domain = once(Verb.ALLOC_PD, device::allocateProtectionDomain);
            XrcDomain xrcDomain = once(Verb.OPEN_XRCD, device::openXrcDomain);
            step(Verb.CLOSE_XRCD, xrcDomain::close);
            region = once(Verb.REG_MR, () -> domain.register(ByteBuffer.allocateDirect(64), AccessFlags.ALL));
            step(Verb.REREG_MR, () -> region.reregister(RegionChange.none().access(AccessFlags.ALL)));
            completions = once(Verb.CREATE_CQ, () -> device.createCompletionQueue(8, new CompletionChannel()));
            step(Verb.RESIZE_CQ, () -> completions.resize(16));
            queuePairs();
            group();
            connections(nic);
            step(Verb.DESTROY_CQ, completions::close);
            step(Verb.DEREG_MR, region::close);
            step(Verb.DEALLOC_PD, domain::close);
            step(Verb.CLOSE_DEVICE, device::close);
        }
        assertEquals(EnumSet.complementOf(EnumSet.copyOf(MISSING)), failed);
    }

    private QueuePair create(QueuePairType type, SharedReceiveQueue shared) {
        return domain.createQueuePair(QueuePairConfig.of(type, completions, completions).withSharedReceiveQueue(shared));
    }

    private void queuePairs() throws Exception {
        SharedReceiveQueue shared = once(Verb.CREATE_SRQ, () -> domain.createSharedReceiveQueue(4, 1));
        step(Verb.MODIFY_SRQ, () -> shared.armLimit(1));
        once(Verb.QUERY_SRQ, shared::query);
        QueuePair pair = once(Verb.CREATE_QP, () -> create(QueuePairType.RC, null));
        step(Verb.MODIFY_QP, () -> pair.modify(QueuePairAttributes.to(QueuePairState.RESET)));
        once(Verb.QUERY_QP, pair::query);
        AddressVector own = AddressVector.to(device.gid(), device.udpPort());
        once(Verb.CREATE_AH, () -> domain.createAddressHandle(own));
        QueuePairLink.connectToItself(pair, own);
        once(Verb.POST_RECV, () -> pair.postReceive(new ReceiveRequest().add(region, 0, 64)));
        once(Verb.POST_SRQ_RECV, () -> shared.postReceive(new ReceiveRequest().add(region, 0, 64)));
        step(Verb.REQ_NOTIFY_CQ, () -> completions.requestNotification(false));
        once(Verb.POST_SEND, () -> pair.postSend(new WorkRequest().send().add(region, 0, 8)));
        once(Verb.POLL_CQ, () -> completions.poll(new WorkCompletion()));
        MemoryWindow window = once(Verb.ALLOC_MW, () -> domain.allocateWindow(MemoryWindowType.TYPE_1));
        once(Verb.BIND_MW, () -> pair.bindWindow(new WorkRequest().bindWindow(window, MemoryBinding.of(region, AccessFlags.REMOTE_READ))));
        step(Verb.DEALLOC_MW, window::close);
        step(Verb.DESTROY_QP, pair::close);
        step(Verb.DESTROY_SRQ, shared::close);
    }

    private void group() throws Exception {
        QueuePair pair = create(QueuePairType.UD, null);
        Gid group = Gid.parse("239.7.7.7");
        step(Verb.ATTACH_MCAST, () -> pair.attachMulticast(group));
        step(Verb.DETACH_MCAST, () -> pair.detachMulticast(group));
        pair.close();
    }

    private static ConnectParameters ofQueuePair(int number) {
        return new ConnectParameters().queuePairNumber(number);
    }

    private static CmConnection await(CmEventChannel channel, CmEvent.Type type) throws Exception {
        CmEvent event = channel.await(WAIT_NS);
        assertEquals(type, event == null ? null : event.type());
        return event.connection();
    }

    private void connections(RxeNic nic) throws Exception {
        try (CmEventChannel calling = new CmEventChannel(); CmEventChannel listening = new CmEventChannel()) {
            step(Verb.RDMA_LISTEN, () -> nic.connections().listen(listening, PortSpace.TCP, CM_PORT));
            Connector connector = nic.connections().connector(calling);
            once(Verb.RDMA_CONNECT, () -> connector.connect(QueuePairType.RC, device.gid(), CM_PORT, ofQueuePair(77)));
            CmConnection refused = await(listening, CmEvent.Type.CONNECT_REQUEST);
            step(Verb.RDMA_REJECT, () -> refused.reject(new byte[0]));
            await(calling, CmEvent.Type.REJECTED);
            CmConnection client = connector.connect(QueuePairType.RC, device.gid(), CM_PORT, ofQueuePair(78));
            CmConnection server = await(listening, CmEvent.Type.CONNECT_REQUEST);
            step(Verb.RDMA_ACCEPT, () -> server.accept(ofQueuePair(79)));
            await(calling, CmEvent.Type.CONNECT_RESPONSE);
            once(Verb.RDMA_ESTABLISH, client::establish);
            step(Verb.RDMA_NOTIFY, server::notifyEstablished);
            step(Verb.RDMA_DISCONNECT, client::disconnect);
        }
    }
}
