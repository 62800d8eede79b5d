package io.rxe.disni;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.rxe.fault.Verb;
import io.rxe.fault.VerbError;
import io.rxe.net.FreePorts;
import io.rxe.net.RxeNic;
import io.rxe.net.process.ProcessSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Each word of a verb that DiSNI has makes it fail once, with the text of the errno, and the next call succeeds")
class EveryVerbTest {
    private static final String ADDRESS = "127.0.72.11";
    private static final int EVENT_TIMEOUT_MS = 60_000;
    private static final Set<Verb> PRESENT = EnumSet.of(Verb.RDMA_CREATE_EVENT_CHANNEL, Verb.RDMA_CREATE_ID, Verb.RDMA_BIND_ADDR,
        Verb.RDMA_LISTEN, Verb.RDMA_RESOLVE_ADDR, Verb.RDMA_GET_CM_EVENT, Verb.RDMA_RESOLVE_ROUTE, Verb.RDMA_CONNECT,
        Verb.RDMA_ACCEPT, Verb.RDMA_DISCONNECT, Verb.RDMA_DESTROY_ID, Verb.ALLOC_PD, Verb.REG_MR, Verb.CREATE_COMP_CHANNEL,
        Verb.GET_CQ_EVENT, Verb.CREATE_CQ, Verb.CREATE_QP, Verb.MODIFY_QP, Verb.POST_SEND, Verb.POST_RECV, Verb.POLL_CQ,
        Verb.REQ_NOTIFY_CQ, Verb.DEALLOC_PD, Verb.DEREG_MR, Verb.DESTROY_CQ, Verb.DESTROY_QP, Verb.DESTROY_COMP_CHANNEL);

    private final Set<Verb> failed = EnumSet.noneOf(Verb.class);
    private final InetSocketAddress address = new InetSocketAddress(ADDRESS, 7175);
    private final DisniVerbs verbs = new DisniVerbs();
    private VerbError error;
    private ConnectionManagement management;
    private RdmaEventChannel channel;
    private IbvPd domain;
    private IbvCompChannel completions;
    private IbvCQ queue;

    /** The first queue pair is destroyed where its way to INIT fails. */
    private String rule(Verb verb) {
        return verb.word() + ": " + error + (verb == Verb.DESTROY_QP ? " nth 2" : " nth 1");
    }

    private interface Call<T> {
        T run() throws Exception;
    }

    private interface Step {
        void run() throws Exception;
    }

    private void refused(Verb verb, Call<?> call) {
        String message = assertThrows(IOException.class, call::run).getMessage();
        assertTrue(message.contains(": " + error.text() + " (" + verb.word() + " fails with " + error), message);
        failed.add(verb);
    }

    /** The first call fails, and the second succeeds. */
    private <T> T once(Verb verb, Call<T> call) throws Exception {
        refused(verb, call);
        return call.run();
    }

    private void step(Verb verb, Step step) throws Exception {
        once(verb, () -> {
            step.run();
            return null;
        });
    }

    private RdmaCmEvent next(EventType type) throws IOException {
        RdmaCmEvent event = management.getCmEvent(channel, EVENT_TIMEOUT_MS);
        assertEquals(type.ordinal(), event.getEvent());
        return event;
    }

