package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.CmEvent;
import io.rxe.cm.CmEventChannel;
import io.rxe.cm.PortSpace;
import io.rxe.port.Progress;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("NICs that the application's threads drive")
@Timeout(240)
class ProgressTest {
    private static final int ROUNDS = 2_000;
    private static final String HERE = "127.0.0.1";
    private static final String THERE = "127.0.0.2";
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);

    private final int udpPort = FreePorts.udp(HERE, THERE);
    private final BlockingQueue<String> warnings = new LinkedBlockingQueue<>();

    private RxeNic open(String address, Progress progress) throws Exception {
        return RxeNic.open(RxeNicOptions.defaults(address).withUdpPort(udpPort).withProgress(progress).withWarnings(warnings::add));
    }

    private static Set<String> engineThreads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).filter(name -> name.startsWith("rxe-"))
            .collect(Collectors.toSet());
    }

    /** One end of a ping-pong: posts its receives again, and answers. */
    private static final class End {
        private final QueuePairLink link;
        private final CompletionQueue queue;
        private final WorkCompletion completion = new WorkCompletion();
        private final WorkRequest send;
        private final ReceiveRequest receive;
        private int received;
        private int sent;

        End(RxeNic nic, CompletionChannel channel) {
            link = new QueuePairLink(nic.device(), ByteBuffer.allocateDirect(64), channel);
            queue = link.completions();
            send = new WorkRequest().id(1).send().add(link.region, 0, 8);
            receive = new ReceiveRequest().id(2).add(link.region, 8, 8);
        }

        private End withReceives() {
            for (int i = 0; i < 4; i++) {
                assertTrue(link.queuePair.postReceive(receive));
            }
            return this;
        }

        static List<End> connected(RxeNic one, RxeNic two, CompletionChannel channel) {
            End first = new End(one, null);
            End second = new End(two, channel);
            QueuePairLink.connect(first.link, second.link, one.device().portMtu());
            return List.of(first.withReceives(), second.withReceives());
        }

        void send() {
            assertTrue(link.queuePair.postSend(send));
        }

        /** Takes one completion; whether a message came. */
        boolean poll() {
            if (!queue.poll(completion)) {
                return false;
            }
            assertTrue(completion.isSuccess(), completion.toString());
            if (completion.workRequestId() == 1) {
                sent++;
                return false;
            }
            received++;
            assertTrue(link.queuePair.postReceive(receive));
            return true;
        }
    }

    @Test
    @DisplayName("two NICs without threads do a ping-pong in one thread, and no thread comes into being")
    void twoNicsInOneThread() throws Exception {
        Set<String> before = engineThreads();
        try (RxeNic one = open(HERE, Progress.MANUAL); RxeNic two = open(THERE, Progress.MANUAL)) {
            List<End> ends = End.connected(one, two, null);
            End first = ends.get(0);
            End second = ends.get(1);
            first.send();
            while (first.received < ROUNDS) {
                if (first.poll() && first.received < ROUNDS) {
                    first.send();
                }
                if (second.poll()) {
                    second.send();
                }
            }
            assertEquals(ROUNDS, first.received);
            assertEquals(ROUNDS, second.received);
            Set<String> started = engineThreads();
            started.removeAll(before);
            assertEquals(Set.of(), started);
            // With no completion queue in sight, too.
            while (one.progress() || two.progress()) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    @DisplayName("what was posted before its memory is deregistered leaves first, also where nobody has driven the NIC since")
    void postedBeforeDeregistered() throws Exception {
        try (RxeNic one = open(HERE, Progress.MANUAL); RxeNic two = open(THERE, Progress.MANUAL)) {
            List<End> ends = End.connected(one, two, null);
            ends.get(0).send();
            ends.get(0).link.region.deregister();
            boolean isReceived = false;
            while (!isReceived || ends.get(0).sent == 0) {
                isReceived |= ends.get(1).poll();
                ends.get(0).poll();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Progress.class)
    @DisplayName("what was posted before its memory is deregistered leaves first, also where another thread has the engine meanwhile")
    void postedBeforeDeregisteredByAnother(Progress progress) throws Exception {
        try (RxeNic one = open(HERE, progress); RxeNic two = open(THERE, Progress.THREAD)) {
            CountDownLatch held = new CountDownLatch(1);
            CountDownLatch posted = new CountDownLatch(1);
            List<End> ends = End.connected(two, one, CompletionChannel.calling(queue -> {
                held.countDown();
                assertDoesNotThrow(() -> posted.await());
            }));
            ends.get(0).send();
            FutureTask<Object> holder = start(() -> {
                while (held.getCount() > 0) {
                    one.progress();
                }
                return null;
            });
            held.await();
            End end = ends.get(1);
            end.send();
            Thread deregistering = new Thread(end.link.region::deregister);
            deregistering.start();
            while (deregistering.getState() != Thread.State.TIMED_WAITING) {
                assertTrue(deregistering.isAlive(), "waits for the engine");
            }
            posted.countDown();
            deregistering.join();
            holder.get(60, TimeUnit.SECONDS);
            WorkCompletion completion = new WorkCompletion();
            while (!end.queue.poll(completion) || completion.workRequestId() != 1) {
                assertTrue(completion.isSuccess(), completion.toString());
            }
            assertTrue(completion.isSuccess(), completion.toString());
        }
    }

    @Test
    @DisplayName("two NICs whose ends poll, each in a thread of its own, do a ping-pong")
    void twoThreadsThatPoll() throws Exception {
        try (RxeNic one = open(HERE, Progress.POLLING); RxeNic two = open(THERE, Progress.POLLING)) {
            List<End> ends = End.connected(one, two, null);
            FutureTask<Integer> answers = start(() -> {
                End second = ends.get(1);
                while (second.received < ROUNDS) {
                    if (second.poll()) {
                        second.send();
                    }
                }
                return second.received;
            });
            End first = ends.get(0);
            first.send();
            while (first.received < ROUNDS) {
                if (first.poll() && first.received < ROUNDS) {
                    first.send();
                }
            }
            assertEquals(ROUNDS, answers.get(60, TimeUnit.SECONDS));
        }
    }

    private static <T> FutureTask<T> start(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task, "progress-test");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    @ParameterizedTest
    @EnumSource(Progress.class)
    @DisplayName("bytes arrive right by WRITE, SEND and READ, in every way of progress")
    void bytesArrive(Progress progress) throws Exception {
        try (RxeNic one = open(HERE, progress); RxeNic two = open(THERE, progress)) {
            // Polls one end at a time, so that another thread has to drive the other.
            FutureTask<Boolean> other = start(() -> {
                while (!Thread.interrupted()) {
                    one.progress();
                    two.progress();
                }
                return true;
            });
            QueuePairLink.exchange(one, two, one.device().portMtu(), 100_000);
            assertFalse(other.isDone());
            other.cancel(true);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POLLING", "MANUAL"})
    @DisplayName("a thread that polls a while, arms and waits is woken by every message, again and again")
    void aThreadThatPollsThenWaits(Progress progress) throws Exception {
        try (RxeNic one = open(HERE, Progress.THREAD); RxeNic two = open(THERE, progress); CompletionChannel channel =
            new CompletionChannel()) {
            List<End> ends = End.connected(one, two, channel);
            End first = ends.get(0);
            End second = ends.get(1);
            for (int round = 1; round <= 300; round++) {
                for (int polls = 0; polls < round % 50; polls++) {
                    second.poll();
                }
                second.queue.requestNotification(false);
                while (second.poll()) {
                    second.queue.requestNotification(false);
                }
                first.send();
                while (second.received < round) {
                    CompletionQueue ready = channel.await(LIMIT_NS);
                    assertSame(second.queue, ready, "notified within a minute");
                    second.queue.requestNotification(false);
                    while (second.poll()) {
                        Thread.onSpinWait();
                    }
                }
                while (first.sent < round) {
                    first.poll();
                }
            }
        }
    }

    @Test
    @DisplayName("a thread that polled and ended leaves its NIC to the loop: a peer's WRITEs are answered")
    void theLoopTakesOver() throws Exception {
        try (RxeNic one = open(HERE, Progress.THREAD); RxeNic two = open(THERE, Progress.POLLING)) {
            List<End> ends = End.connected(one, two, null);
            for (int round = 0; round < 100; round++) {
                Thread poller = new Thread(() -> {
                    for (int polls = 0; polls < 100; polls++) {
                        ends.get(1).queue.poll(new WorkCompletion());
                    }
                });
                poller.start();
                poller.join();
                QueuePairLink target = ends.get(1).link;
                assertTrue(ends.get(0).link.queuePair.postSend(new WorkRequest().id(3).write(target.region.address(), target.region.rKey())
                    .add(ends.get(0).link.region, 0, 8)));
                assertEquals(3, ends.get(0).link.complete().workRequestId());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POLLING", "MANUAL"})
    @DisplayName("a listener that throws in a poll is reported, the poll returns, and the engine goes on")
    void aListenerThatThrowsInAPoll(Progress progress) throws Exception {
        try (RxeNic one = open(HERE, Progress.THREAD); RxeNic two = open(THERE, progress)) {
            AtomicInteger called = new AtomicInteger();
            AtomicInteger nested = new AtomicInteger();
            CompletionQueue[] idle = new CompletionQueue[1];
            CompletionChannel calling = CompletionChannel.calling(queue -> {
                called.incrementAndGet();
                // A poll in a listener does not drive the engine that called it.
                nested.addAndGet(idle[0].poll(new WorkCompletion[] {new WorkCompletion()}));
                throw new IllegalStateException("thrown by the listener");
            });
            idle[0] = two.device().createCompletionQueue(16);
            List<End> ends = End.connected(one, two, calling);
            ends.get(0).send();
            WorkCompletion completion = new WorkCompletion();
            while (called.get() == 0) {
                assertFalse(idle[0].poll(completion));
            }
            assertTrue(warnings.poll(60, TimeUnit.SECONDS).contains("thrown by the listener"));
            while (!ends.get(1).poll()) {
                assertFalse(idle[0].poll(completion));
            }
            assertEquals(0, nested.get());
            ends.get(0).send();
            while (!ends.get(1).poll()) {
                assertFalse(idle[0].poll(completion));
            }
            assertEquals(1, called.get(), "it was not armed again");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POLLING", "MANUAL"})
    @DisplayName("four threads poll while the NIC is closed: each poll then says so")
    void closeWhileThreadsPoll(Progress progress) throws Exception {
        RxeNic nic = open(HERE, progress);
        try {
            CompletionQueue queue = nic.device().createCompletionQueue(16);
            AtomicInteger polls = new AtomicInteger();
            List<FutureTask<Object>> pollers = IntStream.range(0, 4).mapToObj(index -> start(() -> {
                WorkCompletion completion = new WorkCompletion();
                while (!queue.poll(completion)) {
                    polls.incrementAndGet();
                }
                return null;
            })).toList();
            while (polls.get() < 1000) {
                Thread.onSpinWait();
            }
            nic.close();
            for (FutureTask<Object> poller : pollers) {
                Throwable thrown = assertThrows(ExecutionException.class, () -> poller.get(60, TimeUnit.SECONDS)).getCause();
                assertTrue(thrown instanceof IllegalStateException && thrown.getMessage().contains("closed"), thrown.toString());
            }
            assertTrue(assertThrows(IllegalStateException.class, nic::progress).getMessage().contains("is closed: open another"));
        } finally {
            nic.close();
        }
        assertEquals(List.of(), List.copyOf(warnings));
    }

    @Test
    @DisplayName("connection management without threads: a thread that waits for its events drives its NIC")
    void connectionsWithoutThreads() throws Exception {
        try (CmSide client = new CmSide(CmSide.options(HERE, udpPort).withProgress(Progress.MANUAL));
             CmSide server = new CmSide(CmSide.options(THERE, udpPort).withProgress(Progress.MANUAL))) {
            server.listen();
            FutureTask<Boolean> served = start(() -> {
                server.accept();
                server.await(CmEvent.Type.ESTABLISHED);
                assertTrue(server.completion().isSuccess());
                server.await(CmEvent.Type.DISCONNECTED);
                return true;
            });
            client.begin(THERE);
            client.await(CmEvent.Type.ESTABLISHED).connection();
            client.send();
            assertTrue(client.completion().isSuccess());
            client.closeNic();
            assertTrue(served.get(60, TimeUnit.SECONDS));
        }
    }

    @Test
    @DisplayName("the events of a NIC without threads: await drives it, and there is nothing to select")
    void eventsWithoutThreads() throws Exception {
        try (RxeNic nic = open(HERE, Progress.MANUAL); NicEvents events = nic.events();
             CmSide client = new CmSide(CmSide.options(THERE, udpPort))) {
            nic.connections().listen(events.connectionChannel(), PortSpace.TCP, CmSide.PORT);
            assertNull(events.await(1_000_000));
            client.begin(HERE);
            NicEvent event = events.await(LIMIT_NS);
            assertNotNull(event);
            assertEquals(CmEvent.Type.CONNECT_REQUEST, event.connection().type());
            event.connection().connection().reject(new byte[0]);
            // What a call begins leaves with the next progress.
            assertTrue(nic.progress());
            assertTrue(assertThrows(IllegalStateException.class, events::selectableChannel).getMessage().contains("no thread"));
            client.await(CmEvent.Type.REJECTED);
        }
    }

    @Test
    @DisplayName("a wait without threads ends after its timeout, when it is woken and when it is interrupted")
    void waitsWithoutThreadsEnd() throws Exception {
        try (RxeNic nic = open(HERE, Progress.MANUAL); CompletionChannel channel = new CompletionChannel();
             CmEventChannel connections = new CmEventChannel()) {
            CompletionQueue queue = nic.device().createCompletionQueue(16, channel);
            nic.connections().connector(connections);
            assertNull(channel.await(0));
            assertNull(channel.await(3_000_000));
            assertNull(connections.await(3_000_000));
            FutureTask<CompletionQueue> waiter = start(() -> channel.await(Long.MAX_VALUE));
            channel.wakeup();
            assertNull(waiter.get(60, TimeUnit.SECONDS));
            Thread.currentThread().interrupt();
            assertThrows(InterruptedException.class, () -> channel.await(Long.MAX_VALUE));
            queue.close();
            assertTrue(assertThrows(IllegalStateException.class, () -> channel.await(Long.MAX_VALUE)).getMessage()
                .contains("no queue of this completion channel is open"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("without threads, threads that only poll or only wait write the capture to its file now and then")
    void theCaptureIsWritten(boolean waits, @TempDir Path folder) throws Exception {
        Path file = folder.resolve("frames.pcapng");
        RxeNicOptions options = RxeNicOptions.defaults(HERE).withUdpPort(udpPort).withProgress(Progress.MANUAL).withCaptureFile(file);
        try (RxeNic one = RxeNic.open(options); RxeNic two = open(THERE, Progress.THREAD);
             CompletionChannel channel = new CompletionChannel()) {
            long withoutFrames = Files.size(file);
            List<End> ends = End.connected(two, one, channel);
            ends.get(0).send();
            long beganNs = System.nanoTime();
            while (Files.size(file) == withoutFrames) {
                assertTrue(System.nanoTime() - beganNs < LIMIT_NS, "no frame is in the file after a minute");
                if (waits) {
                    channel.await(1_000_000);
                } else {
                    ends.get(1).poll();
                }
            }
        }
    }

    @Test
    @DisplayName("options that do not fit together are refused with the remedy")
    void optionsThatDoNotFit() {
        for (Progress progress : List.of(Progress.POLLING, Progress.MANUAL)) {
            RxeNicOptions options = RxeNicOptions.defaults(HERE).withUdpPort(udpPort).withProgress(progress);
            assertTrue(assertThrows(IllegalArgumentException.class, () -> RxeNic.open(options.withSpin(true))).getMessage()
                .contains("choose one of the two"));
        }
        assertThrows(NullPointerException.class, () -> RxeNicOptions.defaults(HERE).withProgress(null));
    }

    @Test
    @DisplayName("a NIC with threads of its own refuses to be driven by others")
    void aNicWithThreadsDrivesItself() throws Exception {
        try (RxeNic nic = open(HERE, Progress.THREAD)) {
            assertFalse(nic.progress());
            assertNull(nic.core().driver());
        }
    }
}
