package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.RejectReason;
import io.rxe.port.SameThread;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("Who waits for connection events wakes up with an event, a wake-up, or the reason why none will come")
@Timeout(60)
class CmEventChannelTest {
    private static final String CLOSED = "the event channel is closed: create another";

    private final CmPair pair = new CmPair();
    private final CmEventChannel channel = pair.server.channel;

    /** A thread that waits for ever; returns once it does. */
    private FutureTask<Optional<CmEvent>> waiter() {
        return waiter(() -> Optional.ofNullable(channel.await(Long.MAX_VALUE)));
    }

    private static Thread start(FutureTask<?> task) {
        Thread thread = new Thread(task, "waiter");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static <T> FutureTask<T> waiter(Callable<T> wait) {
        FutureTask<T> task = new FutureTask<>(wait);
        Thread thread = start(task);
        while (thread.getState() != Thread.State.TIMED_WAITING && thread.getState() != Thread.State.WAITING && !task.isDone()) {
            Thread.onSpinWait();
        }
        return task;
    }

    private static <T> T get(FutureTask<T> task) throws Exception {
        return task.get(30, TimeUnit.SECONDS);
    }

    private static String refusal(FutureTask<?> task) {
        Throwable cause = assertThrows(ExecutionException.class, () -> get(task)).getCause();
        return assertInstanceOf(IllegalStateException.class, cause).getMessage();
    }

    @Test
    void anEventWakesOneWaiter() throws Exception {
        FutureTask<Optional<CmEvent>> waiter = waiter();
        pair.connect().network.run(CmNetwork.LATENCY_NS);
        assertEquals(CmEvent.Type.CONNECT_REQUEST, get(waiter).orElseThrow().type());
    }

    @Test
    void wakeupReturnsNullToAWaiter() throws Exception {
        FutureTask<Optional<CmEvent>> waiter = waiter();
        channel.wakeup();
        assertTrue(get(waiter).isEmpty());
    }

    @Test
    void wakeupBeforeTheWaitCounts() throws Exception {
        channel.wakeup();
        channel.wakeup();
        assertNull(channel.poll());
        assertNull(channel.await(Long.MAX_VALUE));
        FutureTask<Optional<CmEvent>> waiter = waiter();
        channel.wakeup();
        assertTrue(get(waiter).isEmpty(), "two wake-ups counted as one");
    }

    @Test
    void closeWakesEveryWaiterAndRefusesEveryCall() {
        FutureTask<Optional<CmEvent>> one = waiter();
        FutureTask<Optional<CmEvent>> two = waiter();
        channel.close();
        assertEquals(CLOSED, refusal(one));
        assertEquals(CLOSED, refusal(two));
        assertEquals(CLOSED, assertThrows(IllegalStateException.class, channel::poll).getMessage());
        assertEquals(CLOSED, assertThrows(IllegalStateException.class, () -> channel.await(Long.MAX_VALUE)).getMessage());
        assertEquals(CLOSED,
            assertThrows(IllegalStateException.class, () -> pair.server.service.listen(channel, PortSpace.TCP, 9)).getMessage());
        assertEquals(CLOSED, assertThrows(IllegalStateException.class, () -> pair.server.service.connector(channel)).getMessage());
        channel.close();
    }

    @Test
    void aConnectorOfAClosedChannelRefuses() {
        Connector connector = pair.client.service.connector(pair.client.channel);
        pair.client.channel.close();
        FakeQueuePair queuePair = pair.client.queuePair();
        assertEquals(CLOSED, assertThrows(IllegalStateException.class,
            () -> connector.connect(queuePair, pair.server.gid, CmPair.PORT, new ConnectParameters())).getMessage());
    }

    @Test
    void requestsInAChannelThatIsClosedAreRejected() {
        pair.connect().network.run(CmNetwork.LATENCY_NS);
        channel.close();
        pair.network.run(CmNetwork.LATENCY_NS);
        assertEquals(RejectReason.CONSUMER.code(), pair.client.take(CmEvent.Type.REJECTED).status());
        pair.connect().network.run(2 * CmNetwork.LATENCY_NS);
        assertEquals(RejectReason.NO_RESOURCES.code(), pair.client.take(CmEvent.Type.REJECTED).status(), "the listener is still there");
    }

    @Test
    void theReplyToAConnectInAChannelThatIsClosedIsRejected() {
        pair.connect().requested().accept();
        pair.client.channel.close();
        pair.network.run(3 * CmNetwork.LATENCY_NS);
        assertEquals(RejectReason.CONSUMER.code(), pair.server.take(CmEvent.Type.REJECTED).status());
        assertEquals(0, pair.network.sent(CmAttribute.RTU).size());
    }

    @Test
    void theEndOfTheNicWakesEveryWaiterOfItsChannelsOnly() throws Exception {
        CmEventChannel shared = new CmEventChannel();
        pair.server.service.connector(shared);
        pair.client.service.connector(shared);
        FutureTask<Optional<CmEvent>> one = waiter();
        FutureTask<Optional<CmEvent>> two = waiter();
        FutureTask<CmEvent> ofBoth = waiter(() -> shared.await(Long.MAX_VALUE));
        pair.server.service.close();
        String expected = "the NIC at " + pair.server.gid.address() + " is closed: open another";
        assertEquals(expected, refusal(one));
        assertEquals(expected, refusal(two));
        shared.wakeup();
        assertNull(get(ofBoth), "the other NIC can still report");
        CmNode another = pair.network.add("10.0.0.9");
        another.service.connector(channel);
        assertNull(channel.poll(), "a channel of an open NIC again");
    }

    @Test
    void aListenerRunsForEventsWakeupsAndTheEnd() {
        AtomicInteger calls = new AtomicInteger();
        CmEventChannel told = new CmEventChannel(8, calls::incrementAndGet);
        pair.server.service.listen(told, PortSpace.TCP, 8);
        pair.client.service.connector(pair.client.channel).connect(pair.client.queuePair(), pair.server.gid, 8, new ConnectParameters());
        pair.network.run(CmNetwork.LATENCY_NS);
        assertEquals(1, calls.get());
        assertNotNull(told.poll());
        told.wakeup();
        assertEquals(2, calls.get());
        pair.server.service.close();
        assertTrue(calls.get() > 2, "the end of the request and of the NIC");
    }

    /** As one that hands events to an executor which was shut down. */
    private static CmEventChannel refusing() {
        return new CmEventChannel(8, () -> {
            throw new RejectedExecutionException("shut down");
        });
    }

    @Test
    @DisplayName("what a listener throws is reported, and the connection goes on to its end")
    void aListenerThrows() {
        List<Throwable> reported = new ArrayList<>();
        ConnectionService service = new ConnectionService(pair.server.core, new SameThread() {
            @Override
            public void report(String where, Throwable fault) {
                reported.add(fault);
            }
        }, new FakeQueuePairs());
        CmEventChannel refusing = refusing();
        service.listen(refusing, PortSpace.TCP, 8);
        CmConnection connection = pair.client.service.connector(pair.client.channel).connect(pair.client.queuePair(), pair.server.gid, 8,
            new ConnectParameters());
        pair.network.run(CmNetwork.LATENCY_NS);
        refusing.poll().connection().accept(pair.server.queuePair(), new ConnectParameters());
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.client.take(CmEvent.Type.ESTABLISHED);
        pair.network.run(CmNetwork.LATENCY_NS);
        assertEquals(CmEvent.Type.ESTABLISHED, refusing.poll().type());
        connection.disconnect();
        pair.network.run(CmNetwork.SECOND * 100);
        assertEquals(CmEvent.Type.DISCONNECTED, refusing.poll().type());
        assertEquals(CmEvent.Type.TIMEWAIT_EXIT, refusing.poll().type());
        assertEquals(0, pair.server.core.exchanges());
        assertEquals(4, reported.size(), reported::toString);
    }

    @Test
    @DisplayName("the end of the NIC reaches every channel, also where the listener of another one throws")
    void aListenerThrowsAtTheEnd() {
        CmEventChannel one = refusing();
        CmEventChannel other = refusing();
        pair.server.service.connector(one);
        pair.server.service.connector(other);
        assertThrows(RejectedExecutionException.class, pair.server.service::close);
        assertThrows(IllegalStateException.class, one::poll);
        assertThrows(IllegalStateException.class, other::poll);
    }

    @Test
    @DisplayName("several threads that wait, poll and wake receive every event once")
    void everyEventIsTakenOnce() throws Exception {
        int connections = 100;
        AtomicInteger taken = new AtomicInteger();
        Callable<Boolean> takeUntilAll = () -> {
            while (taken.get() < connections) {
                CmEvent event = channel.await(Long.MAX_VALUE);
                if (event != null) {
                    taken.incrementAndGet();
                }
            }
            channel.wakeup();
            return true;
        };
        FutureTask<Boolean> one = waiter(takeUntilAll);
        FutureTask<Boolean> two = waiter(takeUntilAll);
        FutureTask<Boolean> polling = new FutureTask<>(() -> {
            while (taken.get() < connections) {
                if (channel.poll() != null) {
                    taken.incrementAndGet();
                }
                Thread.yield();
            }
            channel.wakeup();
            return true;
        });
        start(polling);
        for (int i = 0; i < connections; i++) {
            pair.connect().network.run(CmNetwork.LATENCY_NS);
        }
        assertTrue(get(polling));
        assertTrue(get(one));
        assertTrue(get(two));
        assertEquals(connections, taken.get());
        assertNull(channel.poll());
    }
}
