package io.rxe.qp;

/**
 * Decides when a gap is a loss and when it is only disorder: how long to wait for what is missing before asking for it again.
 *
 * <pre>
 *   3 arrives before 2 ---- hold ----| ask for 2            at first nothing is held
 *   2 arrives after all, and then once more                 asking was needless: from now on hold a little longer than 2 was late
 *   a gap had to be asked for, and came once                a real loss: hold half as long
 * </pre>
 *
 * <p>Where a needless question is dear (a READ is answered at length) the first one is a trial: others wait a round trip for its outcome.
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
    private boolean tried;
    private long verdictNs;

    /** A new connection. */
    public void start() {
        holdNs = 0;
        tried = false;
        verdictNs = 0;
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
        return nowNs >= dueNs();
    }

    /** It was asked for. */
    public void onAsked(long seq) {
        if (askedSeq >= 0) {
            holdNs /= 2;
        }
        tried = true;
        asked = true;
        askedSeq = seq;
    }

    /** It was asked for, and if that was the first time, nothing else is before a round trip has shown whether it was needless. */
    public void onAsked(long seq, long nowNs, long roundTripNs) {
        if (!tried) {
            verdictNs = nowNs + roundTripNs;
        }
        onAsked(seq);
    }

    /** Something arrived for the second time: if it had been asked for, the first to arrive was only late. */
    public void onCopy(long seq) {
        if (seq == askedSeq && !asked) {
            onNeedless(latenessNs + latenessNs / 4);
        }
    }

    /** Asking was needless: from now on hold at least so long. */
    public void onNeedless(long ns) {
        askedSeq = -1;
        verdictNs = 0;
        holdNs = Math.min(MAX_HOLD_NS, Math.max(holdNs, ns));
    }

    /** Whether a gap is open and was asked for. */
    public boolean isAsked() {
        return asked;
    }

    /** When {@link #isDue} becomes true, or {@link Long#MAX_VALUE}. */
    public long dueNs() {
        return openedNs == NONE || asked ? NONE : Math.max(verdictNs, openedNs + holdNs);
    }

    /** Whether a gap is open that may still close by itself. */
    public boolean isHolding() {
        return openedNs != NONE && !asked;
    }

    /** How long it waits now. */
    public long holdNs() {
        return holdNs;
    }
}
