package io.rxe.qp.send;

import io.rxe.wire.FiveBitCode;

/**
 * The send window of a queue pair: how many packets may be in flight, and how many responses to READs. It is the queue pair's {@link
 * PeerShares} of what the path to its peer holds, and less where the peer discards what follows a loss:
 *
 * <ul>
 *   <li>With a go-back-N peer, a loss costs all that is in flight. So each loss shrinks the window to what the path itself holds, beyond
 *       what waits in queues, and three packets or a 32nd, for acknowledgements that are not sent yet; but to a quarter at most, since
 *       early losses come before the path is known. An expired ACK timeout halves it. The square root of the packets between two losses
 *       may always be in flight: about as many as TCP has then. A round trip without loss adds an eighth, or a 64th where the path is
 *       full.
 *   <li>Behind a gap, a peer that reports its gaps keeps no more than it says (rule G2).
 * </ul>
 *
 * <p>Owned by the engine thread.
 */
public final class SendWindow {
    /** Below this it does not shrink. */
    public static final int MINIMUM_PACKETS = 4;
    /** Acknowledgements of a window. After a loss of a go-back-N peer, a packet that waits for one takes the place of another. */
    private static final int ACKS = 4;
    private static final int FOREIGN_ACKS = 16;
    private static final int ACKS_AFTER_LOSS = 32;
    private static final int LEAST_FOREIGN_INTERVAL = 2;
    /** Where a path holds few packets its hosts are busy: there an acknowledgement costs more time than a packet that waits for one. */
    private static final int INTERVAL_OF_FEW = 4;
    /** A path that lost or delayed a packet is likely to do so again within these. */
    private static final int UNSTEADY_ROUND_TRIPS = 64;
    /** A loss shrinks it to such a part at most. */
    private static final int MOST_SHRINK = 4;
    /** A round trip without loss adds such a part of the window, or less where that fills the path. */
    private static final int GROWTH = 8;
    private static final int FULL_GROWTH = 64;
    /** It holds such a part more than the path does, or three packets; one where three would be much. */
    private static final int MORE_THAN_PATH = 32;
    private static final int MORE_PACKETS = 3;
    private static final int FEW_PACKETS = 16;
    /** The mean of what is sent between two losses moves by such a part with each. */
    private static final int LOSS_MEAN = 8;
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final RttEstimator rtt;
    private PeerShares shares;
    private int mtu;
    private long mostPackets;
    /** What a go-back-N peer may have in flight; {@link #mostPackets} until a loss. */
    private long packets;
    /** What it should have grown by beyond whole packets, in parts of {@link #FULL_GROWTH}. */
    private long slowGrowth;
    private long endSeq = NO_LIMIT;
    private long gapClosedSeq;
    private long roundTripEndSeq;
    private boolean shrunkInRoundTrip;
    private long sentSinceLoss;
    private long sentBetweenLosses;
    private long steadyFromNs;
    /** Whether the last request was a READ. */
    private boolean reads;

    SendWindow(RttEstimator rtt) {
        this.rtt = rtt;
    }

    /**
     * A new connection or path.
     *
     * @param ofPeer    the queue pair's shares of the peer send windows.
     * @param mostBytes most bytes in flight on any path.
     * @param ofPacket  payload bytes of a full packet.
     */
    public void start(PeerShares ofPeer, long mostBytes, int ofPacket) {
        shares = ofPeer;
        mtu = ofPacket;
        mostPackets = Math.max(MINIMUM_PACKETS, Math.min(SendState.MAX_UNACKED_PACKETS / 2, mostBytes / mtu));
        packets = mostPackets;
        endSeq = NO_LIMIT;
        roundTripEndSeq = 0;
        shrunkInRoundTrip = false;
        slowGrowth = 0;
        sentSinceLoss = 0;
        sentBetweenLosses = 0;
        steadyFromNs = Long.MIN_VALUE;
    }

    /** The queue pair has no peer any more. */
    public void stop() {
        shares = null;
    }

    /** Packets are lost or late. */
    public void onUnsteady(long nowNs) {
        steadyFromNs = nowNs + UNSTEADY_ROUND_TRIPS * rtt.plausibleNs();
    }

    /** Whether no packet was lost or late for a while. */
    public boolean isSteady(long nowNs) {
        return nowNs >= steadyFromNs;
    }

    /** Packets that may be in flight on any path. */
    public long mostPackets() {
        return mostPackets;
    }

