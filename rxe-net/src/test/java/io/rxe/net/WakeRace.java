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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * {@link EngineDriver#wake}: what is posted while the loop falls asleep is polled without another wake. The other actor is the loop itself.
 */
final class WakeRace extends Race {
    private static final int POSTS = 500;
    private static final int PROBES = 3;
    /** The next post should come just when the loop has polled and is about to sleep. */
    private static final int SPINS = 20_000;
    private static final int DELAY_POWERS = 12;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("wake-race", true),
        EpollIoHandler.newFactory());
    private final IoEventLoop thread = (IoEventLoop) group.next();
    private final EngineDriver loop;
    private final Random random = new Random(3);
    /** Written as an application posts: without a fence. */
    private final AtomicLong posted = new AtomicLong();
    private volatile long polled;
    private boolean started;
    private int late;
    private boolean lost;

    WakeRace() {
        super("wake, " + POSTS + " posts a round", Map.of("all polled while awake", Expectation.ACCEPTABLE, "some polled after sleep",
            Expectation.INTERESTING));
        loop = TestNode.driver(Progress.THREAD, thread, new Core());
    }

    @Override
    protected void prepare() throws Exception {
        if (!started) {
            loop.start();
            started = true;
        }
        late = 0;
    }

    @Override
    protected void first() {
        // The loop's thread runs by itself.
    }

    @Override
    protected void second() throws InterruptedException {
        for (int post = 0; post < POSTS && !lost; post++) {
            long delay = random.nextInt(1 << random.nextInt(DELAY_POWERS));
            for (long spin = 0; spin < delay; spin++) {
                Thread.onSpinWait();
            }
            posted.lazySet(posted.get() + 1);
            loop.wake();
            for (int spin = 0; spin < SPINS && polled < posted.get(); spin++) {
                Thread.onSpinWait();
            }
            if (polled < posted.get()) {
                late++;
                lost = !isPolledBeforeProbe();
            }
        }
    }

    /** A task behind everything the loop has to do: when it runs, a wake that was not lost has led to a poll or stands behind it. */
    private boolean isPolledBeforeProbe() throws InterruptedException {
        for (int probe = 0; probe < PROBES && polled < posted.get(); probe++) {
            CountDownLatch ran = new CountDownLatch(1);
            thread.execute(ran::countDown);
            ran.await();
        }
        return polled == posted.get();
    }

    @Override
    protected String outcome() {
        return lost ? "lost: the loop sleeps" : late == 0 ? "all polled while awake" : "some polled after sleep";
    }

    @Override
    protected void close() {
        loop.close();
        group.shutdownGracefully();
    }

    /** An engine that takes note of what was posted. */
    private final class Core extends StubEngine {
        @Override
        public int poll(long nowNs, PacketSink sink) {
            long seen = posted.get();
            if (seen == polled) {
                return 0;
            }
            polled = seen;
            return 1;
        }
    }
}
