package io.rxe.tools.rdmacm;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Lets one thread sleep until another signals. Signals while it is awake are kept, as one. */
final class Wakeup {
    private final Semaphore signals = new Semaphore(0);

    /** Any thread, engines included: does not block. */
    void signal() {
        if (signals.availablePermits() == 0) {
            signals.release();
        }
    }

    /** Discards a pending signal. */
    void reset() {
        signals.drainPermits();
    }

    /**
     * Waits for a signal.
     *
     * @return false after the timeout.
     */
    boolean await(long timeoutNs) throws InterruptedException {
        return signals.tryAcquire(timeoutNs, TimeUnit.NANOSECONDS);
    }
}