    /** Packets, or READ responses, whichever the queue pair sent or asked for last, that may be in flight now; 0 before there is a path. */
    public long packets() {
        return packets(reads);
    }

    /** Packets, or responses to READs, that may be in flight now; 0 before there is a path. */
    public long packets(boolean isRead) {
        return shares == null ? 0 : Math.min(packets, Math.max(MINIMUM_PACKETS, shares.of(isRead).windowPackets()));
    }

    /** At least one packet in this many requests an acknowledgement, so that the window never closes without one. */
    public long ackInterval(boolean isForeign) {
        if (shares.of(false).isIgnored()) {
            return 1;
        }
        long open = packets(false);
        if (!isForeign) {
            return open / ACKS;
        }
        return Math.max(LEAST_FOREIGN_INTERVAL, packets == mostPackets ? open / FOREIGN_ACKS : intervalAfterLoss(open));
    }

    private long intervalAfterLoss(long open) {
        return shares.of(false).pathPackets() < MINIMUM_PACKETS ? Math.min(INTERVAL_OF_FEW, open / 2) : open / ACKS_AFTER_LOSS;
    }

    /** The same in bytes of payload. */
    public long bytes() {
        return packets() * mtu;
    }

    /** Payload bits of these that may leave in a second, of all queue pairs to the peer; 0 where nothing is paced. */
    public long bitsPerSecond() {
        return shares == null ? 0 : Byte.SIZE * shares.of(reads).payloadBytesPerSecond();
    }

    /** Whether the packet with this sequence number may be in flight while everything before {@code ackedSeq} is acknowledged. */
    public boolean allows(long seq, long ackedSeq) {
        return seq - ackedSeq < packets && seq < endSeq;
    }

    /**
     * Rule G2: the peer keeps nothing from a sequence number on.
     *
     * @param closedSeq when everything before it is acknowledged, the gap is closed.
     */
    public void onRoom(long keptToSeq, long closedSeq) {
        endSeq = keptToSeq;
        gapClosedSeq = closedSeq;
    }

    /** No gap is open. */
    public void onNoGap() {
        endSeq = NO_LIMIT;
    }

    /** The peer turned out to keep what follows a gap: losses before did not show what the path holds. */
    public void onReportingPeer() {
        packets = mostPackets;
    }

    /**
     * A round trip was measured.
     *
     * @param hostsNs the part of it that the hosts at both ends may have caused.
     * @param isExact whether the peer answered at once: else it may have waited for what was sent before.
     */
    public void onSample(long ns, long hostsNs, boolean isExact, long nowNs) {
        rtt.onSample(ns, nowNs);
        shares.of(false).onSample(ns, hostsNs, isExact, nowNs);
    }

    /**
     * A round trip was measured by a response to a READ.
     *
     * @param leastRequestWaitNs what its request waited on its way there at least.
     * @param mostRequestWaitNs  and at most.
     * @param waitedNs           how long the host of the peer may have delayed it.
     * @param hostNs             how long this host may have.
     * @param isExact            as in {@link #onSample}.
     */
    public void onReadSample(long ns, long leastRequestWaitNs, long mostRequestWaitNs, long waitedNs, long hostNs, boolean isExact,
        long nowNs) {
        rtt.onSample(ns, nowNs);
        shares.onReadSample(ns, rtt.minimumNs(), leastRequestWaitNs, mostRequestWaitNs, waitedNs, hostNs, isExact, nowNs);
    }

    /** A response told when it left: see {@link io.rxe.qp.congestion.ArrivalWait#onArrived}. */
    public void onPeerSent(long sentNs, long hostNs, long nowNs) {
        shares.arrivalWait().onArrived(sentNs, hostNs, nowNs);
    }

    /** The peer responded for the first time, after a round trip of at most this many ns: see {@link #onSample}. */
    public void onBound(long mostNs, long hostsNs, long nowNs) {
        rtt.onBound(mostNs, nowNs);
        shares.of(reads).onSample(mostNs, hostsNs, false, nowNs);
    }

    /** An answer came, to whichever copy of a packet that was probed: a round trip may have become longer, but takes no more ns. */
    public void onLonger(long mostNs) {
        shares.of(false).onLonger(mostNs);
    }

    /** Packets arrived at the peer, or responses to READs from it. */
    public void onArrived(boolean isRead, long count, long nowNs) {
        shares.onArrived(isRead, count, nowNs);
    }

