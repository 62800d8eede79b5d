package io.rxe.qp.send;

/**
 * End-to-end credits as the requester obeys them (rule Q15): up to which message it may send freely, and how long it waits for a grant
 * before it sends one packet all the same.
 *
 * <p>A packet that finds no receive request costs an RNR NAK and an RNR wait. A peer that grants credits when its application posts
 * receives makes that needless: the grant comes at the right moment. The wait ends after {@link #WAIT_NS} because the grant may be lost.
 * When the peer then takes the packet, it could have granted and did not, so it is not waited for until it grants again. Adapters may
 * advertise credits and never grant any: they cost one wait for each connection.
 *
 * <p>Owned by the engine thread.
 */
public final class SendCredits {
    /** Longer than applications usually leave a receive queue empty; what a lost grant costs. */
    static final long WAIT_NS = 200_000_000;
    private static final long NONE = Long.MAX_VALUE;
    /** Messages that may be sent before the first response brings the peer's credits. */
    private static final int INITIAL_CREDITS = 16;

    private long limit = Long.MAX_VALUE;
    private boolean peerGrants;
    private boolean over;
    private long deadlineNs = NONE;
    /** The packet that was sent because the wait was over, until its response is known. */
    private long triedSeq = NONE;

    /** A new connection. */
    public void start() {
        limit = INITIAL_CREDITS;
        peerGrants = true;
        triedSeq = NONE;
        stop();
    }

    /** Messages up to this number may be sent freely. */
    public void limit(long messageNumber) {
        limit = messageNumber;
    }

    public long limit() {
        return limit;
    }

    /** Whether the wait is over; the first call starts it. */
    public boolean isOver(long nowNs) {
        if (over || !peerGrants) {
            return true;
        }
        if (deadlineNs == NONE) {
            deadlineNs = nowNs + WAIT_NS;
        } else if (nowNs >= deadlineNs) {
            deadlineNs = NONE;
            over = true;
        }
        return over;
    }

    public boolean isWaiting() {
        return deadlineNs != NONE;
    }

    /** A packet that takes a receive request is sent: the next one waits again. */
    public void onSent(long seq) {
        triedSeq = over ? seq : NONE;
        stop();
    }

    /** The peer granted credits by itself. */
    public void onGrant() {
        peerGrants = true;
        stop();
    }

    /** The peer executed everything before a sequence number. */
    public void onExecuted(long endSeq) {
        if (endSeq > triedSeq) {
            peerGrants = false;
            triedSeq = NONE;
        }
    }

    /** The peer has no receive request: it could not grant anything. */
    public void onRnrNak() {
        triedSeq = NONE;
    }

    private void stop() {
        over = false;
        deadlineNs = NONE;
    }

    /** When the wait is over, or {@link Long#MAX_VALUE} when none is in progress. */
    public long deadlineNs() {
        return deadlineNs;
    }
}
