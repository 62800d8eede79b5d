package io.rxe.qp;

/**
 * Decides when a gap is a loss and when it is only disorder: how long to wait for what is missing before asking for it again.
 *
 * <pre>
 *   3 arrives before 2 ---- hold ----| ask for 2            nothing is held at first
 *   2 arrives after all, and then once more                 asking was needless: from now on hold a little longer than 2 was late
 *   a gap had to be asked for, and came once                a real loss: hold three quarters as long
 * </pre>
 *
 * <p>Owned by the engine thread; times in nanoseconds.
 */
public final class ReorderHold {
    /** It never holds longer, whatever it has learned. */
    public static final long MAX_HOLD_NS = 8_000_000;

    private static final long NONE = Long.MAX_VALUE;

    private long holdNs;
    private long openedNs = NONE;
    private boolean asked;
    private long askedSeq = -1;
    private long latenessNs;

    /** A new connection. */
    public void start() {
        holdNs = 0;
        openedNs = NONE;
        asked = false;
        askedSeq = -1;
    }

    /** Something arrived behind what is missing. */
    public void onGap(long nowNs) {
        if (openedNs == NONE) {
            openedNs = nowNs;
            asked = false;
        }
    }

    /** A further gap was noticed behind one that was asked for already. */
    public void reopen(long nowNs) {
        openedNs = nowNs;
        asked = false;
    }

    /** What was missing has arrived; another gap may follow, which is opened anew. */
    public void onClosed(long nowNs) {
        if (openedNs == NONE) {
            return;
        }
        latenessNs = nowNs - openedNs;
        openedNs = NONE;
        asked = false;
    }

    /** Whether it is time to ask for what is missing. */
    public boolean isDue(long nowNs) {
        return openedNs != NONE && !asked && nowNs >= openedNs + holdNs;
    }

    /** It was asked for. */
    public void onAsked(long seq) {
        if (askedSeq >= 0) {
            holdNs -= holdNs / 4;
        }
        asked = true;
        askedSeq = seq;
    }

    /** Something arrived for the second time: if it had been asked for, the first to arrive was only late. */
    public void onCopy(long seq) {
        if (seq == askedSeq && !asked) {
            askedSeq = -1;
            holdNs = Math.min(MAX_HOLD_NS, Math.max(holdNs, latenessNs + latenessNs / 4));
        }
    }

    /** Whether a gap is open and was asked for. */
    public boolean isAsked() {
        return asked;
    }

    /** When {@link #isDue} becomes true, or {@link Long#MAX_VALUE}. */
    public long dueNs() {
        return openedNs == NONE || asked ? NONE : openedNs + holdNs;
    }

    /** How long it waits now. */
    public long holdNs() {
        return holdNs;
    }
}
