package io.rxe.cm;

import io.rxe.cm.exchange.CmCore;
import io.rxe.cm.exchange.PassiveSide;
import io.rxe.port.EngineThread;
import io.rxe.verbs.QueuePair;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** The way from any thread to the state machines: commands run on the thread of the engine that owns queue pair 1. */
final class CoreThread {
    private final CmCore core;
    private final EngineThread thread;
    private final BiConsumer<QueuePair, Runnable> arrivals;

    CoreThread(CmCore core, EngineThread thread, BiConsumer<QueuePair, Runnable> arrivals) {
        this.core = core;
        this.thread = thread;
        this.arrivals = arrivals;
    }

    CmCore core() {
        return core;
    }

    /** Runs a command on the engine's thread, returns when it has run, and lets the engine poll soon. */
    void command(Runnable command) {
        thread.call(command);
        thread.wake();
    }

    /** As {@link #command}, for a command with a result. */
    <T> T query(Supplier<T> command) {
        T result = thread.call(command);
        thread.wake();
        return result;
    }

    /** Reports the first packet a queue pair receives: it proves that the peer is established, if the RTU was lost or is late. */
    void watch(QueuePair queuePair, PassiveSide exchange) {
        arrivals.accept(queuePair, () -> {
            // Runs on the engine of the queue pair, which must not wait for the engine of queue pair 1.
            core.onDataArrived(exchange);
            thread.wake();
        });
    }
}
