package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.CmConnection;
import io.rxe.cm.CmEvent;
import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.ConnectionService;
import io.rxe.cm.PortSpace;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/** A NIC with one queue pair that is connected by connection management. */
final class CmSide implements AutoCloseable {
    static final int PORT = 7471;
    /** Much longer than anything here takes. */
    static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);

    final RxeNic nic;
    final CmEventChannel events = new CmEventChannel(64);
    final CompletionQueue completions;
    final QueuePair queuePair;
    final MemoryRegion region;

    CmSide(RxeNicOptions options) throws IOException {
        nic = RxeNic.open(options);
        completions = nic.device().createCompletionQueue(64);
        ProtectionDomain domain = nic.device().allocateProtectionDomain();
        region = domain.register(ByteBuffer.allocateDirect(64), AccessFlags.ALL);
        queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions));
        ConnectionService.prepare(queuePair);
    }

    /** Options of a NIC at an address; all tests of a class share a port. */
    static RxeNicOptions options(String address, int udpPort) {
        return RxeNicOptions.defaults(address).withUdpPort(udpPort).withCounterFile(false);
    }

    void listen() {
        nic.connections().listen(events, PortSpace.TCP, PORT);
    }

    /** Accepts a request, with a receive posted. ESTABLISHED follows, when the client takes its own. */
    CmConnection accept() throws InterruptedException {
        return accept(new ConnectParameters());
    }

    CmConnection accept(ConnectParameters parameters) throws InterruptedException {
        CmConnection request = await(CmEvent.Type.CONNECT_REQUEST).connection();
        assertTrue(queuePair.postReceive(new ReceiveRequest().id(1).add(region, 0, 64)));
        request.accept(queuePair, parameters);
        return request;
    }

    /** Begins a connection, with a receive posted. */
    CmConnection begin(String server) throws IOException {
        return begin(server, new ConnectParameters());
    }

    CmConnection begin(String server, ConnectParameters parameters) throws IOException {
        assertTrue(queuePair.postReceive(new ReceiveRequest().id(1).add(region, 0, 64)));
        return nic.connections().connector(events).connect(queuePair, nic.resolve(server), PORT, parameters);
    }

    CmEvent await(CmEvent.Type type) throws InterruptedException {
        CmEvent event = events.await(LIMIT_NS);
        assertNotNull(event, () -> "no " + type + " within a minute");
        assertEquals(type, event.type(), event.toString());
        return event;
    }

    /** Sends a message; returns whether the peer acknowledged it. */
    void send() {
        assertTrue(queuePair.postSend(new WorkRequest().id(2).send().add(region, 0, 8)));
    }

    WorkCompletion completion() {
        WorkCompletion completion = new WorkCompletion();
        long beganNs = System.nanoTime();
        while (!completions.poll(completion)) {
            assertTrue(System.nanoTime() - beganNs < LIMIT_NS, "no completion within a minute");
            Thread.onSpinWait();
        }
        return completion;
    }

    /** The posted receive is flushed. */
    void expectFlush() {
        assertEquals(CompletionStatus.WR_FLUSH_ERR, completion().status());
    }

    void closeNic() {
        nic.close();
    }

    @Override
    public void close() {
        closeNic();
    }
}
