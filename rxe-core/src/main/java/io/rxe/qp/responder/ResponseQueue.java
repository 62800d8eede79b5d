package io.rxe.qp.responder;

import io.rxe.counters.NicCounter;
import io.rxe.port.EngineEvent;
import io.rxe.port.PacketSink;
import io.rxe.qp.congestion.ResponsePacer;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.context.ReadPlaces;
import io.rxe.time.HostDelay;
import io.rxe.time.TokenBucket;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Psn;
import io.rxe.wire.Syndrome;

/**
 * The responses that are due, in the order in which they have to leave:
 *
 * <pre>
 *   1. responses to READs and atomics, oldest first    a ring of max_dest_rd_atomic places (rules R7, G11)
 *   2. responses to duplicate READs and atomics        a few at a time; to a peer that knows gap reports before any of 1 has begun
 *   3. one NAK                                         acknowledges all before it, so it follows 1 (rule R2)
 *   4. one acknowledgement                             cumulative: the last SEND or WRITE packet executed
 * </pre>
 *
 * <p>A gap report that is due leaves with an acknowledgement before all of them, unless that would overtake the response to a READ before
 * it: to the peer that response would be missing.
 *
 * <p>An acknowledgement never carries the PSN of a READ or an atomic: a kernel peer would complete them with success (K1).
 *
 * <p>Owned by the engine thread.
 */
final class ResponseQueue {
    /** Most packets of one poll. */
    private static final int BUDGET = 128;
    private static final int NO_NAK = -1;
    /** A peer, or an attacker who forges its address, cannot provoke more. */
    private static final int NAKS_PER_SECOND = 10_000;
    private static final long MAX_GRANT_DISTANCE = 1 << 22;
    /** rdma_rxe, which does not count FLUSHes in max_rd_atomic, has no more packets in flight. */
    private static final int MORE_FLUSHES = 128;
    private static final long AT_ONCE = Long.MIN_VALUE;

    private final QueuePairContext context;
    private final ReplayQueue replays = new ReplayQueue();
    private final TokenBucket nakRate = new TokenBucket(NAKS_PER_SECOND);
    private final ResponsePacket packet;
    private final CreditGrants credits;
    private final GapReports reports;
    private final HostDelay hostDelay;
    private final ResponsePacer pacer = new ResponsePacer();
    private int places;
    /** Has room for {@link #places}, until more wait: FLUSHes, and what a known peer asks for (rule G11). */
    private ResponderResource[] ring = new ResponderResource[0];
    private long oldest;
    private long sending;
    private long end;
    private int nakSyndrome = NO_NAK;
    private long nakSeq;
    private long nakDueNs = AT_ONCE;
    private boolean ackDue;
    private boolean ackDeferralCounted;
    /** The next response waits for its time. */
    private boolean paced;
    /** The last SEND or WRITE packet executed; before there is one, what lies before the first request. */
    private long ackSeq;
    private boolean executedAny;
    private int messageSequenceNumber;
    /** Requests whose responses became due so far. */
    private long requests;
    /** The highest sequence number of an ACK, NAK or first response sent, and when it was sent last. */
    private long latestSeq;
    private long latestSentNs;

    ResponseQueue(QueuePairContext context, CreditGrants credits, GapReports reports, HostDelay hostDelay) {
        this.context = context;
        this.credits = credits;
        this.reports = reports;
        this.hostDelay = hostDelay;
        this.packet = new ResponsePacket(context, credits, reports, hostDelay);
    }

    /** A new connection with this many places for READs and atomics, whose first request has this sequence number. */
    void start(int newPlaces, long firstSeq) {
        places = newPlaces;
        ring = new ResponderResource[places];
        oldest = 0;
        sending = 0;
        end = 0;
        replays.clear();
        nakSyndrome = NO_NAK;
        ackDue = false;
        ackSeq = firstSeq - 1;
        executedAny = false;
        messageSequenceNumber = 0;
        latestSeq = -1;
    }

