package io.rxe.qp.send;

/**
 * Whether a peer ignores a queue pair, and when that may try again: see {@link PeerSendWindow}.
 *
 * <p>Times in nanoseconds. Owned by the engine thread.
 */
final class Neglect {
    private static final int COUNTED_TRIES = 3;
    private static final int MOST_STALE_TIMES = 20;

    /** When its last packet left, or the last before losses; {@link Long#MAX_VALUE} for none since the peer last answered it. */
    private long sentNs = Long.MAX_VALUE;
    /** What it sends since repeats what was lost: a probe that is not answered either must not hide that nothing is. */
    private boolean repeating;
    private boolean ignored;
    /** How often it has sent since it is ignored. */
    private int tries;
    /** It may send a request: a timer expired. */
    private boolean mayTry;

    /** The peer answers others only. */
    void begin() {
        ignored = true;
        mayTry = true;
    }

    boolean isIgnored() {
        return ignored;
    }

    /** What it sends no longer counts. */
    boolean isGivenUp() {
        return tries >= COUNTED_TRIES;
    }

    boolean mayTry() {
        return mayTry;
    }

    long sentNs() {
        return sentNs;
    }

    /** The peer answered it. */
    void onAnswered() {
        sentNs = Long.MAX_VALUE;
        repeating = false;
        ignored = false;
        tries = 0;
    }

    /** It has lost packets. */
    void onLost() {
        repeating = sentNs != Long.MAX_VALUE;
    }

    /** It has sent something. */
    void onSent(long nowNs) {
        mayTry = false;
        tries += ignored ? 1 : 0;
        sentNs = repeating && !ignored ? sentNs : nowNs;
    }

    /** It still has packets in flight. */
    void onInFlight(long nowNs) {
        sentNs = sentNs == Long.MAX_VALUE ? nowNs : sentNs;
    }

    /** Its timers were looked at. */
    void onTimers(boolean isExpired) {
        mayTry |= isExpired;
    }

    /** When it may try again without a timer of its own: it may have no ACK timeout. */
    long nextTryNs(long staleNs) {
        return isGivenUp() && !mayTry ? sentNs + Math.min(tries, MOST_STALE_TIMES) * staleNs : Long.MAX_VALUE;
    }
}
