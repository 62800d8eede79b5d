package io.rxe.net.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.IoEventLoop;
import io.rxe.net.Frames;
import io.rxe.net.SilentPort;
import io.rxe.net.StubEngine;
import io.rxe.net.observe.FrameVerdict;
import io.rxe.net.port.FrameReceiver;
import io.rxe.net.port.NetCounter;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.UdpPort;
import io.rxe.net.port.Warnings;
import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.port.Progress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When an iteration judges timers, in virtual time: what lies in the socket comes first. */
class IterationTest {
    private static final long US = 1_000;
    private static final long STALL_US = 4_000;
    private static final Flow FLOW = Frames.flow("127.0.0.2", 4791, "127.0.0.1", 4791);

    /**
     * Each receive finds this many frames, or none; the thread stands still while it delivers them. They are hidden in a socket that a
     * receive may leave out.
     */
    private record Arrival(int frames, long stallUs, boolean isHidden) {
        Arrival(int frames, long stallUs) {
            this(frames, stallUs, false);
        }
    }

    private final Queue<Arrival> arrivals = new ArrayDeque<>();
    private final List<String> events = new ArrayList<>();
    private final NetCounters counters = new NetCounters(null, null);
    private final Iteration iteration;
    private long nowNs = US;
    private long timerNs = Long.MAX_VALUE;
    private final Core engine = new Core();
    /** Whether receives leave datagrams behind. */
    private boolean hasMore;

    private final class Port extends SilentPort {
        private FrameReceiver receiver;
        /** Whether the next receive looks into each socket. */
        private boolean looks;

        @Override
        public boolean hasMore() {
            return hasMore;
        }

        @Override
        public void lookEverywhere() {
            looks = true;
        }

        @Override
        public void start(IoEventLoop loop, FrameReceiver frames, Runnable onReady) {
            receiver = frames;
        }

        @Override
        public int receive(int maxBytes) {
            Arrival next = arrivals.peek();
            if (next == null || next.isHidden && !looks) {
                return 0;
            }
            looks = false;
            arrivals.remove();
            for (int frame = 0; frame < next.frames; frame++) {
                receiver.onFrame(new UnsafeBuffer(new byte[64]), 0, 64, FLOW);
            }
            nowNs += next.stallUs * US;
            return next.frames;
        }
    }

    private final class Core extends StubEngine {
        @Override
        public void onPacket(DirectBuffer buffer, int offset, int lengthBytes, Flow flow, long atNs) {
            events.add("frame at " + atNs / US);
        }

        @Override
        public int poll(long atNs, PacketSink sink) {
            events.add("poll at " + atNs / US);
            return 0;
        }

        @Override
        public long nextDeadlineNs() {
            // As an engine whose queue pairs wait for a timeslice.
            return Long.MIN_VALUE;
        }

        @Override
        public long nextTimerNs() {
            return timerNs;
        }
    }

    IterationTest() throws Exception {
        Warnings warnings = new Warnings(sentence -> {
            throw new AssertionError(sentence);
        });
        UdpPort port = new Port();
        iteration = new Iteration(new EngineDriver.Settings(0, 1, Progress.THREAD, false), port, counters, new FrameVerdict(), warnings,
            new LoopFaults(0, warnings, false), () -> nowNs);
        iteration.attach(engine, List.of());
        iteration.start(null, () -> { });
        assertEquals(List.of("poll at 1"), iterate());
    }

    private List<String> iterate() {
        events.clear();
        iteration.iterate();
        return List.copyOf(events);
    }

    @Test
    @DisplayName("what is received may have waited since the begin of the last receive that left nothing behind (rule G8)")
    void waitingInTheSockets() {
        hasMore = true;
        nowNs = 501 * US;
        arrivals.add(new Arrival(1, 0));
        iterate();
        assertEquals(500 * US, engine.hostDelay().unseenNs());
        hasMore = false;
        nowNs = 601 * US;
        iterate();
        assertEquals(600 * US, engine.hostDelay().unseenNs());
        nowNs = 651 * US;
        iterate();
        assertEquals(50 * US, engine.hostDelay().unseenNs());
    }

