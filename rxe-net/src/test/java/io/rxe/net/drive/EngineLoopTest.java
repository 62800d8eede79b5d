package io.rxe.net.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.IoEventLoop;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.rxe.net.Frames;
import io.rxe.net.SilentPort;
import io.rxe.net.StubEngine;
import io.rxe.net.TestNode;
import io.rxe.net.observe.FrameVerdict;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.SendStatus;
import io.rxe.net.port.SystemClock;
import io.rxe.net.port.Warnings;
import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.port.Progress;
import io.rxe.wire.Opcode;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The loop of an engine that threads drive by polling, on an event loop whose tasks the test runs. */
class EngineLoopTest {
    private static final Flow FLOW = Frames.flow("127.0.0.1", 4791, "127.0.0.2", 4791);
    private static final int FRAMES_PER_POLL = 2;
    private static final EngineDriver.Settings SETTINGS = new EngineDriver.Settings(0, 1, Progress.POLLING, false);

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<String> warned = new ArrayList<>();
    private final EngineOwnership ownership = new EngineOwnership();
    private final BulkCore core = new BulkCore();
    private boolean scheduleThrows;
    /** What the latest timer runs when it expires. */
    private Runnable scheduled;

    /** Runs nothing by itself; its timers never expire by themselves. */
    private IoEventLoop eventLoop() {
        return (IoEventLoop) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {IoEventLoop.class},
            (proxy, method, arguments) -> {
                if (method.getName().equals("execute")) {
                    tasks.add((Runnable) arguments[0]);
                } else if (method.getName().equals("schedule")) {
                    if (scheduleThrows) {
                        throw new IllegalStateException("thrown by the test");
                    }
                    scheduled = (Runnable) arguments[0];
                } else if (method.getName().equals("terminationFuture")) {
                    return ImmediateEventExecutor.INSTANCE.newPromise();
                }
                return method.getReturnType() == boolean.class ? false : null;
            });
    }

    /** Sends two frames in each of its first polls; more is due at once until the last of them. */
    private static final class BulkCore extends StubEngine {
        private int pollsLeft;
        private long deadlineNs = Long.MAX_VALUE;

        @Override
        public int poll(long nowNs, PacketSink sink) {
            if (pollsLeft == 0) {
                return 0;
            }
            pollsLeft--;
            for (int frame = 0; frame < FRAMES_PER_POLL; frame++) {
                Frames.send(sink, FLOW, Opcode.RC_SEND_MIDDLE, 5, frame, 1024, new Random(1));
            }
            return FRAMES_PER_POLL;
        }

        @Override
        public long nextDeadlineNs() {
            return pollsLeft == 0 ? deadlineNs : Long.MIN_VALUE;
        }
    }

    /** Notes the frames of each send. */
    private static final class SendingPort extends SilentPort {
        private final List<Integer> sends = new ArrayList<>();

        @Override
        public SendStatus send(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, int segmentBytes) {
            sends.add(lengthBytes / segmentBytes);
            return SendStatus.SENT;
        }

        @Override
        public boolean canSegment() {
            return true;
        }
    }

    /** An engine whose loop sleeps, and whose core has something to send for so many polls. */
    private EngineDriver engine(SendingPort port, int polls) throws Exception {
        EngineDriver engine = new EngineDriver(SETTINGS, eventLoop(), port, new NetCounters(null, null), new FrameVerdict(),
            new Warnings(warned::add));
        engine.attach(core, List.of(), TestNode.upkeep());
        engine.start();
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
        core.pollsLeft = polls;
        return engine;
    }

    private static void onAnotherThread(Runnable work) throws InterruptedException {
        Thread other = new Thread(work);
        other.start();
        other.join();
    }

    @Test
    @DisplayName("a fault of the loop that happens while another thread has the engine is reported later, once")
    void aFaultWhileAnotherThreadHasTheEngine() throws Exception {
        Warnings warnings = new Warnings(warned::add);
        LoopFaults faults = new LoopFaults(0, warnings, true);
        Iteration iteration = new Iteration(SETTINGS, new SilentPort(), new NetCounters(null, null), new FrameVerdict(), warnings, faults,
            SystemClock::nowNs);
        iteration.attach(new StubEngine(), List.of());
        EngineLoop loop = new EngineLoop(eventLoop(), true, true, ownership, iteration, new EngineCommands(ownership, () -> { }, () -> { }),
            faults);
        ownership.begin();
        onAnotherThread(() -> assertTrue(ownership.tryAcquire()));
        scheduleThrows = true;
        loop.start();
        tasks.remove().run();
        assertEquals(List.of(), warned, "only the owner may report");
        scheduleThrows = false;
        onAnotherThread(ownership::release);
        tasks.remove().run();
        assertEquals(1, warned.size(), warned::toString);
        assertTrue(warned.get(0).contains("thrown by the test"), warned::toString);
        loop.wake();
        tasks.remove().run();
        assertEquals(1, warned.size(), warned::toString);
    }

    @Test
    @DisplayName("a batch that a poll began is filled by the next")
    void theNextPollFillsTheBatch() throws Exception {
        SendingPort port = new SendingPort();
        EngineDriver engine = engine(port, 3);
        assertTrue(engine.progress());
        assertTrue(engine.progress());
        assertEquals(List.of(), port.sends, "while more is due at once");
        assertTrue(engine.progress());
        assertEquals(List.of(3 * FRAMES_PER_POLL), port.sends);
    }

    @Test
    @DisplayName("a batch that a thread began before it polled no more is filled and sent by the loop")
    void theLoopFillsTheBatch() throws Exception {
        SendingPort port = new SendingPort();
        assertTrue(engine(port, 2).progress());
        assertEquals(List.of(), port.sends);
        // The loop slept and was woken; unless this thread was too slow it lends the engine, and looks again later.
        tasks.remove().run();
        Thread.sleep(2 * EngineOwnership.POLLED_NS / 1_000_000 + 1);
        if (port.sends.isEmpty()) {
            scheduled.run();
        }
        assertEquals(List.of(2 * FRAMES_PER_POLL), port.sends);
    }

    @Test
    @DisplayName("a timer that the event loop forgot, as it does without memory, is made up for by the watchdog, and set again")
    void aTimerThatWasForgotten() throws Exception {
        core.deadlineNs = SystemClock.nowNs();
        EngineDriver engine = engine(new SendingPort(), 0);
        assertNotNull(scheduled);
        scheduled = null;
        engine.watch();
        tasks.remove().run();
        assertNotNull(scheduled);
    }

    @Test
    @DisplayName("a poll that takes long keeps the engine from counting as not polled, a command does not")
    void aLongPoll() {
        long laterNs = 100 * EngineOwnership.POLLED_NS;
        assertTrue(ownership.tryAcquire());
        ownership.onPollBegins();
        ownership.onPolled(0);
        assertTrue(ownership.isPolled(laterNs));
        ownership.release();
        assertFalse(ownership.isPolled(laterNs));
        assertTrue(ownership.isPolled(1));
        assertTrue(ownership.tryAcquire());
        assertFalse(ownership.isPolled(laterNs));
    }
}
