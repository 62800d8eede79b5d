package io.rxe.tools.perftest;

import io.rxe.bench.StallWatch;
import io.rxe.bench.TransferFailure;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Waits for progress of a test. Fails if there is none for too long, or soon after the peer has gone: what it sent last, and
 * acknowledgements of what it got last, may arrive after its end.
 */
final class PeerWatch {
    private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(2);
    /** By then the wait sleeps between two calls, and a look at the control connection delays nothing. */
    private static final int FIRST_CHECK = 512;
    /** On a busy machine each sleep may last milliseconds. */
    private static final int CHECK_MASK = 0x1F;

    private final StallWatch stall;
    private final PerftestHandshake handshake;
    private int idles;
    private long goneSinceNs;

    /**
     * @param limitNs longest time without progress, in nanoseconds.
     * @param what    names the awaited event, for the message.
     */
    PeerWatch(long limitNs, PerftestHandshake handshake, Supplier<String> what) {
        this.stall = new StallWatch(limitNs, what);
        this.handshake = handshake;
    }

    /** Something happened. */
    void progress() {
        stall.progress();
        idles = 0;
        goneSinceNs = 0;
    }

    /**
     * Nothing happened: waits a moment.
     *
     * @throws TransferFailure if nothing happened within the limit, or the peer has gone.
     */
    void idle() {
        stall.idle();
        idles++;
        if (idles >= FIRST_CHECK && (idles & CHECK_MASK) == 0 && handshake.isEnded()) {
            long nowNs = System.nanoTime();
            if (goneSinceNs == 0) {
                goneSinceNs = nowNs;
            } else if (nowNs - goneSinceNs > GRACE_NS) {
                throw new TransferFailure("the test ends early: " + handshake.peer()
                    + " closed the control connection: see its output for the reason");
            }
        }
    }
}
