package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.drive.Watchdog;
import io.rxe.net.port.ForwardingPort;
import io.rxe.net.port.UdpPort;
import io.rxe.port.Flow;
import io.rxe.port.Progress;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Opcode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Whatever is thrown on an engine's thread, the engine goes on or fails with a word, and the NIC can be closed")
class EngineFaultTest {
    private static final int FILE_BYTES = 1 << 20;

    /** A port that throws. */
    private static final class ThrowingPort extends ForwardingPort {
        final AtomicInteger receivesToThrow = new AtomicInteger();
        volatile boolean closeThrows;

        ThrowingPort(UdpPort inner) {
            super(inner);
        }

        @Override
        public int receive(int maxBytes) {
            if (receivesToThrow.get() > 0 && receivesToThrow.getAndDecrement() > 0) {
                throw new OutOfMemoryError("thrown by the test");
            }
            return super.receive(maxBytes);
        }

        @Override
        public void close() {
            super.close();
            if (closeThrows) {
                throw new InternalError("thrown by the test");
            }
        }
    }

    private final BlockingQueue<String> warnings = new LinkedBlockingQueue<>();

    private static RxeNicOptions options() {
        return RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1", "127.0.0.2")).withCounterFile(false);
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(20, TimeUnit.SECONDS);
        assertNotNull(next, "nothing came within 20 s");
        return next;
    }

    private static void expectPolls(TestNode node) throws InterruptedException {
        CountDownLatch polled = new CountDownLatch(1);
        node.send(sink -> {
            polled.countDown();
            return 1;
        });
        assertTrue(polled.await(20, TimeUnit.SECONDS), "the loop polls on");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("an Error of a poll fails the engine, and the loop goes on")
    void anErrorOfPoll(boolean spin) throws Exception {
        try (TestNode node = new TestNode(options().withSpin(spin))) {
            Error thrown = new OutOfMemoryError("thrown by the test");
            node.send(sink -> {
                node.toSend.remove();
                throw thrown;
            });
            assertSame(thrown, next(node.failures));
            assertTrue(next(node.warnings).contains("-Xmx"));
            expectPolls(node);
        }
    }

    @Test
    @DisplayName("an Error of a received packet, as from direct memory used up, fails the engine; later packets arrive")
    void anErrorOfAPacket() throws Exception {
        try (TestNode node = new TestNode(options()); TestNode peer = new TestNode(options())) {
            Error thrown = new OutOfMemoryError("Cannot reserve 270336 bytes of direct buffer memory");
            node.throwOnPacket = thrown;
            Flow flow = Frames.flow("127.0.0.1", peer.udpPort, "127.0.0.1", node.udpPort);
            peer.send(sink -> {
                Frames.send(sink, flow, Opcode.RC_SEND_ONLY, 5, 1, 64, new Random(1));
                return 1;
            });
            assertSame(thrown, next(node.failures));
            assertTrue(next(node.warnings).contains("MaxDirectMemorySize"));
            peer.send(sink -> {
                Frames.send(sink, flow, Opcode.RC_SEND_ONLY, 5, 2, 64, new Random(1));
                return 1;
            });
            node.next();
        }
    }

    @Test
    @DisplayName("an Error of socket code costs a warning; only when no iteration succeeds any more the engine fails")
    void anErrorOfTheSocket() throws Exception {
        AtomicReference<ThrowingPort> port = new AtomicReference<>();
        try (TestNode node = new TestNode(options(), inner -> {
            port.set(new ThrowingPort(inner));
            return port.get();
        }, 0, 1)) {
            port.get().receivesToThrow.set(3);
            node.wake();
            assertTrue(next(node.warnings).contains("goes on"));
            expectPolls(node);
            assertTrue(node.failures.isEmpty());
            port.get().receivesToThrow.set(Integer.MAX_VALUE);
            while (node.failures.isEmpty()) {
                // An idle loop sleeps; traffic would wake it.
                node.wake();
                Thread.onSpinWait();
            }
            port.get().receivesToThrow.set(0);
            expectPolls(node);
        }
    }

    /** An Error that cannot even be analysed, because memory is used up. */
    private static final class WithoutMemory extends OutOfMemoryError {
        private static final long serialVersionUID = 1;

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new OutOfMemoryError("no memory for a stack trace");
        }

        @Override
        public String toString() {
            throw new OutOfMemoryError("no memory for a sentence");
        }
    }

    @Test
    @DisplayName("an Error that cannot be analysed for want of memory fails the engine all the same, and the loop goes on")
    void anErrorOfTheAnalysis() throws Exception {
        try (TestNode node = new TestNode(options())) {
            Error thrown = new WithoutMemory();
            node.send(sink -> {
                node.toSend.remove();
                throw thrown;
            });
            assertSame(thrown, next(node.failures));
            expectPolls(node);
        }
    }