    /**
     * The acknowledged edge moved.
     *
     * @param ackedSeq one past the last packet acknowledged.
     * @param nextSeq  one past the last packet sent: its acknowledgement ends the next round trip.
     */
    public void onAcknowledged(long ackedSeq, long nextSeq) {
        if (ackedSeq >= gapClosedSeq) {
            onNoGap();
        }
        if (ackedSeq > roundTripEndSeq) {
            roundTripEndSeq = nextSeq;
            packets = shrunkInRoundTrip ? packets : Math.min(mostPackets, packets + growth());
            shrunkInRoundTrip = false;
        }
    }

    /** A window that fills the path gains nothing but a queue, which the next loss costs as well. */
    private long growth() {
        if (packets < fitting() || fitting() == 0) {
            return 1 + packets / GROWTH;
        }
        slowGrowth += packets;
        long whole = slowGrowth / FULL_GROWTH;
        slowGrowth -= whole * FULL_GROWTH;
        return whole;
    }

    /** Packets were lost, some of them responses to READs. */
    public void onLost(long count, long reads) {
        shares.onLost(count - reads, reads);
    }

    /** A packet to a go-back-N peer was lost. */
    public void onGoBackNLoss() {
        shares.onLost(1, 0);
        shrink(rtt.isKnown() ? Math.max(packets(false) / MOST_SHRINK, fitting()) : packets(false) / 2);
    }

    /** What the path holds, with few more, else the next measurement would be of a path that is not full; 0 before the first. */
    private long fitting() {
        long path = shares.of(false).pathPackets();
        return path == 0 ? 0 : path + Math.max(path < FEW_PACKETS ? 1 : MORE_PACKETS, path / MORE_THAN_PATH);
    }

    /**
     * The peer notified this side that routers marked packets to it.
     *
     * @return whether that changed anything.
     */
    public boolean onNotified(boolean isRead, long nowNs) {
        return shares != null && shares.of(isRead).onNotified(nowNs);
    }

    /** The latest round trip to the peer that any queue pair measured; 0 before the first. */
    public long peerRoundTripNs() {
        return shares.of(false).roundTripNs();
    }

    /** Whether the peer has answered a queue pair since a time. */
    public boolean hasArrivedSince(long ns) {
        return shares.of(false).hasArrivedSince(ns);
    }

    /** The ACK timeout expired. */
    public void onTimeout() {
        shrunkInRoundTrip = false;
        shrink(packets(false) / 2);
    }

    private void shrink(long to) {
        if (!shrunkInRoundTrip) {
            shrunkInRoundTrip = true;
            sentBetweenLosses += sentBetweenLosses == 0 ? sentSinceLoss : (sentSinceLoss - sentBetweenLosses) / LOSS_MEAN;
            sentSinceLoss = 0;
            packets = Math.min(packets, Math.max(least(), to));
        }
    }

    /** A round trip of hosts varies, so the shortest of them tells less than the path holds: where losses are few, more costs little. */
    private long least() {
        return Math.max(MINIMUM_PACKETS, (long) Math.sqrt(sentBetweenLosses));
    }

    /** Whether packets may be sent now, as far as the peer send window allows. If not, the queue pair waits for a grant. */
    public boolean claim(boolean isRead, long count, long nowNs) {
        return shares.claim(isRead, count, nowNs);
    }

    /** Whether other queue pairs wait for room for responses. */
    public boolean doOthersWait() {
        return shares.of(true).doOthersWait();
    }

    /** How fast READ responses may arrive, all together: a code (rule G9). */
    public int readRate() {
        long bytesPerSecond = shares.of(true).responsePayloadBytesPerSecond();
        return bytesPerSecond == 0 ? 0 : Math.max(1, FiveBitCode.READ_RATE.of(bytesPerSecond));
    }

    /** Whether most of what may be in flight to the peer is this queue pair's. */
    public boolean isOwn(boolean isRead) {
        return shares.of(isRead).isMost();
    }

    /** Whether the next packet may be the last before an acknowledgement makes room. */
    public boolean isLast(long seq, long ackedSeq) {
        return !allows(seq + 1, ackedSeq) || shares.of(false).isLast();
    }

    /** Packets were sent or retransmitted, or READ responses requested. */
    public void onSent(boolean isRead, long count, long payloadBytes) {
        reads = isRead;
        sentSinceLoss += count;
        shares.of(isRead).sent(count, payloadBytes);
    }
}
