package io.rxe.qp.completer;

/**
 * How long a packet that later ones have overtaken may still arrive before it counts as lost (rule G4).
 *
 * <pre>
 *   nothing arrived late so far            0: what was overtaken is lost
 *   a packet arrived late by L             5/4 L, for this and the next {@link #MEMORY} round trips
 *   a retransmission was needless          twice as long
 * </pre>
 *
 * <p>Never longer than a round trip of now, which the answer to a retransmission takes. Times in nanoseconds. Owned by the engine thread.
 */
final class ReorderWindow {
    /** Lateness is remembered for this many round trips. */
    private static final int MEMORY = 64;

    private long beforeNs;
    private long currentNs;
    private long sinceNs;

    /** A new connection. */
    void start() {
        beforeNs = 0;
        currentNs = 0;
        sinceNs = Long.MIN_VALUE / 2;
    }

    /** A packet arrived later than one that was sent after it. */
    void onLate(long byNs, long roundTripNs, long nowNs) {
        remember(Math.min(byNs + byNs / 4, roundTripNs), roundTripNs, nowNs);
    }

    /** A packet was retransmitted although it was only late. */
    void onNeedless(long roundTripNs, long nowNs) {
        remember(Math.min(Math.max(roundTripNs / 4, 2 * ns(roundTripNs)), roundTripNs), roundTripNs, nowNs);
    }

    private void remember(long ns, long roundTripNs, long nowNs) {
        if (nowNs - sinceNs > MEMORY * roundTripNs) {
            beforeNs = nowNs - sinceNs > 2 * MEMORY * roundTripNs ? 0 : currentNs;
            currentNs = 0;
            sinceNs = nowNs;
        }
        currentNs = Math.max(currentNs, ns);
    }

    /** A loss was found: lateness of long ago is forgotten. */
    void onLoss(long roundTripNs, long nowNs) {
        remember(0, roundTripNs, nowNs);
    }

    long ns(long roundTripNs) {
        return Math.min(Math.max(beforeNs, currentNs), roundTripNs);
    }
}
