package io.rxe.cm;

/** Lets a number of things a second happen, and after a pause a tenth of that at once. Owned by one thread. */
final class TokenBucket {
    private static final long NS_PER_SECOND = 1_000_000_000L;
    private static final int BURST_FRACTION = 10;

    private final long costNs;
    private final long fullNs;
    private long creditNs;
    private long lastNs = Long.MIN_VALUE;

    TokenBucket(int perSecond) {
        costNs = NS_PER_SECOND / perSecond;
        fullNs = costNs * Math.max(1, perSecond / BURST_FRACTION);
        creditNs = fullNs;
    }

    /** Takes a token, or answers false when there is none. */
    boolean take(long nowNs) {
        if (lastNs != Long.MIN_VALUE) {
            creditNs = Math.min(fullNs, creditNs + nowNs - lastNs);
        }
        lastNs = nowNs;
        if (creditNs < costNs) {
            return false;
        }
        creditNs -= costNs;
        return true;
    }
}
