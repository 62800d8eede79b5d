package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.port.ForwardingPort;
import io.rxe.net.port.NetCounter;
import io.rxe.net.port.SystemClock;
import io.rxe.net.port.UdpPort;
import io.rxe.port.Flow;
import io.rxe.port.Progress;
import io.rxe.wire.Bth;
import io.rxe.wire.Opcode;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An engine that whoever polls drives, with a stub of the core on real sockets. */
class PolledDriverTest {
    private static final int POSTS = 2_000;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static RxeNicOptions options(Progress progress) {
        return RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1", "127.0.0.2")).withProgress(progress);
    }

    private static TestNode node(Progress progress) throws Exception {
        return new TestNode(options(progress));
    }

    /** Polls until the test is over. */
    private static final class Poller implements AutoCloseable {
        private final AtomicBoolean over = new AtomicBoolean();
        private final AtomicReference<Throwable> thrown = new AtomicReference<>();
        private final Thread thread;

        Poller(TestNode node) {
            thread = new Thread(() -> {
                try {
                    while (!over.get()) {
                        node.loop.progress();
                    }
                } catch (Throwable e) {
                    thrown.set(e);
                }
            }, "test-poller");
            thread.start();
        }

        @Override
        public void close() {
            over.set(true);
            assertTimeoutPreemptively(LIMIT, () -> thread.join());
            assertNull(thrown.get(), () -> "a poll threw " + thrown.get());
        }
    }

