package io.rxe.qp.send;

import io.rxe.qp.congestion.ArrivalWait;

/**
 * When a peer answered the queue pairs that share a {@link PeerSendWindow}, how long that took, and what waits on its way from there.
 *
 * <p>Times in nanoseconds. Owned by the engine thread.
 */
final class PeerAnswers {
    /** Of a share that has sent nothing. */
    static final long NOT_SENT = -1;
    private static final long SILENCE_NS = 1_000_000_000;
    private static final int STALE_TIMES = 4;
    /** Longest round trip taken from an answer to a probe, as a multiple of the one known: the answer may have come after an outage. */
    private static final int MOST_GROWTH = 4;

    /** When the peer last answered one of the queue pairs. */
    private long arrivedNs = Long.MIN_VALUE / 2;
    /** When the first packet left that was sent since; {@link Long#MAX_VALUE} for none. */
    private long unansweredNs = Long.MAX_VALUE;
    /** How many answers there were. */
    private long answers;
    /** How many have sent since the last. */
    private int unanswered;
    /** When the latest packet left that the peer has answered. */
    private long answeredSentNs = Long.MIN_VALUE / 2;
    /** The latest round trip that one of them measured; 0 before the first. */
    private long roundTripNs;

    private final ArrivalWait arrivalWait = new ArrivalWait();

    /**
     * Packets of a share left.
     *
     * @param answersBefore what this returned for the share before; {@link #NOT_SENT} at first.
     */
    long onSent(long answersBefore, long nowNs) {
        unanswered += answersBefore == answers ? 0 : 1;
        unansweredNs = Math.min(unansweredNs, nowNs);
        return answers;
    }

    void onArrived(long nowNs) {
        arrivedNs = nowNs;
        answers++;
        forgetUnanswered();
    }

    /** A share is given up: nobody waits for the answer to what its queue pair sent. */
    void onLeft(long answersBefore) {
        if (answersBefore == answers && --unanswered == 0) {
            forgetUnanswered();
        }
    }

    private void forgetUnanswered() {
        unanswered = 0;
        unansweredNs = Long.MAX_VALUE;
    }

    /** A bound, as of what the ACK timer sent again, counts until a round trip is measured, or where it is shorter. */
    void onRoundTrip(long ns, boolean isExact, long nowNs) {
        roundTripNs = isExact || roundTripNs == 0 ? ns : Math.min(ns, roundTripNs);
        answeredSentNs = Math.max(answeredSentNs, nowNs - ns);
    }

    /**
     * An answer came, to whichever copy of a packet that probes sent again: it took so long at most. Counts until a round trip is measured.
     * On a path that became much longer, none ever would be: each packet would leave again before its answer.
     */
    void onLonger(long mostNs) {
        roundTripNs = Math.max(roundTripNs, Math.min(mostNs, MOST_GROWTH * roundTripNs));
    }

    long arrivedNs() {
        return arrivedNs;
    }

    long roundTripNs() {
        return roundTripNs;
    }

    /** Whether the peer has answered others since a packet left, but not that; {@link Long#MAX_VALUE} for none. */
    boolean isPassedOver(long sentNs, long nowNs) {
        return sentNs != Long.MAX_VALUE && answeredSentNs > sentNs - roundTripNs / 2 && nowNs - sentNs > 2 * roundTripNs;
    }

    /** Whether nothing has been answered for long. */
    boolean isSilent(long staleNs, long nowNs) {
        return nowNs - unansweredNs >= Math.max(SILENCE_NS, STALE_TIMES * staleNs);
    }

    /** How long what the peer sends waits on its way here. */
    ArrivalWait arrivalWait() {
        return arrivalWait;
    }
}