    /**
     * Whether there is a place for another READ or atomic: a free one, or one whose response was sent (rule R7). A FLUSH finds more, and
     * takes none from a READ.
     */
    boolean hasPlace(boolean isFlush) {
        int most = most();
        long waiting = end - sending;
        for (long i = sending; !isFlush && waiting >= most && i < end; i++) {
            waiting -= ring[(int) (i % ring.length)].isFlush() ? 1 : 0;
        }
        return waiting < most || isFlush && most > 0 && waiting < most + MORE_FLUSHES;
    }

    /** Takes a place for a READ or an atomic, which the caller fills. {@link #hasPlace} must be true. */
    ResponderResource add(long nowNs) {
        int most = most();
        while (end - oldest >= most && oldest < sending) {
            oldest++;
        }
        if (end - oldest == ring.length) {
            grow();
        }
        int position = (int) (end % ring.length);
        if (ring[position] == null) {
            ring[position] = new ResponderResource();
        }
        end++;
        ring[position].order(++requests);
        ring[position].arrivedNs(nowNs - hostDelay.unseenNs());
        return ring[position];
    }

    private int most() {
        return ReadPlaces.of(places, reports.isKnown());
    }

    private void grow() {
        ResponderResource[] larger = new ResponderResource[2 * ring.length];
        for (long i = oldest; i < end; i++) {
            larger[(int) (i % larger.length)] = ring[(int) (i % ring.length)];
        }
        ring = larger;
    }

    /** The remembered READ or atomic that holds a sequence number, or null. */
    ResponderResource find(long seq) {
        for (long i = end - 1; i >= oldest; i--) {
            ResponderResource resource = ring[(int) (i % ring.length)];
            if (seq >= resource.firstSeq() && seq < resource.endSeq()) {
                return resource;
            }
        }
        return null;
    }

    /** Whether a response to something behind a READ has left since the READ was served: its requester may know of missing responses. */
    boolean hasPassed(ResponderResource read) {
        return latestSeq >= read.endSeq() && latestSentNs >= read.servedNs();
    }

    private void sent(long seq, long nowNs) {
        if (seq >= latestSeq) {
            latestSeq = seq;
            latestSentNs = nowNs;
        }
    }

    /** Takes a place for the response to a duplicate, or returns null when too many are in progress. */
    ResponderResource addReplay(long nowNs) {
        ResponderResource replay = replays.add(reports.isKnown());
        if (replay != null) {
            replay.order(++requests);
            replay.arrivedNs(nowNs - hostDelay.unseenNs());
        }
        return replay;
    }

    /** Whether these responses are due again and none of them has left. */
    boolean isReplayed(long fromSeq, long toSeq) {
        return replays.hasAll(fromSeq, toSeq);
    }

    /** A SEND or WRITE packet was executed. */
    void executed(long seq) {
        ackSeq = seq;
        executedAny = true;
    }

    /** Counts a completed message (rule R15). */
    int nextMessage() {
        messageSequenceNumber = Psn.next(messageSequenceNumber);
        return messageSequenceNumber;
    }

    int messageSequenceNumber() {
        return messageSequenceNumber;
    }

    /** Queues an acknowledgement of the last SEND or WRITE packet. */
    void acknowledge() {
        ackDue = true;
    }

    /**
     * Queues an acknowledgement for a duplicate. Before the first SEND or WRITE it has the PSN before the first request, and only the
     * question of a keep-alive gets it (rule T11): a peer that begins at an earlier PSN than agreed must not take it for its requests.
     *
     * @return false when there is none, or the PSN is so old that the peer could take it for a later one.
     */
    boolean acknowledgeDuplicate(long seq, long expectedSeq) {
        boolean isKnown = canGrant(expectedSeq) && (executedAny || seq == expectedSeq - 1);
        ackDue |= isKnown;
        return isKnown;
    }

    /**
     * Queues an acknowledgement that brings credits only: it repeats what was acknowledged before, or what lies before the first request
     * (rule P5).
     */
    void grant() {
        ackDue = true;
        context.counters().count(NicCounter.SENT_CREDIT_GRANTS);
    }

    /** Whether the last SEND or WRITE is recent enough that the peer cannot take its PSN for one not sent yet. */
    boolean canGrant(long expectedSeq) {
        return expectedSeq - ackSeq < MAX_GRANT_DISTANCE;
    }

