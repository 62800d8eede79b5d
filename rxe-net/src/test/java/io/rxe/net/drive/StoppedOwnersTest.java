package io.rxe.net.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.rxe.net.SilentPort;
import io.rxe.net.StubEngine;
import io.rxe.net.TestNode;
import io.rxe.net.observe.FrameVerdict;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.Warnings;
import io.rxe.port.PacketSink;
import io.rxe.port.Progress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A thousand owners, each stopped by an Error at some step, and gone then: the engine goes on, and is told of its failure")
@Timeout(240)
class StoppedOwnersTest {
    /** For each progress. */
    private static final int OWNERS = 336;

    /** Where an owner is stopped. */
    private enum Step {
        RECEIVE, POLL, COMMAND, FAIL,
        /** These are asked for by an engine that falls asleep, which has a thread. */
        DEADLINE, PORT_DEADLINE
    }

    private static final class Planted extends Error {
        private static final long serialVersionUID = 1;
    }

    private final AtomicReference<Step> planted = new AtomicReference<>();
    private final AtomicInteger polls = new AtomicInteger();
    private final AtomicInteger told = new AtomicInteger();

    private void reach(Step step) {
        if (planted.compareAndSet(step, null)) {
            throw new Planted();
        }
    }

    private final class Port extends SilentPort {
        @Override
        public int receive(int maxBytes) {
            reach(Step.RECEIVE);
            return 0;
        }

        @Override
        public long nextDeadlineNs() {
            reach(Step.PORT_DEADLINE);
            return Long.MAX_VALUE;
        }
    }

    private final class Core extends StubEngine {
        @Override
        public int poll(long nowNs, PacketSink sink) {
            polls.incrementAndGet();
            reach(Step.POLL);
            // The failure of the engine is told where another Error strikes.
            if (planted.get() == Step.FAIL) {
                throw new Planted();
            }
            return 0;
        }

        @Override
        public long nextDeadlineNs() {
            reach(Step.DEADLINE);
            return Long.MAX_VALUE;
        }

        @Override
        public void fail(Throwable cause) {
            reach(Step.FAIL);
            told.incrementAndGet();
        }
    }

    private void stopOwner(EngineDriver driver, Step step) {
        planted.set(step);
        if (step == Step.COMMAND) {
            assertThrows(Planted.class, () -> driver.call(() -> reach(Step.COMMAND)));
            return;
        }
        while (planted.get() != null) {
            driver.wake();
            Thread.yield();
            // What is thrown between two iterations of a thread that polls is thrown to it.
            try {
                driver.progress();
            } catch (Planted e) {
                assertNull(planted.get());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Progress.class)
    void theEngineGoesOn(Progress progress) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("test-engine", true),
            EpollIoHandler.newFactory());
        EngineDriver driver = new EngineDriver(new EngineDriver.Settings(0, 1, progress, false), (IoEventLoop) group.next(), new Port(),
            new NetCounters(null, null), new FrameVerdict(), new Warnings(warning -> { }));
        driver.attach(new Core(), List.of(driver), TestNode.upkeep());
        driver.start();
        AtomicReference<Throwable> unexpected = new AtomicReference<>();
        for (int i = 0; i < OWNERS; i++) {
            Step step = Step.values()[i % (progress == Progress.MANUAL ? Step.DEADLINE.ordinal() : Step.values().length)];
            Thread owner = new Thread(() -> stopOwner(driver, step));
            owner.setUncaughtExceptionHandler((thread, thrown) -> unexpected.set(thrown));
            owner.start();
            owner.join();
            assertNull(unexpected.get(), step::toString);
        }
        int before = polls.get();
        while (polls.get() == before) {
            driver.wake();
            driver.progress();
        }
        int[] ran = {0};
        driver.call(() -> ran[0]++);
        assertEquals(1, ran[0]);
        assertTrue(told.get() > 0, "the engine failed, and was told in the end");
        driver.close();
        assertTrue(driver.ownership.isClosed());
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
