package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.port.NetCounter;
import io.rxe.net.port.SystemClock;
import io.rxe.port.Flow;
import io.rxe.wire.Bth;
import io.rxe.wire.Opcode;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EngineDriverTest {
    private static final int POSTS = 2_000;
    private static final int COMMANDS = 50;

    private static TestNode node(boolean spin) throws Exception {
        return new TestNode(options(spin));
    }

    private static RxeNicOptions options(boolean spin) {
        return RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1", "127.0.0.2")).withSpin(spin);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCommandRunsOnTheLoopAndIsDoneWhenCallReturns(boolean spin) throws Exception {
        try (TestNode node = node(spin)) {
            AtomicReference<Thread> ranOn = new AtomicReference<>();
            node.await(() -> node.polls.get() > 0, "the loop owns the engine from its first run on");
            node.loop.call(() -> ranOn.set(Thread.currentThread()));
            assertTrue(ranOn.get().getName().startsWith("test-engine"));
            node.loop.call(() -> node.loop.call(() -> ranOn.set(null)));
            assertEquals(null, ranOn.get(), "a command given on the loop's own thread runs at once");
            assertFalse(node.loop.isCurrent());
            node.loop.call(() -> assertTrue(node.loop.isCurrent()));
        }
    }

    @Test
    void callThrowsWhatTheCommandThrows() throws Exception {
        try (TestNode node = node(false)) {
            IllegalStateException thrown = new IllegalStateException("no");
            assertSame(thrown, assertThrows(IllegalStateException.class, () -> node.loop.call(() -> {
                throw thrown;
            })));
        }
    }

    @Test
    void anInterruptedCallerStillWaitsForItsCommand() throws Exception {
        try (TestNode node = node(false)) {
            AtomicReference<String> done = new AtomicReference<>();
            Thread.currentThread().interrupt();
            node.loop.call(() -> done.set("done"));
            assertTrue(Thread.interrupted());
            assertEquals("done", done.get());
        }
    }

    @Test
    void afterTheLoopHasTerminatedACommandRunsOnTheCaller() throws Exception {
        TestNode node = node(false);
        node.close();
        AtomicReference<Thread> ranOn = new AtomicReference<>();
        node.loop.call(() -> ranOn.set(Thread.currentThread()));
        assertSame(Thread.currentThread(), ranOn.get());
        node.loop.wake();
        node.close();
    }

    @Test
    void aBatchIsNotFlushedWhileTheEngineHasMoreToSend() throws Exception {
        try (TestNode node = node(false); TestNode peer = node(false)) {
            Flow flow = Frames.flow("127.0.0.1", node.udpPort, "127.0.0.1", peer.udpPort);
            Random random = new Random(1);
            // Posted on the loop's own thread, so that no poll runs between the two.
            node.loop.call(() -> {
                node.toSend.add(sink -> {
                    Frames.send(sink, flow, Opcode.RC_SEND_FIRST, 5, 1, 1024, random);
                    // In the past: the next frame is due at once.
                    node.deadlineNs = Long.MIN_VALUE;
                    return 1;
                });
                node.toSend.add(sink -> {
                    Frames.send(sink, flow, Opcode.RC_SEND_MIDDLE, 5, 2, 1024, random);
                    return 1;
                });
            });
            peer.next();
            peer.next();
            assertEquals(2, node.count(NetCounter.SENT_FRAMES));
            assertEquals(1, node.count(NetCounter.SEND_CALLS));
        }
    }

    @Test
    void aSingleRequestIsPolledForBeforeTheAcknowledgementBehindItIsDelivered() throws Exception {
        try (TestNode node = node(false); TestNode peer = node(false)) {
            Flow flow = Frames.flow("127.0.0.1", node.udpPort, "127.0.0.1", peer.udpPort);
            Random random = new Random(1);
            // An idle period begins with a receive that finds nothing.
            peer.await(() -> peer.polls.get() > 0, "the first poll");
            node.send(sink -> {
                Frames.send(sink, flow, Opcode.RC_SEND_ONLY, 5, 1, 64, random);
                Frames.send(sink, flow, Opcode.RC_ACKNOWLEDGE, 5, 1, 0, random);
                return 1;
            });
            TestNode.Received request = peer.next();
            TestNode.Received acknowledgement = peer.next();
            assertEquals(1, peer.count(NetCounter.RECEIVED_BATCHES));
            assertEquals(Opcode.RC_SEND_ONLY.code(), Bth.opcode(request.bytes(), 0));
            assertEquals(Opcode.RC_ACKNOWLEDGE.code(), Bth.opcode(acknowledgement.bytes(), 0));
            assertEquals(request.polls() + 1, acknowledgement.polls());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noWakeIsLost(boolean spin) throws Exception {
        try (TestNode node = node(spin)) {
            for (int post = 0; post < POSTS; post++) {
                CountDownLatch polled = new CountDownLatch(1);
                node.send(sink -> {
                    polled.countDown();
                    return 1;
                });
                assertTrue(polled.await(20, TimeUnit.SECONDS), "post " + post + " is polled");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theEngineIsPolledEvenWhenCommandsNeverPause(boolean spin) throws Exception {
        try (TestNode node = node(spin)) {
            CountDownLatch ended = new CountDownLatch(1);
            AtomicInteger pollsAtFirst = new AtomicInteger();
            AtomicInteger pollsAtLast = new AtomicInteger();
            node.loop.call(() -> {
                pollsAtFirst.set(node.polls.get());
                callNext(node, COMMANDS, () -> {
                    pollsAtLast.set(node.polls.get());
                    ended.countDown();
                });
            });
            assertTrue(ended.await(20, TimeUnit.SECONDS));
            assertTrue(pollsAtLast.get() - pollsAtFirst.get() >= COMMANDS / 2, pollsAtFirst + " polls, then " + pollsAtLast);
        }
    }

    /** On the loop: returns when the next command is queued, which does the same; so one is pending at any time until the last. */
    private static void callNext(TestNode node, int commands, Runnable last) {
        Runnable next = commands == 0 ? last : () -> callNext(node, commands - 1, last);
        Thread caller = new Thread(() -> node.loop.call(next));
        caller.start();
        while (caller.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void closeSendsWhatTheEngineStillHasToSend(boolean spin) throws Exception {
        try (TestNode node = node(spin); TestNode peer = node(false)) {
            Flow flow = Frames.flow("127.0.0.1", node.udpPort, "127.0.0.1", peer.udpPort);
            // On the loop's own thread, so that no poll runs in between.
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
        }
    }

    @Test
    void aSocketThatStaysFullDoesNotBlockClose() throws Exception {
        RxeNicOptions options = options(false);
        try (TestNode sender = new TestNode(options, inner -> new BusyPort(inner, Integer.MAX_VALUE), 0, 1)) {
            Flow flow = Frames.flow("127.0.0.1", sender.udpPort, "127.0.0.1", 9);
            sender.send(sink -> {
                Frames.send(sink, flow, Opcode.RC_SEND_ONLY, 5, 0, 64, new Random(1));
                return 1;
            });
            sender.await(sender.toSend::isEmpty, "the sink has the frame");
            sender.loop.close();
            assertEquals(0, sender.count(NetCounter.SENT_FRAMES));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theDeadlineOfAnIdleEngineIsKept(boolean spin) throws Exception {
        try (TestNode node = node(spin)) {
            for (int iteration = 0; iteration < 3; iteration++) {
                long deadlineNs = SystemClock.nowNs() + 3_000_000;
                node.loop.call(() -> node.deadlineNs = deadlineNs);
                assertEquals(0, node.next().bytes().capacity());
                assertTrue(SystemClock.nowNs() >= deadlineNs);
            }
        }
    }

    @Test
    void anEarlierDeadlineOverridesALaterOne() throws Exception {
        try (TestNode node = node(false)) {
            node.loop.call(() -> node.deadlineNs = SystemClock.nowNs() + TimeUnit.HOURS.toNanos(1));
            node.loop.call(() -> node.deadlineNs = SystemClock.nowNs() + 1_000_000);
            assertEquals(0, node.next().bytes().capacity());
        }
    }

    @Test
    void anExceptionOfTheEngineIsReportedAndTheLoopContinues() throws Exception {
        try (TestNode node = node(false)) {
            node.send(sink -> {
                // Removed, or the next poll would throw again.
                node.toSend.remove();
                throw new IllegalStateException("thrown by the test");
            });
            String warning = node.warnings.poll(20, TimeUnit.SECONDS);
            assertTrue(warning != null && warning.contains("thrown by the test"), warning);
            node.loop.call(() -> { });
            node.loop.wake();
        }
    }

    @Test
    void framesForAFullSocketAreSentWhenItHasRoom() throws Exception {
        RxeNicOptions options = options(false);
        int port = options.udpPort();
        try (TestNode receiver = new TestNode(options.withAddress("127.0.0.2"));
             TestNode sender = new TestNode(options, inner -> new BusyPort(inner, 3), 0, 1)) {
            Flow flow = Frames.flow("127.0.0.1", port, "127.0.0.2", port);
            sender.send(sink -> {
                Frames.send(sink, flow, Opcode.RC_SEND_ONLY, 17, 9, 40, new Random(1));
                return 1;
            });
            assertEquals(9, Bth.psn(receiver.next().bytes(), 0));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFrameThatArrivesAtTheWrongEngineIsForwarded(boolean spin) throws Exception {
        RxeNicOptions zero = options(spin);
        RxeNicOptions one = options(spin);
        try (TestNode first = new TestNode(zero, port -> port, 0, 2); TestNode second = new TestNode(one, port -> port, 1, 2);
             TestNode sender = new TestNode(options(false))) {
            TestNode.join(List.of(first, second));
            Flow flow = Frames.flow("127.0.0.1", sender.udpPort, "127.0.0.1", zero.udpPort());
            sender.send(sink -> {
                for (int qpn = 2; qpn < 22; qpn++) {
                    Frames.send(sink, flow, Opcode.RC_SEND_ONLY, qpn, 0, 40, new Random(1));
                }
                return 1;
            });
            for (int qpn = 2; qpn < 22; qpn += 2) {
                assertEquals(qpn, Bth.destinationQpn(first.next().bytes(), 0));
                TestNode.Received other = second.next();
                assertEquals(qpn + 1, Bth.destinationQpn(other.bytes(), 0));
                assertEquals(flow, other.flow());
            }
            assertEquals(10, first.count(NetCounter.FORWARDED_FRAMES));
        }
    }
}
