package io.rxe.qp;

import io.rxe.qp.context.NakDelay;
import io.rxe.qp.send.KeepAlive;
import io.rxe.qp.send.PeerSendWindow;
import io.rxe.qp.send.RetryState;
import io.rxe.qp.send.RttEstimator;
import io.rxe.qp.send.SendCredits;

/**
 * Everything that wakes an RC queue pair although no packet arrived and nothing was posted.
 *
 * <pre>
 *   timer               side        rule    duration                                on expiry
 *   ACK_TIMEOUT         requester   T1-T5   4.096 us x 2^timeout                    charge retry_cnt, retransmit all
 *   PROBE               requester   T3      5/4 of a plausible round trip           retransmit the last packet or the oldest
 *   REORDER_WINDOW      requester   Q5, G4  learned, at most a round trip           retransmit what was overtaken
 *   RNR_WAIT            requester   T7, T8  what the RNR NAK says                   retransmit all
 *   CREDIT_WAIT         requester   Q15     200 ms                                  send one packet without a credit
 *   PEER_SEND_WINDOW    requester   -       50 ms and four round trips              write off what is in flight to the peer
 *   KEEP_ALIVE          requester   T11     what is set, 1 ms to 1 h, or none       ask the idle peer; none answers: ERROR
 *   NAK_DELAY           responder   R1      learned, at most 8 ms                   send a PSN sequence NAK
 *   KEPT_REQUESTS       responder   R1      1 s                                     drop the requests kept behind a gap
 *   NAK_RATE            responder   R1      until 10,000 NAKs a second allow it     send the NAK that waits
 * </pre>
 *
 * <p>{@link QueuePairTimers} knows when each expires; the engine polls the queue pair at the earliest. A timer that expires sends
 * nothing itself: it changes state, and the same poll sends what follows from that. UC and UD queue pairs have no timer.
 */
enum QueuePairTimer {
    /**
     * The local ACK timeout (rules T1 to T5; rxe: retrans_timer). Kept by {@link RetryState}.
     * <ul>
     * <li>Starts when a packet that demands a response is sent; restarts with each valid response.
     * <li>Stops when no response is due any more, and for the duration of an RNR wait. Never runs with timeout code 0.
     * <li>On expiry {@code LossDetector} charges retry_cnt and retransmits from the oldest packet, or fails the oldest request with
     * RETRY_EXC_ERR. The timer starts again when the retransmission leaves.
     * </ul>
     */
    ACK_TIMEOUT,

    /**
     * Finds out what is missing well before the ACK timeout (deviation of rule T3). Kept by {@code LossDetector}, from what
     * {@link RttEstimator} has measured.
     * <ul>
     * <li>Runs while the ACK timer runs and expires before it, and only for a peer that has answered, or answers other queue pairs.
     * <li>Stops while the oldest packet is about to be retransmitted anyway. From the sixth probe on, each doubles the interval;
     * progress resets it.
     * <li>On expiry the oldest packet is retransmitted, or first the last one to a peer that reports its gaps. retry_cnt is not charged.
     * </ul>
     */
    PROBE,

    /**
     * How long a packet or a response that a later one has overtaken may still arrive by itself (rules Q5, G4). Kept by {@code Rack}; zero
     * until disorder was seen.
     * <ul>
     * <li>Starts when something arrives that was sent, or requested, later.
     * <li>Stops when nothing that was overtaken is missing any more, and rests during an RNR wait.
     * <li>On expiry what is missing is retransmitted, and retry_cnt is charged as for a NAK if it is the oldest.
     * </ul>
     */
    REORDER_WINDOW,

    /**
     * The pause that an RNR NAK demands (rules T7, T8; rxe: rnr_nak_timer). Kept by {@link RetryState}.
     * <ul>
     * <li>Starts with an RNR NAK, unless rnr_retry is exhausted.
     * <li>Ends at once when the packet that was refused is acknowledged after all.
     * <li>On expiry the requester retransmits from the oldest packet.
     * </ul>
     */
    RNR_WAIT,

    /**
     * The pause of a requester that is out of credits, until the peer grants some (rule Q15). Kept by {@link SendCredits}.
     * <ul>
     * <li>Starts when the next packet takes a receive request of the peer, no credit is left and nothing is outstanding.
     * <li>Ends at once when the peer grants credits. Never runs for a peer that did not grant although it could.
     * <li>On expiry one packet is sent without a credit.
     * </ul>
     */
    CREDIT_WAIT,

    /**
     * Keeps queue pairs whose peer is dead from blocking live ones. Kept by {@link PeerSendWindow.Share}.
     * <ul>
     * <li>Starts when the queue pair has to wait because the peer send window is full.
     * <li>Stops when it gets a grant, or leaves the window.
     * <li>On expiry, if nothing in flight to the peer was acknowledged meanwhile, everything in flight is written off and the queue
     * pairs that wait get grants; else the timer starts again.
     * </ul>
     */
    PEER_SEND_WINDOW,

    /**
     * Notices that an idle peer is gone (rule T11). Kept by {@link KeepAlive}.
     * <ul>
     * <li>Runs in RTS and SQD, if the application has set its time.
     * <li>Starts again with an answer, and with its expiry while a request is outstanding, whose ACK timer notices the same.
     * <li>On expiry a keep-alive is sent, and the timer runs for one ACK timeout. Progress of the peer counts as an answer. The queue pair
     * goes to ERROR with QP_FATAL when 1 + retry_cnt keep-alives got none.
     * </ul>
     */
    KEEP_ALIVE,

    /**
     * How long a gap in the requests of a peer that knows no gap reports may close by itself (deviation of rule R1). Kept by the
     * {@link NakDelay} of the responder; zero until disorder was seen.
     * <ul>
     * <li>Starts when a request arrives behind a gap.
     * <li>Stops when the gap closes, or an RNR NAK makes the peer retransmit everything.
     * <li>On expiry a PSN sequence NAK is sent. Until then acknowledgements wait, unless the peer retransmits what it has sent before.
     * </ul>
     */
    NAK_DELAY,

    /**
     * Returns the frames of a gap that does not close to the pool that all queue pairs share (deviation of rule R1). Kept by the
     * responder.
     * <ul>
     * <li>Starts when the first request is kept behind a gap; restarts when the gap moves.
     * <li>Stops when no request is kept.
     * <li>On expiry all kept requests are dropped. A peer that knows gap reports gets a NAK (rule G3); any other retransmits them when
     * its own timer expires.
     * </ul>
     */
    KEPT_REQUESTS,

    /**
     * Limits the NAKs a queue pair sends (rule R1). Kept by {@code ResponseQueue}.
     * <ul>
     * <li>Runs while a NAK is the only thing left to send and the limit of 10,000 a second is reached.
     * <li>Stops when the NAK is withdrawn because the missing request arrived.
     * <li>On expiry the NAK is sent. It is the only timer that still runs in ERROR: a fatal NAK has to leave.
     * </ul>
     */
    NAK_RATE,

    /**
     * Spaces READ responses at the rate that their requester told (rule G9). Kept by {@code ResponsePacer}.
     * <ul>
     * <li>Starts when a batch of responses has left and more are due.
     * <li>On expiry the next batch leaves, and then what is due behind it.
     * </ul>
     */
    RESPONSE_PACE
}