    @Test
    @DisplayName("a command runs on the thread that owns the engine, which is the caller's where nobody polls")
    void aCommandRunsOnTheOwner() throws Exception {
        try (TestNode node = node(Progress.MANUAL)) {
            AtomicReference<Thread> ranOn = new AtomicReference<>();
            node.loop.call(() -> {
                ranOn.set(Thread.currentThread());
                assertTrue(node.loop.isCurrent());
                assertTrue(node.loop.wouldBlock());
                assertFalse(node.loop.progress(), "an owner does not drive the engine within itself");
                node.loop.call(() -> assertTrue(node.loop.isCurrent()));
            });
            assertSame(Thread.currentThread(), ranOn.get());
            assertFalse(node.loop.isCurrent());
            assertEquals(0, node.polls.get());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POLLING", "MANUAL"})
    @DisplayName("commands of several threads run while others poll, and throw at their callers only")
    void commandsRunWhileOthersPoll(Progress progress) throws Exception {
        try (TestNode node = node(progress); Poller one = new Poller(node); Poller two = new Poller(node)) {
            IllegalStateException thrown = new IllegalStateException("no");
            int[] ran = {0};
            for (int command = 0; command < POSTS; command++) {
                node.loop.call(() -> ran[0]++);
                assertSame(thrown, assertThrows(IllegalStateException.class, () -> node.loop.call(() -> {
                    throw thrown;
                })));
            }
            assertEquals(POSTS, ran[0]);
            Thread.currentThread().interrupt();
            node.loop.call(() -> ran[0]++);
            assertTrue(Thread.interrupted(), "an interrupted caller still waits for its command");
            assertEquals(POSTS + 1, ran[0]);
            assertTrue(one.thread.isAlive() && two.thread.isAlive());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    @DisplayName("no post is lost, whether no thread polls, one or two")
    void noWakeIsLost(int pollers) throws Exception {
        try (TestNode node = node(Progress.POLLING); Poller one = pollers > 0 ? new Poller(node) : null;
             Poller two = pollers > 1 ? new Poller(node) : null) {
            for (int post = 0; post < POSTS; post++) {
                CountDownLatch polled = new CountDownLatch(1);
                node.send(sink -> {
                    polled.countDown();
                    return 1;
                });
                assertTrue(polled.await(20, TimeUnit.SECONDS), "post " + post + " is polled");
            }
            assertEquals(pollers, (one == null ? 0 : 1) + (two == null ? 0 : 1));
        }
    }

    @Test
    @DisplayName("a thread that polled and went away leaves frames, posts and deadlines to the loop")
    void theLoopTakesOverFromAThreadThatPolled() throws Exception {
        RxeNicOptions options = options(Progress.POLLING);
        try (TestNode node = new TestNode(options); TestNode peer = new TestNode(options.withAddress("127.0.0.2"))) {
            Flow flow = Frames.flow("127.0.0.2", options.udpPort(), "127.0.0.1", options.udpPort());
            for (int psn = 0; psn < 50; psn++) {
                for (int polls = 0; polls < 20; polls++) {
                    node.loop.progress();
                }
                int number = psn;
                peer.send(sink -> {
                    Frames.send(sink, flow, Opcode.RC_SEND_ONLY, 5, number, 64, new Random(1));
                    return 1;
                });
                assertEquals(psn, Bth.psn(node.next().bytes(), 0));
                node.loop.progress();
                long deadlineNs = SystemClock.nowNs() + 100_000;
                node.loop.call(() -> node.deadlineNs = deadlineNs);
                node.loop.progress();
                assertEquals(0, node.next().bytes().capacity());
            }
        }
    }

    @Test
    @DisplayName("without threads the owner of a poll receives, keeps deadlines and sends what it began at once")
    void aNodeWithoutThreadsIsDrivenByPolls() throws Exception {
        RxeNicOptions options = options(Progress.MANUAL);
        try (TestNode node = new TestNode(options); TestNode peer = new TestNode(options.withAddress("127.0.0.2"))) {
            Flow flow = Frames.flow("127.0.0.1", options.udpPort(), "127.0.0.2", options.udpPort());
            node.send(sink -> {
                Frames.send(sink, flow, Opcode.RC_SEND_FIRST, 5, 7, 1024, new Random(1));
                // More is due at once, so that the batch stays open.
                node.deadlineNs = Long.MIN_VALUE;
                return 1;
            });
            assertEquals(0, node.polls.get());
            assertTrue(node.loop.progress());
            assertEquals(1, node.polls.get());
            assertTimeoutPreemptively(LIMIT, () -> {
                while (peer.received.isEmpty()) {
                    peer.loop.progress();
                }
            });
            assertEquals(7, Bth.psn(peer.next().bytes(), 0));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POLLING", "MANUAL"})
    @DisplayName("what the engine throws in a poll fails the engine, and never leaves the poll")
    void whatTheEngineThrowsStaysInside(Progress progress) throws Exception {
        try (TestNode node = node(progress)) {
            RuntimeException thrown = new IllegalStateException("thrown by the test");
            node.toSend.add(sink -> {
                node.toSend.remove();
                throw thrown;
            });
            assertTimeoutPreemptively(LIMIT, () -> {
                while (node.failures.isEmpty()) {
                    node.loop.progress();
                }
            });
            assertSame(thrown, node.failures.poll());
            node.loop.call(() -> assertTrue(node.loop.isCurrent()));
            assertFalse(node.loop.isCurrent(), "the engine was given back");
            assertTrue(node.warnings.poll(20, TimeUnit.SECONDS).contains("thrown by the test"));
        }
    }

    @Test
    @DisplayName("a thread that polls never waits after repeated faults: the engine pauses instead")
    void repeatedFaultsPauseTheEngineAndNotThePoller() throws Exception {
        RxeNicOptions options = options(Progress.MANUAL);
        try (TestNode node = new TestNode(options, FailingPort::new, 0, 1)) {
            assertTimeoutPreemptively(LIMIT, () -> {
                while (node.failures.isEmpty()) {
                    node.loop.progress();
                }
            });
            assertEquals("no socket", node.failures.poll().getMessage());
        }
    }

    private static final class FailingPort extends ForwardingPort {
        FailingPort(UdpPort inner) {
            super(inner);
        }

        @Override
        public int receive(int maxBytes) {
            throw new IllegalStateException("no socket");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POLLING", "MANUAL"})
    @DisplayName("close sends what is left, while threads poll; a poll after it does nothing")
    void closeWhileThreadsPoll(Progress progress) throws Exception {
        RxeNicOptions options = options(progress);
        try (TestNode peer = new TestNode(options.withAddress("127.0.0.2").withProgress(Progress.THREAD));
             TestNode node = new TestNode(options); Poller one = new Poller(node); Poller two = new Poller(node)) {
            Flow flow = Frames.flow("127.0.0.1", options.udpPort(), "127.0.0.2", options.udpPort());
            node.loop.call(() -> {
                for (int psn = 0; psn < 3; psn++) {
                    int number = psn;
                    node.toSend.add(sink -> {
                        Frames.send(sink, flow, Opcode.RC_SEND_ONLY, 5, number, 64, new Random(1));
                        return 1;
                    });
                }
                node.loop.close();
            });
            for (int psn = 0; psn < 3; psn++) {
                assertEquals(psn, Bth.psn(peer.next().bytes(), 0));
            }
            int polls = node.polls.get();
            assertFalse(node.loop.progress());
            assertEquals(polls, node.polls.get());
            assertTrue(one.thread.isAlive() && two.thread.isAlive());
        }
    }

    @Test
    @DisplayName("a full socket is tried again when no thread polls any more")
    void framesForAFullSocketAreSentWhenItHasRoom() throws Exception {
        RxeNicOptions options = options(Progress.POLLING);
        try (TestNode receiver = new TestNode(options.withAddress("127.0.0.2"));
             TestNode sender = new TestNode(options, inner -> new BusyPort(inner, 3), 0, 1)) {
            Flow flow = Frames.flow("127.0.0.1", options.udpPort(), "127.0.0.2", options.udpPort());
            sender.toSend.add(sink -> {
                Frames.send(sink, flow, Opcode.RC_SEND_ONLY, 17, 9, 40, new Random(1));
                return 1;
            });
            sender.loop.progress();
            assertEquals(9, Bth.psn(receiver.next().bytes(), 0));
        }
    }

    @Test
    @DisplayName("a peer that sends most gets a socket of its own, opened by whoever polls, and the loop is woken by it")
    void theDedicatedSocketWakesTheLoop() throws Exception {
        RxeNicOptions options = options(Progress.POLLING);
        AtomicInteger sleeps = new AtomicInteger();
        try (TestNode node = new TestNode(options, inner -> new SleepCountingPort(inner, sleeps), 0, 1);
             TestNode peer = new TestNode(options.withAddress("127.0.0.2").withProgress(Progress.THREAD))) {
            Flow flow = Frames.flow("127.0.0.2", options.udpPort(), "127.0.0.1", options.udpPort());
            int psn = 0;
            try (Poller poller = new Poller(node)) {
                for (; psn < 1_500; psn++) {
                    send(peer, flow, psn);
                    assertEquals(psn, Bth.psn(node.next().bytes(), 0));
                }
                assertNotNull(poller.thread);
            }
            assertEquals(1, node.count(NetCounter.PEER_SOCKETS));
            for (int more = 0; more < 50; more++) {
                int before = sleeps.get();
                send(peer, flow, psn + more);
                assertEquals(psn + more, Bth.psn(node.next().bytes(), 0));
                node.await(() -> sleeps.get() > before, "the loop falls asleep");
            }
        }
    }

    /** Counts how often a loop falls asleep. */
    private static final class SleepCountingPort extends ForwardingPort {
        private final AtomicInteger sleeps;

        SleepCountingPort(UdpPort inner, AtomicInteger sleeps) {
            super(inner);
            this.sleeps = sleeps;
        }

        @Override
        public void rearm() {
            super.rearm();
            sleeps.incrementAndGet();
        }
    }

    private static void send(TestNode from, Flow flow, int psn) {
        from.send(sink -> {
            Frames.send(sink, flow, Opcode.RC_SEND_ONLY, 5, psn, 64, new Random(1));
            return 1;
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"POLLING", "MANUAL"})
    @DisplayName("a frame that arrives at another engine is forwarded, whoever drives the two")
    void aFrameThatArrivesAtTheWrongEngineIsForwarded(Progress progress) throws Exception {
        RxeNicOptions zero = options(progress);
        RxeNicOptions one = options(progress);
        try (TestNode first = new TestNode(zero, port -> port, 0, 2); TestNode second = new TestNode(one, port -> port, 1, 2);
             TestNode sender = new TestNode(options(Progress.THREAD))) {
            TestNode.join(List.of(first, second));
            Flow flow = Frames.flow("127.0.0.1", sender.udpPort, "127.0.0.1", zero.udpPort());
            try (Poller a = new Poller(first); Poller b = new Poller(second)) {
                send(sender, flow, 0);
                // Destination queue pair 5 belongs to engine 1.
                assertEquals(5, Bth.destinationQpn(second.next().bytes(), 0));
                assertTrue(a.thread.isAlive() && b.thread.isAlive());
            }
        }
    }

    @Test
    @DisplayName("the engine fails when its event loop ends while the NIC is open")
    void theEndOfTheLoopFailsTheEngine() throws Exception {
        try (TestNode node = node(Progress.POLLING); Poller poller = new Poller(node)) {
            node.endEventLoop();
            Throwable cause = node.failures.poll(20, TimeUnit.SECONDS);
            assertNotNull(cause);
            assertEquals("the event loop ended while the NIC was open", cause.getMessage());
            assertTrue(poller.thread.isAlive());
        }
    }
}
