package io.rxe.disni;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.SVCPollCq;
import io.rxe.net.FreePorts;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Two connected ids of this process, whose NIC they share. */
final class Loop implements AutoCloseable {
    static final String ADDRESS = "127.0.72.1";
    private static final int PORT = 7174;
    private static final int ALL = IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_WRITE | IbvMr.IBV_ACCESS_REMOTE_READ
        | IbvMr.IBV_ACCESS_REMOTE_ATOMIC;
    private static final int EVENT_TIMEOUT_MS = 10_000;

    static {
        System.setProperty("rxe.dev", ADDRESS);
        System.setProperty("rxe.udp.port", Integer.toString(FreePorts.udp(ADDRESS)));
    }

    final RdmaEventChannel events = RdmaEventChannel.createEventChannel();
    final RdmaCmId listener = events.createId(RdmaCm.RDMA_PS_TCP);
    final RdmaCmId client = events.createId(RdmaCm.RDMA_PS_TCP);
    final RdmaCmId server;
    final RdmaCmEvent request;
    final IbvPd domain;
    final IbvCompChannel channel;
    final IbvCQ queue;
    private final IbvWC[] completions = {new IbvWC(), new IbvWC()};
    private final SVCPollCq poll;
    /** What takes back the steps of the constructor and the test, newest first. */
    private final Deque<Step> cleanUp = new ArrayDeque<>();
    private int next;
    private int filled;

    Loop() throws IOException {
        this(new RdmaConnParam());
    }

    private interface Step {
        void run() throws Exception;
    }

    Loop(RdmaConnParam parameters) throws IOException {
        cleanUp.push(events::destroyEventChannel);
        cleanUp.push(listener::destroyId);
        cleanUp.push(client::destroyEp);
        try {
            resolve();
            domain = client.getVerbs().allocPd();
            cleanUp.push(this::freeDomain);
            channel = client.getVerbs().createCompChannel();
            cleanUp.push(() -> free(channel.isOpen(), channel::destroyCompChannel));
            queue = client.getVerbs().createCQ(channel, 64, 0);
            cleanUp.push(() -> free(queue.isOpen(), queue::destroyCQ));
            poll = queue.poll(completions, completions.length);
            cleanUp.push(poll::free);
            createQueuePair(client);
            cleanUp.push(() -> free(client.getQp().isOpen(), client::destroyQP));
            client.connect(parameters);
            request = await(EventType.RDMA_CM_EVENT_CONNECT_REQUEST);
            server = request.getConnIdPriv();
            cleanUp.push(server::destroyEp);
            createQueuePair(server);
            server.accept(new RdmaConnParam());
            await(EventType.RDMA_CM_EVENT_ESTABLISHED);
            await(EventType.RDMA_CM_EVENT_ESTABLISHED);
        } catch (IOException | RuntimeException | Error e) {
            closeAfter(e);
            throw e;
        }
    }

    private void resolve() throws IOException {
        listener.bindAddr(new InetSocketAddress(ADDRESS, PORT));
        listener.listen(10);
        client.resolveAddr(null, new InetSocketAddress(ADDRESS, PORT), 2000);
        await(EventType.RDMA_CM_EVENT_ADDR_RESOLVED);
        client.resolveRoute(2000);
        await(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED);
    }

    private static void free(boolean isOpen, Step step) throws Exception {
        if (isOpen) {
            step.run();
        }
    }

    /** Fails where a queue pair or a region of the domain is left. */
    private void freeDomain() throws Exception {
        if (domain.isOpen() && domain.deallocPd() != 0) {
            throw new AssertionError("the domain is in use: the test or close left a queue pair or a region");
        }
    }

    IbvQP createQueuePair(RdmaCmId id) throws IOException {
        IbvQPInitAttr attr = new IbvQPInitAttr();
        attr.cap().setMax_send_wr(4);
        attr.cap().setMax_recv_wr(4);
        attr.cap().setMax_inline_data(16);
        attr.setQp_type(IbvQP.IBV_QPT_RC);
        attr.setSend_cq(queue);
        attr.setRecv_cq(queue);
        return id.createQP(domain, attr);
    }

    RdmaCmEvent await(EventType expected) throws IOException {
        RdmaCmEvent event = events.getCmEvent(EVENT_TIMEOUT_MS);
        if (event == null || event.getEvent() != expected.ordinal()) {
            throw new AssertionError("expected " + expected + ", there is " + event);
        }
        return event;
    }

    IbvMr register(ByteBuffer memory) throws IOException {
        IbvMr region = domain.regMr(memory, ALL).execute().free().getMr();
        cleanUp.push(() -> free(region.isOpen(), () -> region.deregMr().execute().free()));
        return region;
    }

    static IbvSge element(IbvMr region, int offset, int length) {
        IbvSge element = new IbvSge();
        element.setAddr(region.getAddr() + offset);
        element.setLength(length);
        element.setLkey(region.getLkey());
        return element;
    }

    static IbvSendWR send(int opcode, int id, IbvSge... elements) {
        IbvSendWR request = new IbvSendWR();
        request.setWr_id(id);
        request.setOpcode(opcode);
        request.setSend_flags(IbvSendWR.IBV_SEND_SIGNALED);
        request.setSg_list(new LinkedList<>(List.of(elements)));
        request.setNum_sge(elements.length);
        return request;
    }

    void receive(RdmaCmId id, int number, IbvSge... elements) throws IOException {
        IbvRecvWR request = new IbvRecvWR();
        request.setWr_id(number);
        request.setSg_list(new LinkedList<>(List.of(elements)));
        request.setNum_sge(elements.length);
        id.getQp().postRecv(List.of(request), null).execute().free();
    }

    /** The next completion, in an object of its own. */
    IbvWC completion() throws IOException {
        if (next > 0 || fill()) {
            next--;
            return completions[filled - next - 1].clone();
        }
        throw new AssertionError("there was no completion");
    }

    private boolean fill() throws IOException {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        do {
            filled = poll.execute().getPolls();
            next = filled;
        } while (filled == 0 && System.nanoTime() < endNs);
        return filled > 0;
    }

    @Override
    public void close() throws IOException {
        IOException failure = new IOException("the connection was not taken down");
        closeAfter(failure);
        if (failure.getSuppressed().length > 0) {
            throw failure;
        }
    }

    /** Takes everything back, whatever of it fails. */
    private void closeAfter(Throwable failure) {
        while (!cleanUp.isEmpty()) {
            try {
                cleanUp.pop().run();
            } catch (Exception | Error e) {
                failure.addSuppressed(e);
            }
        }
    }
}
