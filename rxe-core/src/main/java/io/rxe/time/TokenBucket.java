package io.rxe.time;

/** Limits a rate: a number of tokens a second, and after a pause a burst. Owned by one thread. */
public final class TokenBucket {
    private static final long NS_PER_SECOND = 1_000_000_000L;
    private static final int BURST_FRACTION = 10;

    private final long costNs;
    private final long fullNs;
    private long creditNs;
    private long lastNs = Long.MIN_VALUE;

    /** Creates a full bucket, whose burst is a tenth of a second. */
    public TokenBucket(int perSecond) {
        this(perSecond, Math.max(1, perSecond / BURST_FRACTION));
    }

    /**
     * Creates a full bucket.
     *
     * @param perSecond tokens a second, 1 to 1000000000.
     * @param burst     most tokens it holds, at least 1.
     */
    public TokenBucket(int perSecond, int burst) {
        costNs = NS_PER_SECOND / perSecond;
        fullNs = costNs * burst;
        creditNs = fullNs;
    }

    /** Takes a token; false when there is none. */
    public boolean take(long nowNs) {
        fill(nowNs);
        if (creditNs < costNs) {
            return false;
        }
        creditNs -= costNs;
        return true;
    }

    /** Puts a token back, unless the bucket is full. */
    public void giveBack() {
        creditNs = Math.min(fullNs, creditNs + costNs);
    }

    /** The earliest time at which {@link #take} succeeds. */
    public long dueNs(long nowNs) {
        fill(nowNs);
        return nowNs + Math.max(0, costNs - creditNs);
    }

    private void fill(long nowNs) {
        if (lastNs != Long.MIN_VALUE) {
            creditNs = Math.min(fullNs, creditNs + nowNs - lastNs);
        }
        lastNs = nowNs;
    }
}
