package io.rxe.device;

import io.rxe.fault.Verb;
import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.fault.VerbFaults;
import io.rxe.verbs.AsyncEvent;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Whether a NIC can still be used. Engines fail it, its owner closes it, and verbs check it before they create anything; there faults made
 * on purpose refuse them. What an engine calls when it fails may be repeated, since it may throw for want of memory. Any thread.
 */
final class DeviceState {
    /** Why it cannot be used, in a sentence; null while it can. */
    private final AtomicReference<String> reason = new AtomicReference<>();
    private final VerbFaults faults;
    private final EventQueue events;
    private final List<Engine> engines;
    private final Set<NicCompletionQueue> completionQueues;
    /** Engines that flushed their queue pairs after the device failed. */
    private final AtomicInteger flushed = new AtomicInteger();
    private volatile boolean failed;

    /**
     * @param engines          all of them, once one is used.
     * @param completionQueues those that are open at any time.
     */
    DeviceState(VerbFaults faults, EventQueue events, List<Engine> engines, Set<NicCompletionQueue> completionQueues) {
        this.faults = faults;
        this.events = events;
        this.engines = engines;
        this.completionQueues = completionQueues;
    }

    VerbFaults faults() {
        return faults;
    }

    /**
     * An engine failed: notifies the application, and the other engines, which fail their queue pairs in their next poll.
     *
     * @param fatal DEVICE_FATAL with the cause; of several the first counts.
     */
    void fail(AsyncEvent fatal) {
        if (reason.compareAndSet(null, fatal.explanation())) {
            failed = true;
        }
        events.addFatal(fatal);
        for (Engine engine : engines) {
            engine.thread().wake();
        }
    }

    /** The device failed, and one more engine flushed its queue pairs. */
    void countFlushed() {
        flushed.incrementAndGet();
    }

    /** The device failed: no thread need wait for a completion any more. */
    void wakeWaiters() {
        boolean isOver = flushed.get() == engines.size();
        for (NicCompletionQueue queue : completionQueues) {
            if (isOver) {
                queue.end();
            }
            queue.wakeWaiters();
        }
    }

    void close() {
        reason.compareAndSet(null, "the NIC is closed: open another");
    }

    boolean isUsable() {
        return reason.get() == null;
    }

    boolean isFailed() {
        return failed;
    }

    /** @throws IllegalStateException when the device failed or is closed: the EIO of a verb whose adapter is gone. */
    void check() {
        String sentence = reason.get();
        if (sentence != null) {
            throw VerbFailure.of(VerbError.EIO, sentence);
        }
    }

    /**
     * As {@link #check()}, at the beginning of a verb.
     *
     * @throws RuntimeException also when a fault made on purpose refuses the verb.
     */
    void check(Verb verb) {
        check(verb, 0);
    }

    /** As {@link #check(Verb)}, for a verb about memory. */
    void check(Verb verb, long bytes) {
        check();
        faults.onCall(verb, bytes);
    }

    /** At the beginning of a verb that frees. @throws RuntimeException where a fault refuses it: not after the end of the NIC. */
    void checkFree(Verb verb) {
        if (isUsable()) {
            faults.onCall(verb, 0);
        }
    }

    /** For the end of a description. */
    @Override
    public String toString() {
        return failed ? ", failed" : isUsable() ? "" : ", closed";
    }
}
