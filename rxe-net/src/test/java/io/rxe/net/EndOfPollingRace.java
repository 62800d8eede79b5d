package io.rxe.net;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.rxe.net.drive.EngineDriver;
import io.rxe.net.port.SystemClock;
import io.rxe.port.PacketSink;
import io.rxe.port.Progress;
import io.rxe.stress.Race;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The end of polling: a thread that polls takes the first step of some work and polls no more, while another polls or closes the engine.
 * The loop must take every further step by itself, unless the engine was closed; after close no step is taken.
 */
final class EndOfPollingRace extends Race {
    private static final int WORKS = 20;
    private static final int STEPS = 3;
    private static final int MOST_POLLS = 200;
    private static final long LOST_NS = 20_000_000_000L;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("end-race", true),
        EpollIoHandler.newFactory());
    private final IoEventLoop loop = (IoEventLoop) group.next();
    private final Random firstRandom = new Random(1);
    private final Random secondRandom = new Random(2);
    /** Steps that are due. */
    private final AtomicLong due = new AtomicLong();
    private EngineDriver engine;
    private volatile boolean closed;
    private volatile boolean afterClose;
    private volatile boolean byLoop;
    private boolean lost;

    EndOfPollingRace() {
        super("end of polling, " + WORKS + " works a round, then close", Map.of("all steps taken by threads that poll",
            Expectation.ACCEPTABLE, "steps taken over by the loop", Expectation.INTERESTING));
    }

    @Override
    protected void prepare() throws Exception {
        closed = false;
        byLoop = false;
        due.set(0);
        engine = TestNode.driver(Progress.POLLING, loop, new Core());
        engine.start();
    }

    @Override
    protected void first() {
        for (int polls = firstRandom.nextInt(MOST_POLLS); polls > 0; polls--) {
            engine.progress();
        }
        engine.onPollingEnds();
    }

    @Override
    protected void second() {
        for (int work = 0; work < WORKS && !lost; work++) {
            due.addAndGet(STEPS);
            // Finds one step at most. If it finds none, another thread has the engine, and need not see this work.
            if (!engine.progress()) {
                engine.wake();
            }
            if (secondRandom.nextBoolean()) {
                engine.onPollingEnds();
            }
            long endNs = System.nanoTime() + LOST_NS;
            while (!lost && due.get() > 0) {
                lost = System.nanoTime() > endNs;
            }
        }
        engine.close();
        closed = true;
    }

    @Override
    protected String outcome() {
        return lost ? "lost: the loop does not go on" : afterClose ? "driven after close" : byLoop ? "steps taken over by the loop"
            : "all steps taken by threads that poll";
    }

    @Override
    protected void close() {
        group.shutdownGracefully();
    }

    /** An engine that takes one step of its work with each poll. */
    private final class Core extends StubEngine {
        @Override
        public int poll(long nowNs, PacketSink sink) {
            afterClose |= closed;
            if (due.get() == 0) {
                return 0;
            }
            byLoop |= loop.inEventLoop();
            due.decrementAndGet();
            return 1;
        }

        @Override
        public long nextDeadlineNs() {
            return due.get() > 0 ? SystemClock.nowNs() : Long.MAX_VALUE;
        }
    }
}
