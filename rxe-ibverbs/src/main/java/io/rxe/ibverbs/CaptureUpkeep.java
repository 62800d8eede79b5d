package io.rxe.ibverbs;

import io.rxe.net.RxeNic;
import io.rxe.net.host.ServiceThread;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes the capture of a program often. Its signals are its own, so that SIGTERM and SIGKILL end it without a word, and what the capture
 * has buffered is lost. One thread, only in a program that captures.
 */
final class CaptureUpkeep {
    private static final long PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private CaptureUpkeep() {
    }

    static void start(RxeNic nic) {
        ServiceThread.start("rxe-capture-upkeep", () -> {
            LockSupport.parkNanos(PERIOD_NS);
            nic.writeCapture();
            return !nic.isClosed();
        });
    }
}
