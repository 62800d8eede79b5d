package io.rxe.net;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.rxe.net.drive.EngineDriver;
import io.rxe.port.PacketSink;
import io.rxe.port.Progress;
import io.rxe.stress.Race;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The owner of an engine: two threads poll, post, give commands and fall asleep, and the engine's event loop, the third actor, drives it
 * while nobody polls. No two may be in the engine at once, and every post must be polled without another wake.
 */
final class OwnershipRace extends Race {
    private static final int STEPS = 200;
    private static final int DELAY_POWERS = 14;
    /** Far longer than the loop takes to look again: what has not happened by then never will. */
    private static final long LOST_NS = 20_000_000_000L;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("ownership-race", true),
        EpollIoHandler.newFactory());
    private final IoEventLoop loop = (IoEventLoop) group.next();
    private final EngineDriver engine = TestNode.driver(Progress.POLLING, loop, new Core());
    private final Random firstRandom = new Random(1);
    private final Random secondRandom = new Random(2);
    private final AtomicLong posted = new AtomicLong();
    private final AtomicReference<Thread> inside = new AtomicReference<>();
    private volatile long polled;
    private volatile long commands;
    private volatile boolean twoOwners;
    private boolean started;
    private boolean lost;
    private volatile boolean byLoop;
    private volatile boolean byThreads;
    private long given;

    OwnershipRace() {
        super("engine ownership, " + STEPS + " steps of two threads a round", Map.of("driven by one kind of thread", Expectation.ACCEPTABLE,
            "driven by the loop and by threads that poll", Expectation.INTERESTING));
    }

    @Override
    protected void prepare() throws Exception {
        if (!started) {
            engine.start();
            started = true;
        }
        byLoop = false;
        byThreads = false;
        commands = 0;
        given = 0;
    }

    @Override
    protected void first() {
        act(firstRandom, false);
    }

    @Override
    protected void second() {
        act(secondRandom, true);
        long endNs = System.nanoTime() + LOST_NS;
        while (!lost && polled < posted.get()) {
            lost = System.nanoTime() > endNs;
        }
    }

    private void act(Random random, boolean commanding) {
        for (int step = 0; step < STEPS; step++) {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> {
                    posted.incrementAndGet();
                    engine.wake();
                }
                case 3, 4 -> {
                    for (int polls = random.nextInt(50); polls > 0; polls--) {
                        engine.progress();
                    }
                }
                case 5 -> engine.onPollingEnds();
                case 6 -> {
                    if (commanding) {
                        given++;
                        engine.call(this::command);
                    }
                }
                default -> pause(random);
            }
        }
        engine.onPollingEnds();
    }

    private static void pause(Random random) {
        for (int spin = random.nextInt(1 << random.nextInt(DELAY_POWERS)); spin > 0; spin--) {
            Thread.onSpinWait();
        }
    }

    private void enter() {
        twoOwners |= !inside.compareAndSet(null, Thread.currentThread());
    }

    private void leave() {
        twoOwners |= !inside.compareAndSet(Thread.currentThread(), null);
    }

    private void command() {
        enter();
        commands++;
        leave();
    }

    @Override
    protected String outcome() {
        return lost ? "lost: a post is not polled" : twoOwners ? "two owners" : commands != given ? "a command ran " + commands + " times"
            : byLoop && byThreads ? "driven by the loop and by threads that poll" : "driven by one kind of thread";
    }

    @Override
    protected void close() {
        engine.close();
        group.shutdownGracefully();
    }

    /** An engine that takes note of what was posted, and of who is in it. */
    private final class Core extends StubEngine {
        @Override
        public int poll(long nowNs, PacketSink sink) {
            enter();
            long seen = posted.get();
            int work = seen == polled ? 0 : 1;
            if (work > 0 && loop.inEventLoop()) {
                byLoop = true;
            } else if (work > 0) {
                byThreads = true;
            }
            polled = seen;
            leave();
            return work;
        }
    }
}
