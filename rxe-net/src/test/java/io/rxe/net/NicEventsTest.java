package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.CmConnection;
import io.rxe.cm.CmEvent;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.ConnectionService;
import io.rxe.cm.PortSpace;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("One thread waits in one place for completions, connection events and asynchronous events")
@Timeout(240)
class NicEventsTest {
    private final int udpPort = FreePorts.udp("127.0.0.2", "127.0.0.1");

    /** A wait that has begun. */
    private static FutureTask<NicEvent> waiter(NicEvents events) {
        FutureTask<NicEvent> waiter = new FutureTask<>(() -> events.await(Long.MAX_VALUE));
        Thread thread = new Thread(waiter, "waiter");
        thread.setDaemon(true);
        thread.start();
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            assertFalse(waiter.isDone());
            Thread.onSpinWait();
        }
        return waiter;
    }

    private static String refusal(FutureTask<?> waiter) {
        return assertThrows(ExecutionException.class, () -> waiter.get(60, TimeUnit.SECONDS)).getCause().getMessage();
    }

    private static NicEvent next(NicEvents events) throws InterruptedException {
        NicEvent event = events.await(CmSide.LIMIT_NS);
        assertNotNull(event, "nothing within a minute");
        return event;
    }

    @Test
    @DisplayName("a selector of Java waits for the events of a NIC: one file descriptor, readable while an event may wait")
    @SuppressWarnings("try")
    void aSelectorWaitsForEvents() throws Exception {
        try (RxeNic nic = RxeNic.open(CmSide.options("127.0.0.2", udpPort)); NicEvents events = nic.events();
             CmSide client = new CmSide(CmSide.options("127.0.0.1", udpPort)); Selector selector = Selector.open()) {
            nic.connections().listen(events.connectionChannel(), PortSpace.TCP, CmSide.PORT);
            assertSame(events.selectableChannel(), events.selectableChannel());
            events.selectableChannel().register(selector, SelectionKey.OP_READ);
            assertEquals(1, selector.selectNow(), "what came before it was opened is not missed");
            selector.selectedKeys().clear();
            assertNull(events.await(0));
            assertEquals(0, selector.selectNow());
            client.begin("127.0.0.2");
            assertEquals(1, selector.select(60_000));
            selector.selectedKeys().clear();
            assertEquals(CmEvent.Type.CONNECT_REQUEST, events.await(0).connection().type());
            assertNull(events.await(0));
            assertEquals(0, selector.selectNow());
            // An interrupted thread must not close the channel.
            Thread.currentThread().interrupt();
            events.wakeup();
            assertTrue(Thread.interrupted());
            assertEquals(1, selector.selectNow());
            selector.selectedKeys().clear();
            assertNull(events.await(0));
            assertNull(events.await(0));
            assertEquals(0, selector.selectNow());
            nic.close();
            assertEquals(1, selector.select(60_000));
            String why = assertThrows(IllegalStateException.class, () -> {
                for (long beganNs = System.nanoTime(); System.nanoTime() - beganNs < CmSide.LIMIT_NS;) {
                    // What the close reports comes first.
                    events.await(0);
                }
            }).getMessage();
            assertTrue(why.contains("closed"), why);
        }
    }

    @Test
    void aServerHearsOfRequestsMessagesAndEnds() throws Exception {
        try (RxeNic nic = RxeNic.open(CmSide.options("127.0.0.2", udpPort)); NicEvents events = nic.events();
             CmSide client = new CmSide(CmSide.options("127.0.0.1", udpPort))) {
            CompletionQueue completions = nic.device().createCompletionQueue(8, events.completionChannel());
            ProtectionDomain domain = nic.device().allocateProtectionDomain();
            MemoryRegion region = domain.register(ByteBuffer.allocateDirect(64), AccessFlags.LOCAL_WRITE);
            QueuePair queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions));
            ConnectionService.prepare(queuePair);
            assertTrue(queuePair.postReceive(new ReceiveRequest().id(5).add(region, 0, 64)));
            completions.requestNotification(false);
            nic.connections().listen(events.connectionChannel(), PortSpace.TCP, CmSide.PORT);

            CmConnection connection = client.begin("127.0.0.2");
            CmEvent request = next(events).connection();
            assertEquals(CmEvent.Type.CONNECT_REQUEST, request.type());
            request.connection().accept(queuePair, new ConnectParameters());
            client.await(CmEvent.Type.ESTABLISHED);
            client.send();
            WorkCompletion completion = new WorkCompletion();
            boolean established = false;
            boolean received = false;
            while (!established || !received) {
                NicEvent event = next(events);
                established |= event.connection() != null && event.connection().type() == CmEvent.Type.ESTABLISHED;
                if (event.completionQueue() != null) {
                    assertSame(completions, event.completionQueue());
                    assertTrue(completions.poll(completion));
                    assertEquals(5, completion.workRequestId());
                    received = true;
                }
            }
            connection.disconnect();
            assertEquals(CmEvent.Type.DISCONNECTED, next(events).connection().type());
        }
    }

    @Test
    void anAsynchronousEventWakesTheWaiter() throws Exception {
        try (RxeNic nic = RxeNic.open(CmSide.options("127.0.0.1", udpPort)); NicEvents events = nic.events()) {
            FutureTask<NicEvent> waiter = waiter(events);
            nic.core().engine(0).thread().call(() -> nic.core().engine(0).fail(new IllegalStateException("thrown by the test")));
            AsyncEvent event = waiter.get(60, TimeUnit.SECONDS).async();
            assertEquals(AsyncEvent.Type.DEVICE_FATAL, event.type());
        }
    }

    @Test
    void wakeupAndTimeoutReturnNull() throws Exception {
        try (RxeNic nic = RxeNic.open(CmSide.options("127.0.0.1", udpPort)); NicEvents events = nic.events()) {
            FutureTask<NicEvent> waiter = waiter(events);
            events.wakeup();
            assertNull(waiter.get(60, TimeUnit.SECONDS));
            assertNull(events.await(0));
            assertNull(events.await(1_000_000));
            events.wakeup();
            assertNull(events.await(Long.MAX_VALUE));
        }
    }

    @Test
    void closingEitherWakesEveryWaiterWithTheReason() throws Exception {
        RxeNic nic = RxeNic.open(CmSide.options("127.0.0.1", udpPort));
        try {
            NicEvents closed = nic.events();
            FutureTask<NicEvent> one = waiter(closed);
            FutureTask<NicEvent> two = waiter(closed);
            closed.close();
            closed.close();
            assertTrue(refusal(one).startsWith("these NicEvents are closed"), "one");
            assertTrue(refusal(two).startsWith("these NicEvents are closed"), "two");
            assertThrows(IllegalStateException.class, () -> closed.await(Long.MAX_VALUE));

            NicEvents open = nic.events();
            FutureTask<NicEvent> third = waiter(open);
            nic.close();
            assertEquals("the NIC at 127.0.0.1 is closed: open another", refusal(third));
            assertThrows(IllegalStateException.class, () -> open.await(Long.MAX_VALUE));
            assertThrows(IllegalStateException.class, nic::events);
        } finally {
            nic.close();
        }
    }
}
