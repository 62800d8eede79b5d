package io.rxe.qp.send;

import io.rxe.qp.congestion.ArrivalWait;
import io.rxe.qp.send.PeerSendWindow.Share;

/**
 * A queue pair's shares of the two windows of a peer: that of what its requests carry there, and that of what READ responses bring.
 *
 * <p>Owned by the engine thread.
 */
public final class PeerShares {
    private final Share requests;
    private final Share responses;
    private final PeerAnswers answers;
    private final Runnable onLeft;
    private boolean left;

    PeerShares(Share requests, Share responses, PeerAnswers answers, Runnable onLeft) {
        this.requests = requests;
        this.responses = responses;
        this.answers = answers;
        this.onLeft = onLeft;
    }

    /** That of READ responses, or that of requests. */
    public Share of(boolean isRead) {
        return isRead ? responses : requests;
    }

    /** See {@link Share#claim}. Who waits for room in one direction leaves that of the other to others. */
    boolean claim(boolean isRead, long packets, long nowNs) {
        boolean hasRoom = of(isRead).claim(packets, nowNs);
        if (!hasRoom) {
            of(!isRead).returnGrant();
        }
        return hasRoom;
    }

    /** See {@link Share#settle}. */
    public boolean settle(long requestPackets, long responsePackets, long nowNs) {
        return requests.settle(requestPackets, nowNs) | responses.settle(responsePackets, nowNs);
    }

    /** Packets arrived at the peer, or READ responses from it: it does not ignore the queue pair. */
    void onArrived(boolean isRead, long packets, long nowNs) {
        of(isRead).onArrived(packets, nowNs);
        of(!isRead).onAnswered();
    }

    /** See {@link Share#onLost}. */
    void onLost(long requestPackets, long responsePackets) {
        if (requestPackets > 0) {
            requests.onLost(requestPackets);
        }
        if (responsePackets > 0) {
            responses.onLost(responsePackets);
        }
    }

    /** See {@link Share#returnGrant}. */
    public boolean returnGrant() {
        return requests.returnGrant() | responses.returnGrant();
    }

    /** The queue pair stops sending: gives everything back. */
    public void leave() {
        if (!left) {
            left = true;
            onLeft.run();
            requests.leave();
            responses.leave();
        }
    }

    /** See {@link Share#deadlineNs}. */
    public long deadlineNs() {
        return Math.min(requests.deadlineNs(), responses.deadlineNs());
    }

    /** How long what the peer sends waits on its way here. */
    public ArrivalWait arrivalWait() {
        return answers.arrivalWait();
    }

    /**
     * A round trip was measured by a response to a READ. See {@link Share#onReadSample}.
     *
     * @param shortestNs         the least round trip that is known.
     * @param leastRequestWaitNs what its request waited on its way there at least: the peer tells that in few codes.
     * @param mostRequestWaitNs  and at most. What the response has not waited for on its way here, the request did.
     */
    void onReadSample(long ns, long shortestNs, long leastRequestWaitNs, long mostRequestWaitNs, long waitedNs, long hostNs,
        boolean isExact, long nowNs) {
        long ofRequestNs = ns - shortestNs - waitedNs - hostNs - arrivalWait().mostNs(nowNs);
        long requestWaitNs = Math.max(leastRequestWaitNs, Math.min(mostRequestWaitNs, ofRequestNs));
        responses.onReadSample(ns, requestWaitNs, waitedNs, hostNs, isExact, nowNs);
    }
}