    /** Whether credits are to be granted now (rule R19). */
    boolean isGrantDue(long expectedSeq) {
        return canGrant(expectedSeq) && credits.isGrantDue(messageSequenceNumber);
    }

    /** Drops an acknowledgement that has waited until its PSN is too old: the responses to what is behind it acknowledge the same. */
    void dropOldAck(long expectedSeq) {
        ackDue &= canGrant(expectedSeq);
    }

    /** Queues a NAK with the expected PSN. */
    void nak(int syndrome, long seq) {
        nakSyndrome = syndrome;
        nakSeq = seq;
    }

    /** Withdraws a NAK that has not left: the missing request arrived. */
    void withdrawNak() {
        nakSyndrome = NO_NAK;
    }

    /** Whether a NAK has not left yet. */
    boolean isNakPending() {
        return nakSyndrome != NO_NAK;
    }

    /** Whether the only response left is a NAK that has to wait for the rate limit. */
    boolean isNakRateLimited(long nowNs) {
        return nowNs < nakDueNs && nakSyndrome != NO_NAK && sending == end && replays.isEmpty();
    }

    /** When the rate limit allows the next NAK. */
    long nakDueNs() {
        return nakDueNs;
    }

    /** Whether the next response waits for its time, and all others for it. */
    boolean isPaced() {
        return paced;
    }

    /** When it may leave. */
    long pacedUntilNs() {
        return pacer.opensNs();
    }

    boolean hasPending() {
        return sending < end || !replays.isEmpty() || nakSyndrome != NO_NAK || ackDue;
    }

    /** Whether the only response due is a plain acknowledgement. */
    boolean isOnlyAckPending() {
        return ackDue && sending == end && replays.isEmpty() && nakSyndrome == NO_NAK;
    }

    private void deferAck() {
        if (!ackDeferralCounted) {
            ackDeferralCounted = true;
            context.counters().count(NicCounter.ACK_DEFERRED);
        }
    }

    /** The application sets ERROR: what a READ asks for may be its own again. What is due behind one would overtake it (K1, K2). */
    void abandonReads() {
        if (sending < end || !replays.isEmpty()) {
            clear();
        }
    }

    /** Forgets every response. */
    void clear() {
        sending = end;
        replays.clear();
        nakSyndrome = NO_NAK;
        ackDue = false;
        paced = false;
    }

    /**
     * Sends the responses that are due, as far as the sink has room.
     *
     * @param ackDeferred whether a plain acknowledgement waits.
     * @return packets sent.
     */
    int poll(PacketSink sink, boolean ackDeferred, long nowNs) {
        int sent = 0;
        paced = false;
        while (sent < BUDGET && hasPending()) {
            if (ackDeferred && isOnlyAckPending()) {
                deferAck();
                return sent;
            }
            if (isNakRateLimited(nowNs) || !sendNext(sink, nowNs)) {
                return sent;
            }
            sent++;
        }
        return sent;
    }

    private boolean sendNext(PacketSink sink, long nowNs) {
        if (isReportNext()) {
            return sendAck(sink, nowNs);
        }
        // A run of READ responses is never interrupted by another: its MIDDLE and LAST would arrive without their FIRST.
        if (sending < end && !isReplayNext()) {
            ResponderResource resource = ring[(int) (sending % ring.length)];
            if (!sendPart(sink, resource, true, nowNs)) {
                return false;
            }
            sent(resource.firstSeq(), nowNs);
            if (resource.isComplete()) {
                sending++;
            }
            return true;
        }
        if (!replays.isEmpty()) {
            ResponderResource resource = replays.first();
            if (!sendPart(sink, resource, false, nowNs)) {
                return false;
            }
            if (resource.isComplete()) {
                replays.removeFirst();
            }
            return true;
        }
        if (nakSyndrome != NO_NAK) {
            if (!sendAcknowledge(sink, nakSyndrome, nakSeq)) {
                return false;
            }
            sent(nakSeq, nowNs);
            nakSyndrome = NO_NAK;
            nakRate.take(nowNs);
            nakDueNs = nakRate.dueNs(nowNs);
            reports.onRevoked();
            ackDue = reports.isDue();
            return true;
        }
        return sendAck(sink, nowNs);
    }