    private void run() throws Exception {
        channel = once(Verb.RDMA_CREATE_EVENT_CHANNEL, management::createEventChannel);
        RdmaCmId listener = once(Verb.RDMA_CREATE_ID, () -> management.createId(channel, RdmaCm.RDMA_PS_TCP));
        step(Verb.RDMA_BIND_ADDR, () -> management.bindAddr(listener, address));
        step(Verb.RDMA_LISTEN, () -> management.listen(listener, 1));
        RdmaCmId client = management.createId(channel, RdmaCm.RDMA_PS_TCP);
        step(Verb.RDMA_RESOLVE_ADDR, () -> management.resolveAddr(client, null, address, 1000));
        assertEquals(0, once(Verb.RDMA_GET_CM_EVENT, () -> management.getCmEvent(channel, EVENT_TIMEOUT_MS)).getEvent());
        step(Verb.RDMA_RESOLVE_ROUTE, () -> management.resolveRoute(client, 1000));
        next(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED);
        domain = once(Verb.ALLOC_PD, () -> verbs.allocPd(client.getVerbs()));
        completions = once(Verb.CREATE_COMP_CHANNEL, () -> verbs.createCompChannel(client.getVerbs()));
        queue = once(Verb.CREATE_CQ, () -> verbs.createCQ(client.getVerbs(), completions, 8, 0));
        refused(Verb.CREATE_QP, () -> createQueuePair(client));
        once(Verb.MODIFY_QP, () -> createQueuePair(client));
        step(Verb.RDMA_CONNECT, () -> management.connect(client, new RdmaConnParam()));
        RdmaCmId server = next(EventType.RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv();
        createQueuePair(server);
        step(Verb.RDMA_ACCEPT, () -> management.accept(server, new RdmaConnParam()));
        next(EventType.RDMA_CM_EVENT_ESTABLISHED);
        next(EventType.RDMA_CM_EVENT_ESTABLISHED);
        message(client, server);
        assertEquals(-1, management.disconnect(client));
        assertEquals(0, management.disconnect(client));
        failed.add(Verb.RDMA_DISCONNECT);
        step(Verb.DESTROY_QP, () -> management.destroyQP(client));
        management.destroyQP(server);
        step(Verb.DESTROY_CQ, () -> verbs.destroyCQ(queue));
        step(Verb.DESTROY_COMP_CHANNEL, () -> verbs.destroyCompChannel(completions));
        assertEquals(error.number(), verbs.deallocPd(domain));
        failed.add(Verb.DEALLOC_PD);
        step(Verb.RDMA_DESTROY_ID, () -> management.destroyCmId(client));
        management.destroyCmId(server);
        management.destroyCmId(listener);
        management.destroyEventChannel(channel);
    }

    private IbvQP createQueuePair(RdmaCmId id) throws IOException {
        IbvQPInitAttr attr = new IbvQPInitAttr();
        attr.cap().setMax_send_wr(4);
        attr.cap().setMax_recv_wr(4);
        attr.setQp_type(IbvQP.IBV_QPT_RC);
        attr.setSend_cq(queue);
        attr.setRecv_cq(queue);
        return management.createQP(id, domain, attr);
    }

    private void message(RdmaCmId from, RdmaCmId to) throws Exception {
        ByteBuffer buffer = ByteBuffer.allocateDirect(64);
        IbvMr region = once(Verb.REG_MR, () -> verbs.regMr(domain, buffer, IbvMr.IBV_ACCESS_LOCAL_WRITE).execute().getMr());
        IbvRecvWR receive = new IbvRecvWR();
        receive.setSg_list(new LinkedList<>(List.of(Loop.element(region, 0, 64))));
        receive.setNum_sge(1);
        step(Verb.REQ_NOTIFY_CQ, () -> verbs.reqNotifyCQ(queue, false).execute());
        step(Verb.POST_RECV, () -> verbs.postRecv(to.getQp(), List.of(receive), null).execute());
        step(Verb.POST_SEND, () -> verbs.postSend(from.getQp(),
            List.of(Loop.send(IbvSendWR.IBV_WR_SEND, 1, Loop.element(region, 0, 8))), null).execute());
        assertTrue(once(Verb.GET_CQ_EVENT, () -> verbs.getCqEvent(completions, queue, EVENT_TIMEOUT_MS)));
        once(Verb.POLL_CQ, () -> verbs.pollCQ(queue, new IbvWC[] {new IbvWC()}, 1).execute());
        step(Verb.DEREG_MR, () -> verbs.deregMr(region).execute());
    }

    @ParameterizedTest
    @EnumSource(value = VerbError.class, names = {"EIO", "EINVAL"})
    void everyVerbFailsOnce(VerbError asked) throws Exception {
        error = asked;
        Map<String, String> properties = Map.of("rxe.dev", ADDRESS, "rxe.udp.port", Integer.toString(FreePorts.udp(ADDRESS)),
            "rxe.verbs.fault", PRESENT.stream().map(this::rule).collect(Collectors.joining("; ")));
        RxeNic[] opened = new RxeNic[1];
        LocalNic nic = new LocalNic(new ProcessSettings(properties::get, name -> null), options -> opened[0] = RxeNic.open(options));
        management = new ConnectionManagement(nic);
        try {
            run();
            assertEquals(PRESENT, failed);
        } finally {
            opened[0].close();
        }
    }
}
