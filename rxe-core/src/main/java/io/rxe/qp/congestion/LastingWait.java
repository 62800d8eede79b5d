package io.rxe.qp.congestion;

/**
 * A wait that is longer than the target: the window shrinks. Of a queue that shortens it, since all who share one shrink theirs. A wait
 * that is as long when the window is half of what it was, and after some regular drains, is no queue, but a path that became longer. The
 * window need not become smaller than that: small ones are allowed a longer wait ({@link DelayTarget}), and may stay where it is as long.
 * What is lost shows that a queue may be full after all.
 *
 * <p>Bytes as the peer send window counts them; times in nanoseconds. Owned by the engine thread.
 */
final class LastingWait {
    private static final long LEAST_NS = 300_000_000;
    /** Which part of the wait may be gone, and of the window remains at most. */
    private static final int WAIT_PART = 4;
    private static final int WINDOW_PART = 2;

    private boolean active;
    private long beganNs;
    private long waitNs;
    private long windowBytes;
    private boolean isSmall;

    /** It is over. */
    void end() {
        active = false;
    }

    /** A round trip ended in which packets waited so long at least, the window closed or not. */
    void onRound(long nowWaitNs, boolean isAnyLost) {
        active &= !isAnyLost && nowWaitNs >= waitNs - waitNs / WAIT_PART;
    }

    /** The window shrinks, or has to. Returns whether the path became longer. */
    boolean onShrunk(long nowWaitNs, long toBytes, long nowNs) {
        if (!active) {
            active = true;
            beganNs = nowNs;
            waitNs = nowWaitNs;
            windowBytes = toBytes;
            isSmall = false;
        }
        isSmall |= toBytes <= windowBytes / WINDOW_PART;
        return isSmall && nowNs - beganNs >= LEAST_NS;
    }
}
