package io.rxe.qp.congestion;

/**
 * What is lost before the first answer of a path. Once that is all of the window, or half of it at once, a packet leaves at a time. If more
 * arrives than has left since, nothing was lost, but the timer was shorter than the path.
 *
 * <p>Bytes as the peer send window counts them. Owned by the engine thread.
 */
final class Withdrawal {
    /** Fewer that are lost at once are no sign that those who began together did not fit. */
    private static final int AT_ONCE_PART = 2;
    /** So many first windows may have left before the first answer. */
    private static final int MOST_LATE_WINDOWS = 2;

    private final int packetBytes;
    /** What was lost before the first answer. */
    private long lostBytes;
    /** Whether that was all of the window. */
    private boolean isAll;
    private boolean active;
    /** What has left since, and has not arrived. */
    private long resentBytes;

    Withdrawal(int packetBytes) {
        this.packetBytes = packetBytes;
    }

    /** Whether much of the first window was lost, and no round trip is known yet. */
    boolean isActive() {
        return active;
    }

    /** Packets were lost before the first answer. Returns whether that is much of the window. */
    boolean onLost(long bytes, long windowBytes) {
        lostBytes += bytes;
        isAll |= lostBytes >= windowBytes;
        if (!isAll && bytes < windowBytes / AT_ONCE_PART) {
            return false;
        }
        active = true;
        resentBytes = 0;
        return true;
    }

    /** Packets left. A READ requests more at once than any window lets leave: that does not hold its responses back. */
    void onSent(long bytes) {
        resentBytes += active ? Math.min(packetBytes, bytes) : 0;
    }

    /** Packets arrived. Returns whether they show that what seemed lost was late, which ends it. */
    boolean isLate(long arrivedNow) {
        if (!active) {
            return false;
        }
        resentBytes -= arrivedNow;
        active = resentBytes >= 0;
        return !active;
    }

    /** What seemed lost may be in flight, and as much as at first. */
    long lateBytes() {
        long initialBytes = (long) DelayControl.INITIAL_PACKETS * packetBytes;
        return Math.max(initialBytes, Math.min(lostBytes, MOST_LATE_WINDOWS * initialBytes));
    }

    /** A round trip was measured, which ends it. Returns whether all of the window had been lost. */
    boolean end() {
        boolean wasAll = active && isAll;
        active = false;
        return wasAll;
    }
}
