package io.rxe.cm;

import io.rxe.cm.exchange.CmCore;
import io.rxe.device.QueuePairs;
import io.rxe.fault.VerbFaults;
import io.rxe.port.EngineThread;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** The way from any thread to the state machines: commands run on the thread of the engine that owns queue pair 1. */
final class CoreThread {
    private final CmCore core;
    private final EngineThread thread;
    private final QueuePairs queuePairs;
    private final Set<Runnable> atClose = ConcurrentHashMap.newKeySet();
    private volatile String ended;

    CoreThread(CmCore core, EngineThread thread, QueuePairs queuePairs) {
        this.core = core;
        this.thread = thread;
        this.queuePairs = queuePairs;
    }

    /** What runs on the thread that closes the NIC, before the DREQs are sent: it ends the queue pairs of connections. */
    Set<Runnable> atClose() {
        return atClose;
    }

    CmCore core() {
        return core;
    }

    QueuePairs queuePairs() {
        return queuePairs;
    }

    /** What is to fail on purpose. */
    VerbFaults faults() {
        return queuePairs.faults();
    }

    /** Nothing can be begun from now on. */
    void end(String why) {
        ended = why;
    }

    /** Why nothing can be begun any more, in a sentence; null while it can. */
    String ended() {
        return ended;
    }

    /** @throws IllegalStateException if nothing can be begun any more. */
    void checkOpen() {
        String why = ended;
        if (why != null) {
            throw new IllegalStateException(why);
        }
    }

    /** As {@link EngineThread#wouldBlock}. */
    boolean wouldBlock() {
        return thread.wouldBlock();
    }

    /** Reports what the listener of an event channel threw, on the engine's thread. */
    void report(Throwable thrown) {
        thread.report("the listener of an event channel", thrown);
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

    /** Runs a command on the engine's thread soon, and does not wait for it. For the threads of engines. */
    void later(Runnable command) {
        core.later(command);
        thread.wake();
    }
}
