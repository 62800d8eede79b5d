package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.IoEventLoop;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.Warnings;
import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The loop of an engine that threads drive by polling, on an event loop whose tasks the test runs. */
class FallbackLoopTest {
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<String> warned = new ArrayList<>();
    private final EngineOwnership ownership = new EngineOwnership();
    private boolean scheduleThrows;

    /** Runs nothing by itself; its timers never expire. */
    private IoEventLoop eventLoop() {
        return (IoEventLoop) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {IoEventLoop.class},
            (proxy, method, arguments) -> {
                if (method.getName().equals("execute")) {
                    tasks.add((Runnable) arguments[0]);
                } else if (method.getName().equals("schedule") && scheduleThrows) {
                    throw new IllegalStateException("thrown by the test");
                }
                return method.getReturnType() == boolean.class ? false : null;
            });
    }

    private static final class IdleCore implements EngineCore {
        @Override
        public void onPacket(DirectBuffer buffer, int offset, int lengthBytes, Flow flow, long nowNs) {
            throw new AssertionError("nothing arrives");
        }

        @Override
        public int poll(long nowNs, PacketSink sink) {
            return 0;
        }

        @Override
        public long nextDeadlineNs() {
            return Long.MAX_VALUE;
        }

        @Override
        public void fail(Throwable cause) {
            throw new AssertionError(cause);
        }
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
        EngineRound round = new EngineRound(0, 1, new SilentPort(), new NetCounters(), warnings, faults);
        round.attach(new IdleCore(), List.of());
        FallbackLoop loop = new FallbackLoop(eventLoop(), ownership, round, new OwnerCommands(ownership), faults);
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
}
