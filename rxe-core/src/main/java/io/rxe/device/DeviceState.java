package io.rxe.device;

import io.rxe.fault.Verb;
import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.fault.VerbFaults;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Whether a NIC can still be used. Engines fail it, its owner closes it, and verbs check it before they create anything; there faults made
 * on purpose refuse them. Any thread.
 */
final class DeviceState {
    /** Why it cannot be used, in a sentence; null while it can. */
    private final AtomicReference<String> reason = new AtomicReference<>();
    private final VerbFaults faults;
    private volatile boolean failed;

    DeviceState(VerbFaults faults) {
        this.faults = faults;
    }

    VerbFaults faults() {
        return faults;
    }

    /** Fails the device; false when it had failed or was closed before. */
    boolean fail(String sentence) {
        if (!reason.compareAndSet(null, sentence)) {
            return false;
        }
        failed = true;
        return true;
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
