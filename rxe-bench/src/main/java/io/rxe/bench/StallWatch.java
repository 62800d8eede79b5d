package io.rxe.bench;

import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Waits politely for completions and gives up when none comes for too long. Spins for an instant, then yields, then sleeps in
 * short naps: the engine threads, or the peer, may need this very core.
 */
public final class StallWatch {
    private static final int SPINS = 64;
    private static final int YIELDS = 256;
    private static final long PARK_NS = 10_000;
    private static final int CHECK_MASK = 0xFF;

    private final long limitNs;
    private final Supplier<String> what;
    private int idles;
    private long quietSinceNs;

    /**
     * @param limitNs longest time without progress, in nanoseconds.
     * @param what    says what is waited for, for the message.
     */
    public StallWatch(long limitNs, Supplier<String> what) {
        this.limitNs = limitNs;
        this.what = what;
    }

    /** Something came. */
    public void progress() {
        idles = 0;
    }

    /**
     * Nothing came: waits a moment.
     *
     * @throws TransferFailure when nothing came for the limit.
     */
    public void idle() {
        if (idles == 0) {
            quietSinceNs = System.nanoTime();
        }
        idles++;
        if (idles < SPINS) {
            Thread.onSpinWait();
            return;
        }
        if (idles < SPINS + YIELDS) {
            Thread.yield();
            return;
        }
        LockSupport.parkNanos(PARK_NS);
        if ((idles & CHECK_MASK) == 0) {
            if (Thread.interrupted()) {
                throw new TransferFailure("interrupted while waiting for " + what.get());
            }
            if (System.nanoTime() - quietSinceNs > limitNs) {
                throw new TransferFailure("nothing happened for " + limitNs / 1_000_000_000L + " s while waiting for "
                    + what.get());
            }
        }
    }
}
