package io.rxe.qp.context;

/**
 * Decides how long a gap may close by itself before a NAK reports it as a loss.
 *
 * <pre>
 *   3 arrives before 2 ---- delay ----| report 2         at first the delay is 0
 *   2 arrives, and then a second copy of it              reordering: the report was needless, delay a little longer than 2 was late
 *   a gap was reported, and 2 arrives only once          a loss: halve the delay
 * </pre>
 *
 * <p>Owned by the engine thread; times in nanoseconds.
 */
public final class NakDelay {
    /** The delay never grows beyond this. */
    public static final long MAX_DELAY_NS = 8_000_000;

    private static final long NONE = Long.MAX_VALUE;

    private long delayNs;
    private long gapSinceNs = NONE;
    private boolean reported;
    private long reportedSeq = -1;
    private long latenessNs;

    /** A new connection. */
    public void start() {
        delayNs = 0;
        gapSinceNs = NONE;
        reported = false;
        reportedSeq = -1;
    }

    /** A packet arrived behind a gap. */
    public void onGap(long nowNs) {
        if (gapSinceNs == NONE) {
            gapSinceNs = nowNs;
            reported = false;
        }
    }

    /** The gap closed. If another follows, {@link #onGap} opens it. */
    public void onClosed(long nowNs) {
        if (gapSinceNs == NONE) {
            return;
        }
        latenessNs = nowNs - gapSinceNs;
        gapSinceNs = NONE;
        reported = false;
    }

    /** Whether the gap is to be reported now. */
    public boolean isDue(long nowNs) {
        return nowNs >= deadlineNs();
    }

    public void onReported(long seq) {
        if (reportedSeq >= 0) {
            delayNs /= 2;
        }
        reported = true;
        reportedSeq = seq;
    }

    /** A packet arrived twice. If its gap was reported, the report was needless: the first copy was only late. */
    public void onCopy(long seq) {
        if (seq == reportedSeq && !reported) {
            reportedSeq = -1;
            delayNs = Math.min(MAX_DELAY_NS, Math.max(delayNs, latenessNs + latenessNs / 4));
        }
    }

    /** Whether a gap is open and was reported. */
    public boolean isReported() {
        return reported;
    }

    /** When {@link #isDue} becomes true, or {@link Long#MAX_VALUE}. */
    public long deadlineNs() {
        return gapSinceNs == NONE || reported ? NONE : gapSinceNs + delayNs;
    }

    /** Whether a gap is open that may still close by itself. */
    public boolean isDelaying() {
        return gapSinceNs != NONE && !reported;
    }
}
