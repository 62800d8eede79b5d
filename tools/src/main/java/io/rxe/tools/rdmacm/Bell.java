package io.rxe.tools.rdmacm;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Lets one thread sleep until others ring. Rings while nobody listens are remembered, as one. */
final class Bell {
    private final Semaphore rings = new Semaphore(0);

    /** Any thread, engines included: does not block. */
    void ring() {
        if (rings.availablePermits() == 0) {
            rings.release();
        }
    }

    /** Forgets rings that were not heard. */
    void silence() {
        rings.drainPermits();
    }

    /**
     * Waits for a ring.
     *
     * @return false after the timeout.
     */
    boolean await(long timeoutNs) throws InterruptedException {
        return rings.tryAcquire(timeoutNs, TimeUnit.NANOSECONDS);
    }
}
