package io.rxe.bench;

import java.util.Locale;
import java.util.function.Supplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * Waits for completions and fails if none arrives within a limit. Spins first, then yields, then sleeps for microseconds at a time: the
 * engine threads or the peer may need this CPU.
 */
public final class StallWatch {
    private static final int SPINS = 64;
    private static final int YIELDS = 256;
    private static final long PARK_NS = 10_000;
    private static final long NS_PER_SECOND = 1_000_000_000L;
    private static final long NS_PER_MS = 1_000_000L;
    private static final int CHECK_MASK = 0xFF;

    private final long limitNs;
    private final Supplier<String> what;
    private final IdleStrategy pause = new BackoffIdleStrategy(SPINS, YIELDS, PARK_NS, PARK_NS);
    private int idles;
    private long idleSinceNs;

    /**
     * @param limitNs longest time without progress, in nanoseconds.
     * @param what    names the awaited event, for the message.
     */
    public StallWatch(long limitNs, Supplier<String> what) {
        this.limitNs = limitNs;
        this.what = what;
    }

    /** A completion arrived. */
    public void progress() {
        idles = 0;
        pause.reset();
    }

    /**
     * No completion arrived: waits a moment.
     *
     * @throws TransferFailure if nothing arrived within the limit.
     */
    public void idle() {
        if (idles++ == 0) {
            idleSinceNs = System.nanoTime();
        }
        pause.idle();
        boolean isDue = (idles & CHECK_MASK) == 0;
        // A wait may be one of many that are all short.
        if ((isDue || idles == 1) && Thread.interrupted()) {
            throw new TransferFailure("interrupted while waiting for " + what.get());
        }
        if (isDue && System.nanoTime() - idleSinceNs > limitNs) {
            throw new TransferFailure(sentence(limitNs, what.get()));
        }
    }

    /** The text of a failure: nothing happened for a time while waiting for something. */
    public static String sentence(long limitNs, String what) {
        return String.format(Locale.ROOT, "nothing happened for %s while waiting for %s", limitNs < NS_PER_SECOND
            ? limitNs / NS_PER_MS + " ms" : limitNs / NS_PER_SECOND + " s", what);
    }
}