    @Test
    @DisplayName("what wakes a thread that sleeps has not waited for as long as it slept, and 250 us at most")
    void wakingUp() {
        nowNs = 101 * US;
        iteration.onSleep();
        iterate();
        assertEquals(100 * US, engine.hostDelay().unseenNs());
        nowNs = 5_101 * US;
        iteration.onSleep();
        iterate();
        assertEquals(250 * US, engine.hostDelay().unseenNs());
        nowNs = 8_101 * US;
        iterate();
        assertEquals(3_000 * US, engine.hostDelay().unseenNs());
    }

    @Test
    @DisplayName("a response that arrives while the thread stands still in a receive is processed before timers are judged")
    void aStallInAReceive() {
        timerNs = 300 * US;
        arrivals.add(new Arrival(1, STALL_US));
        arrivals.add(new Arrival(1, 0));
        assertEquals(List.of("frame at 1", "frame at 4001", "poll at 4001"), iterate());
    }

    @Test
    @DisplayName("what a stall before the iteration left in the socket is received in whole before timers are judged")
    void aStallBeforeAnIteration() {
        timerNs = 300 * US;
        nowNs += STALL_US * US;
        arrivals.addAll(List.of(new Arrival(2, 10), new Arrival(2, 10), new Arrival(1, 10)));
        assertEquals(List.of("frame at 4001", "frame at 4001", "frame at 4011", "frame at 4011", "frame at 4021", "poll at 4031"),
            iterate());
    }

    @Test
    @DisplayName("also in a socket that receives leave out at times, because it was idle")
    void aStallLooksEverywhere() {
        timerNs = 300 * US;
        arrivals.add(new Arrival(1, 0, true));
        assertEquals(List.of("poll at 1"), iterate());
        nowNs += STALL_US * US;
        arrivals.add(new Arrival(1, 0, true));
        assertEquals(List.of("frame at 4001", "frame at 4001", "poll at 4001"), iterate());
    }

    @Test
    @DisplayName("a thread that did not iterate for as long as a peer waits to a probe is counted, but not one that slept")
    void stallsAreCounted() {
        nowNs += 299 * US;
        iterate();
        assertEquals(0, counters.get(NetCounter.ENGINE_STALLS));
        nowNs += 300 * US;
        iterate();
        assertEquals(1, counters.get(NetCounter.ENGINE_STALLS), "not scheduled between two iterations");
        arrivals.add(new Arrival(1, STALL_US));
        iterate();
        iterate();
        assertEquals(2, counters.get(NetCounter.ENGINE_STALLS), "nor within one");
        iteration.rest();
        nowNs += STALL_US * US;
        iterate();
        assertEquals(2, counters.get(NetCounter.ENGINE_STALLS), "asleep");
    }

    @Test
    @DisplayName("without a stall, or without a timer that would expire, an iteration receives once, so that acknowledgements leave soon")
    void oneReceiveOtherwise() {
        timerNs = 0;
        arrivals.addAll(List.of(new Arrival(1, 50), new Arrival(1, 50)));
        assertEquals(List.of("frame at 1", "poll at 51"), iterate());
        timerNs = (STALL_US + 200) * US;
        arrivals.add(new Arrival(1, STALL_US));
        assertEquals(List.of("frame at 51", "poll at 101"), iterate());
        assertEquals(List.of("frame at 101", "poll at 4101"), iterate());
    }

    @Test
    @DisplayName("a peer that never stops sending does not keep timers from being judged")
    void catchingUpEnds() {
        timerNs = 300 * US;
        nowNs += STALL_US * US;
        arrivals.addAll(Collections.nCopies(1000, new Arrival(1, 10)));
        List<String> seen = iterate();
        assertTrue(seen.get(seen.size() - 1).startsWith("poll at "), seen::toString);
        assertTrue(arrivals.size() > 900, () -> arrivals.size() + " datagrams wait");
    }
}
