package io.rxe.sim;

import java.util.Set;
import java.util.TreeSet;

/**
 * Checks that one requester gives up only when it has used all of its retries (rules T3, T6, Q8). A failed request is seen after the queue
 * pair failed, when later packets may have changed the counts, so they are saved at the moment of the failure.
 */
final class RetryRules {
    private final ProtocolMonitor monitor;
    private int rnrNaksSinceProgress;
    private int laterNaksSinceProgress;
    /** The packets that got an RNR NAK beyond rnr_retry. */
    private final Set<Long> rnrExhaustedSeqs = new TreeSet<>();

    // Copy of the state at the moment the requester failed.
    private long frozenSeq;
    private int frozenTransmissions;
    private int frozenLaterNaks;
    private int frozenUnanswered;

    RetryRules(ProtocolMonitor monitor) {
        this.monitor = monitor;
    }

    /** The acknowledged edge moved. */
    void onProgress() {
        rnrNaksSinceProgress = 0;
        laterNaksSinceProgress = 0;
    }

    /** An RNR NAK that answers a packet reaches the requester. */
    void receiverNotReady(long seq) {
        rnrNaksSinceProgress++;
        if (rnrNaksSinceProgress > monitor.settings.rnrRetry) {
            rnrExhaustedSeqs.add(seq);
        }
    }

    /** A PSN sequence NAK behind the oldest packet charges a retry although the oldest packet is not retransmitted (rule T6). */
    void laterLossReported() {
        laterNaksSinceProgress++;
    }

    /** The queue pair of the requester has just failed. */
    void freeze() {
        frozenSeq = monitor.ackedSeq();
        boolean isIdle = frozenSeq == monitor.nextSeq();
        frozenTransmissions = isIdle ? 0 : monitor.packet(frozenSeq).transmissions;
        frozenLaterNaks = laterNaksSinceProgress;
        frozenUnanswered = isIdle ? 0 : monitor.packet(frozenSeq).unansweredDeliveries;
    }

    /** Rules T3, T6: the oldest packet was sent 1 + retry_cnt times without a response, less the retries charged by later packets. */
    void checkExhausted(Request request, boolean peerIsAlive) {
        int retryCount = monitor.settings.retryCount;
        if (frozenTransmissions + frozenLaterNaks < 1 + retryCount) {
            throw monitor.failure(request + " failed with RETRY_EXC_ERR after " + frozenTransmissions + " transmissions of "
                + ProtocolMonitor.psn(frozenSeq) + ", retry_cnt is " + retryCount + " (rule T3)");
        }
        if (peerIsAlive) {
            checkPeerAnswered(request);
        }
    }

    /** Rules R4 to R6: a peer in RTS answers every retransmission that reaches it. */
    private void checkPeerAnswered(Request request) {
        if (frozenUnanswered >= Math.max(3, monitor.settings.retryCount)) {
            throw monitor.failure(request + " failed with RETRY_EXC_ERR: " + ProtocolMonitor.psn(frozenSeq) + " reached a peer in RTS "
                + frozenUnanswered + " times without a response (rules R4 to R6)");
        }
    }

    /** Rules Q8, T6: a packet of this very request got more RNR NAKs since the last forward progress than rnr_retry allows. */
    void checkRnrExhausted(Request request) {
        int rnrRetry = monitor.settings.rnrRetry;
        // A request without an end is the last that began: it failed before all of it was sent.
        boolean isExhausted = rnrRetry != 7 && rnrExhaustedSeqs.stream()
            .anyMatch(seq -> request.endSeq < 0 || monitor.packet(seq).message.endSeq() == request.endSeq);
        if (!isExhausted) {
            throw monitor.failure(request + " failed with RNR_RETRY_EXC_ERR, rnr_retry is " + rnrRetry
                + ", and no RNR NAK beyond that was for one of its packets (rules Q8, T6)");
        }
    }
}
