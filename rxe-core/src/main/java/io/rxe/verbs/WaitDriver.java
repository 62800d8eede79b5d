package io.rxe.verbs;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Drives a NIC that has no thread of its own while a thread waits for it. Made by the NIC, used by channels. */
@FunctionalInterface
public interface WaitDriver {
    /**
     * Drives the NIC until a condition holds. It spins at first, then naps between two tries, about 50 us each.
     *
     * @param condition tried after each progress.
     * @param timeoutNs longest wait in nanoseconds; 0 or less for one try, {@link Long#MAX_VALUE} waits for ever.
     * @return the last result of the condition.
     * @throws InterruptedException when the waiting thread is interrupted.
     */
    boolean await(BooleanSupplier condition, long timeoutNs) throws InterruptedException;

    /**
     * Waits for a permit.
     *
     * @param driver null where the NIC has a thread.
     * @return whether it was acquired in time.
     */
    static boolean acquire(Semaphore permits, WaitDriver driver, long timeoutNs) throws InterruptedException {
        return driver == null ? permits.tryAcquire(timeoutNs, TimeUnit.NANOSECONDS) : driver.await(permits::tryAcquire, timeoutNs);
    }
}