    @Test
    @DisplayName("the watchdog goes on whatever a tick throws")
    void anErrorOfTheWatchdog() throws Exception {
        CountDownLatch ticks = new CountDownLatch(3);
        Runnable throwing = () -> {
            ticks.countDown();
            throw new OutOfMemoryError("thrown by the test");
        };
        Watchdog.watch(throwing);
        try {
            assertTrue(ticks.await(20, TimeUnit.SECONDS), "the third tick");
        } finally {
            Watchdog.forget(throwing);
        }
    }

    @Test
    @DisplayName("when the event loop itself ends the engine fails, and close works")
    void theEventLoopEnds() throws Exception {
        try (TestNode node = new TestNode(options())) {
            node.endEventLoop();
            assertTrue(next(node.failures).getMessage().contains("event loop ended"));
            assertTrue(next(node.warnings).contains("open another"));
            node.loop.call(() -> { });
            node.wake();
        }
    }

    private QueuePairLink[] link(RxeNic one, RxeNic two, Consumer<CompletionQueue> listener) {
        QueuePairLink from = new QueuePairLink(one.device(), ByteBuffer.allocateDirect(4096), CompletionChannel.calling(listener));
        QueuePairLink to = new QueuePairLink(two.device(), 4096);
        QueuePairLink.connect(from, to, PathMtu.MTU_1024);
        return new QueuePairLink[] {from, to};
    }