    /** Rule R5: a peer that knows reports gets what it misses before what it has not begun to get. */
    private boolean isReplayNext() {
        ResponderResource original = ring[(int) (sending % ring.length)];
        return replays.isBegun() || reports.isKnown() && !replays.isEmpty() && original.sent() == 0
            && replays.first().order() < original.order();
    }

    /** Rule G3: a report overtakes nothing that it would make the peer miss, nor the NAK that revokes those before it. */
    private boolean isReportNext() {
        if (!ackDue || !reports.isDue() || nakSyndrome != NO_NAK || replays.isBegun()) {
            return false;
        }
        ResponderResource original = sending == end ? null : ring[(int) (sending % ring.length)];
        return original == null || original.sent() == 0 && ackSeq < original.firstSeq();
    }

    private boolean sendAck(PacketSink sink, long nowNs) {
        if (!sendAcknowledge(sink, credits.syndrome(messageSequenceNumber), ackSeq)) {
            return false;
        }
        sent(ackSeq, nowNs);
        ackDue = false;
        ackDeferralCounted = false;
        return true;
    }

    private boolean sendPart(PacketSink sink, ResponderResource resource, boolean isOriginal, long nowNs) {
        return resource.kind() == ResponderResource.Kind.ATOMIC ? sendAtomicAcknowledge(sink, resource)
            : sendReadResponse(sink, resource, isOriginal, nowNs);
    }

    /**
     * The memory of a READ is looked up for every packet. If it was deregistered, or faults, the READ fails (rule R14), except for a
     * duplicate, which may be a late copy (rule R3). rxe: read_reply.
     */
    private boolean sendReadResponse(PacketSink sink, ResponderResource resource, boolean isOriginal, long nowNs) {
        paced = !pacer.isOpen(resource.bytesPerSecond(), nowNs);
        if (paced || !packet.writeRead(sink, resource, nowNs)) {
            return false;
        }
        if (packet.isMemoryGone()) {
            onMemoryGone(resource, isOriginal, Syndrome.REMOTE_ACCESS_ERROR, "memory was deregistered or its key invalidated while "
                + context.peer() + " read it: keep both until the peer is done");
        } else if (packet.isMemoryFaulty()) {
            onMemoryGone(resource, isOriginal, Syndrome.REMOTE_OPERATIONAL_ERROR, "memory faulted while " + context.peer()
                + " read it: " + NakReason.KEEP_MEMORY);
        } else {
            pacer.onSent(resource.nextBytes(context.mtu()), nowNs);
            resource.sentOne();
        }
        return true;
    }

    /**
     * Rule R14. Nothing behind the missing response may leave before the NAK: the peer would take the NAK for an old packet. A peer that
     * may be a kernel gets none within a READ that it has begun to receive (K2), and nobody for a duplicate (rule R3).
     */
    private void onMemoryGone(ResponderResource resource, boolean isOriginal, int syndrome, String why) {
        if (!isOriginal) {
            resource.abandon();
            return;
        }
        clear();
        if (resource.sent() == 0 || reports.isKnown()) {
            nak(syndrome, resource.firstSeq() + resource.sent());
        }
        if (context.state() != QueuePairState.ERROR) {
            context.fail();
            context.raise(AsyncEvent.Type.QP_ACCESS_ERR, why);
        }
    }

    private boolean sendAtomicAcknowledge(PacketSink sink, ResponderResource resource) {
        if (!packet.writeAtomicAcknowledge(sink, resource)) {
            return false;
        }
        resource.sentOne();
        return true;
    }

    private boolean sendAcknowledge(PacketSink sink, int syndrome, long seq) {
        if (!packet.writeAcknowledge(sink, syndrome, seq, messageSequenceNumber)) {
            return false;
        }
        if (!Syndrome.isAck(syndrome)) {
            context.counters().event(EngineEvent.NAK_SENT, (int) seq & Psn.MASK, syndrome);
        }
        if (Syndrome.isRnr(syndrome)) {
            context.counters().count(NicCounter.SEND_RNR_ERR);
        } else if (syndrome == Syndrome.PSN_SEQUENCE_ERROR) {
            context.counters().count(NicCounter.SEND_SEQ_ERR);
        }
        return true;
    }
}