    private static void write(QueuePairLink from, QueuePairLink to, int lengthBytes) {
        from.queuePair.postSend(new WorkRequest().id(7).write(to.region.address(), to.region.rKey()).add(from.region, 0, lengthBytes));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("a listener that throws an Error is reported with its name, and its connection goes on")
    void aListenerThrows(boolean recursing) throws Exception {
        RxeNicOptions options = options().withWarnings(warnings::add);
        try (RxeNic one = RxeNic.open(options); RxeNic two = RxeNic.open(options.withAddress("127.0.0.2"))) {
            QueuePairLink[] ends = link(one, two, queue -> {
                if (recursing) {
                    recurse(0);
                }
                throw new NoClassDefFoundError("thrown by the listener");
            });
            write(ends[0], ends[1], 8);
            ends[0].complete();
            String warning = next(warnings);
            assertTrue(warning.contains("listener") && warning.contains(recursing ? "recurse" : "thrown by the listener"), warning);
            write(ends[0], ends[1], 8);
            ends[0].complete();
            assertEquals(QueuePairState.RTS, ends[0].queuePair.state());
        }
    }

    private static int recurse(int depth) {
        return depth < 0 ? depth : recurse(depth + 1) + 1;
    }

    @Test
    @DisplayName("a listener that does not return is named while it blocks, again, and when it returned")
    void aListenerBlocks() throws Exception {
        RxeNicOptions options = options().withWarnings(warnings::add);
        CountDownLatch end = new CountDownLatch(1);
        try (RxeNic one = RxeNic.open(options); RxeNic two = RxeNic.open(options.withAddress("127.0.0.2"))) {
            QueuePairLink[] ends = link(one, two, queue -> blockUntil(end));
            write(ends[0], ends[1], 8);
            String warning = next(warnings);
            assertTrue(warning.contains("EngineFaultTest") && warning.contains("must not block"), warning);
            String again = next(warnings);
            assertTrue(again.contains("EngineFaultTest") && again.contains("must not block"), again);
            end.countDown();
            ends[0].complete();
            String over = next(warnings);
            assertTrue(over.contains("goes on") && over.contains("EngineFaultTest"), over);
            write(ends[0], ends[1], 8);
            ends[0].complete();
        } finally {
            end.countDown();
        }
    }

    @ParameterizedTest
    @EnumSource(Progress.class)
    @DisplayName("close does not wait for ever for a listener: it names it, releases the rest, and what the listener kept when it returns")
    void closeWhileAListenerBlocks(Progress progress) throws Exception {
        RxeNicOptions options = options().withWarnings(warnings::add).withProgress(progress);
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch inside = new CountDownLatch(1);
        RxeNic one = RxeNic.open(options);
        Thread poller = new Thread(() -> {
            while (!one.isClosed()) {
                one.core().progress().drive();
            }
        }, "test-poller");
        try (RxeNic two = RxeNic.open(options.withAddress("127.0.0.2").withProgress(Progress.THREAD))) {
            QueuePairLink[] ends = link(one, two, queue -> {
                inside.countDown();
                blockUntil(end);
            });
            write(ends[0], ends[1], 8);
            poller.start();
            inside.await();
            one.close();
            assertTrue(warnings.stream().anyMatch(warning -> warning.contains("closing the NIC failed at its loop")
                && warning.contains("is held by thread") && warning.contains("blockUntil")), warnings::toString);
            assertThrows(IOException.class, () -> RxeNic.open(options), "the listener keeps the socket");
            end.countDown();
            poller.join();
            assertTimeoutPreemptively(Duration.ofSeconds(20), () -> awaitOpen(options).close());
        } finally {
            end.countDown();
        }
    }

    private static RxeNic awaitOpen(RxeNicOptions options) {
        while (true) {
            try {
                return RxeNic.open(options);
            } catch (IOException e) {
                Thread.yield();
            }
        }
    }

    private static void blockUntil(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    @DisplayName("a NIC cannot be closed on an engine's thread, where it would wait for itself")
    void closeInAListener() throws Exception {
        RxeNicOptions options = options().withWarnings(warnings::add);
        BlockingQueue<String> refusals = new LinkedBlockingQueue<>();
        try (RxeNic one = RxeNic.open(options); RxeNic two = RxeNic.open(options.withAddress("127.0.0.2"))) {
            QueuePairLink[] ends = link(one, two, queue ->
                refusals.add(assertThrows(IllegalStateException.class, one::close).getMessage()));
            write(ends[0], ends[1], 8);
            assertTrue(next(refusals).contains("another thread"));
        }
    }

    @Test
    @DisplayName("the counter file truncated: the NICs go on, the file is restored, and each NIC of the process says so")
    void theCounterFileIsTruncated() throws Exception {
        BlockingQueue<String> others = new LinkedBlockingQueue<>();
        RxeNicOptions options = options().withCounterFile(true).withWarnings(warnings::add);
        try (RxeNic one = RxeNic.open(options);
             RxeNic two = RxeNic.open(options.withAddress("127.0.0.2").withWarnings(others::add))) {
            QueuePairLink.exchange(one, two, PathMtu.MTU_1024, 5000);
            Path file = one.socketInfo().counterFile();
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                long size = channel.size();
                channel.truncate(0);
                String warning = next(warnings);
                assertTrue(warning.contains("was truncated by another program"), warning);
                assertEquals(size, channel.size());
                String other = next(others);
                assertTrue(other.contains("was truncated by another program"), other);
            }
            int failures = 0;
            while (!isServing(one, two)) {
                failures++;
                assertTrue(failures <= 2, "each of the two engines meets the fault once after the repair at most");
            }
            QueuePairLink.exchange(one, two, PathMtu.MTU_1024, 5000);
        }
        warnings.addAll(others);
        assertFalse(warnings.stream().anyMatch(one -> one.contains("failed")), () -> warnings.toString());
    }

    /** Whether a new connection works. The JVM may deliver a fault late, while a queue pair is served, which then fails. */
    private static boolean isServing(RxeNic one, RxeNic two) {
        QueuePairLink from = new QueuePairLink(one.device(), 4096);
        QueuePairLink to = new QueuePairLink(two.device(), 4096);
        QueuePairLink.connect(from, to, PathMtu.MTU_1024);
        write(from, to, 100);
        if (from.completion().isSuccess()) {
            return true;
        }
        assertTrue(from.queuePair.state() == QueuePairState.ERROR, () -> from.queuePair.state() + " after a failed completion");
        return false;
    }

    @Test
    @DisplayName("a registered mapped file truncated: its queue pair fails, and the NIC can be closed")
    void aRegisteredFileIsTruncated(@TempDir Path folder) throws Exception {
        RxeNicOptions options = options().withWarnings(warnings::add);
        try (RxeNic one = RxeNic.open(options); RxeNic two = RxeNic.open(options.withAddress("127.0.0.2"));
             FileChannel file = FileChannel.open(folder.resolve("memory"), StandardOpenOption.CREATE, StandardOpenOption.READ,
                 StandardOpenOption.WRITE)) {
            QueuePairLink from = new QueuePairLink(one.device(), 4096);
            QueuePairLink to = new QueuePairLink(two.device(), file.map(FileChannel.MapMode.READ_WRITE, 0, FILE_BYTES), null);
            QueuePairLink.connect(from, to, PathMtu.MTU_1024);
            write(from, to, 1000);
            from.complete();
            file.truncate(0);
            write(from, to, 1000);
            from.completion();
            assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
                while (to.queuePair.state() != QueuePairState.ERROR) {
                    Thread.sleep(1);
                }
            });
        }
    }

    @Test
    @DisplayName("close releases everything even when a part of it throws")
    void closeReleasesEverything() throws Exception {
        RxeNicOptions options = options().withWarnings(warnings::add);
        RxeNic nic = RxeNic.open(options.withFault((inner, counters) -> {
            ThrowingPort port = new ThrowingPort(inner);
            port.closeThrows = true;
            return port;
        }));
        nic.close();
        assertTrue(next(warnings).contains("thrown by the test"));
        RxeNic.open(options).close();
    }
}
