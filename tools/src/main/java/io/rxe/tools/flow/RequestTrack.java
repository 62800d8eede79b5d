package io.rxe.tools.flow;

import io.rxe.wire.Psn;
import io.rxe.wire.Syndrome;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.TreeMap;

/**
 * Tracks the requests of one side of a connection and the responses to them, as seen at the point of capture.
 *
 * <p>Sequence numbers are PSNs without the wrap, relative to the first request seen. Memory is bounded, however long the connection.
 */
public final class RequestTrack {
    private static final int UNKNOWN_MTU = 1024;
    /** READs remembered, far more than a responder serves at once. */
    private static final int MAX_READS = 4096;
    /** Requests whose round trip is being measured. */
    private static final int MAX_TIMED = 4096;
    /** More than any requester has outstanding. */
    private static final int MAX_ATOMICS = 256;
    /** Between the PSNs of one connection, even where the capture lacks some. */
    private static final int FAR = 1 << 18;

    private final int mtu;
    private final FlowStatistics statistics;
    /** Requests that lie in a gap. */
    private final SequenceRanges missing = new SequenceRanges();
    /** Atomics seen. */
    private final SequenceRanges atomics = new SequenceRanges();
    /** Responses to READs and atomics seen. */
    private final SequenceRanges responded = new SequenceRanges();
    /** First sequence number of each of the latest READs and one past its last. */
    private final TreeMap<Long, Long> reads = new TreeMap<>();
    private final ArrayDeque<long[]> timed = new ArrayDeque<>();
    private boolean started;
    private int firstPsn;
    private long nextSeq;
    private long ackedSeq;
    private long lastResponseSeq = -1;
    /** -1 since a READ was asked for again. */
    private long lastReplayedSeq = -1;
    private long lastProgressNs;
    private int strayPsn = -1;
    private long rnrNakSeq = -1;
    private long rnrNakNs;
    private String note = "";
    private final CauseClassifier classifier = new CauseClassifier();
    /** Of the last packet: its sequence number and one past its last, and why it was sent again, or null. */
    private long seq;
    private long end;
    private RetransmissionCause cause;
    private long roundTripNs = -1;

    /** @param mtu payload of a full packet; 0 if the capture does not show it. */
    RequestTrack(int mtu, FlowStatistics statistics) {
        this.mtu = mtu == 0 ? UNKNOWN_MTU : mtu;
        this.statistics = statistics;
    }

    /** A remark on the last packet, or empty. */
    String note() {
        return note;
    }

    private long seq(int psn) {
        return nextSeq + Psn.subtract(psn, (int) (firstPsn + nextSeq) & Psn.MASK);
    }

    private String psn(long seq) {
        return String.format("%06x", firstPsn + seq & Psn.MASK);
    }

    /** Number of PSNs that a request occupies. */
    private long span(FlowPacket packet) {
        return packet.requestBytes() <= mtu ? 1 : (packet.requestBytes() + mtu - 1) / mtu;
    }

    PacketClass onRequest(FlowPacket packet) {
        if (!started) {
            started = true;
            firstPsn = packet.psn();
            lastProgressNs = packet.timeNs();
        }
        seq = seq(packet.psn());
        cause = null;
        if (isStray(packet)) {
            return PacketClass.INVALID;
        }
        end = seq + span(packet);
        note = rnrWait(packet, seq);
        Map.Entry<Long, Long> around = reads.floorEntry(seq);
        // A retransmission asks for a part of its READ.
        if (packet.opcode().isReadRequest() && seq >= 0 && (around == null || around.getValue() < end)) {
            reads.merge(seq, end, Math::max);
            if (reads.size() > MAX_READS) {
                reads.pollFirstEntry();
            }
        }
        statistics.request(packet);
        if (seq > nextSeq) {
            note = note(note, rangeText(nextSeq, seq) + " missing");
            statistics.gap(seq - nextSeq);
            missing.add(nextSeq, seq);
            classifier.onGap(nextSeq, packet.timeNs());
            accept(packet);
            return PacketClass.GAP;
        }
        if (seq == nextSeq) {
            accept(packet);
            return PacketClass.ORDINARY;
        }
        boolean fillsGap = missing.contains(seq);
        if (packet.repeated() && !fillsGap) {
            note = note(note, "copy");
            cause = RetransmissionCause.SEVERAL;
            return PacketClass.ORDINARY;
        }
        cause = packet.isReliable() ? again(packet, around, fillsGap) : fillsGap ? RetransmissionCause.DISORDER : RetransmissionCause.COPY;
        timed.removeIf(entry -> entry[0] >= seq);
        if (fillsGap) {
            missing.remove(seq, Math.min(end, nextSeq));
            statistics.requestFirstSeen();
            return PacketClass.FILLS_GAP;
        }
        statistics.requestRetransmitted();
        return PacketClass.RETRANSMITTED;
    }

    /**
     * A single packet far from the others is one of an older connection of the same queue pairs; two requests near each other begin the
     * next one, whose sequence numbers lie above.
     */
    private boolean isStray(FlowPacket packet) {
        if (seq > ackedSeq - FAR && seq < nextSeq + FAR) {
            return false;
        }
        note = "PSN of another connection";
        boolean begins = packet.isRequest() && strayPsn >= 0 && Math.abs(Psn.subtract(packet.psn(), strayPsn)) < FAR;
        strayPsn = packet.isRequest() && !begins ? packet.psn() : strayPsn;
        if (begins) {
            seq += seq < nextSeq ? Psn.MASK + 1 : 0;
            ackedSeq = seq;
            nextSeq = seq;
            lastResponseSeq = seq - 1;
            classifier.onProgress(seq, seq);
        }
        return !begins;
    }

    private RetransmissionCause again(FlowPacket packet, Map.Entry<Long, Long> read, boolean fillsGap) {
        boolean inRead = packet.opcode().isReadRequest() && read != null && seq < read.getValue();
        lastReplayedSeq = packet.opcode().isReadRequest() ? -1 : lastReplayedSeq;
        boolean keepAlive = packet.opcode().isWrite() && packet.payloadBytes() == 0 && seq == nextSeq - 1 && ackedSeq == nextSeq
            && packet.ackRequested();
        return classifier.onAgain(packet, seq, end, inRead ? read.getKey() : seq, fillsGap, keepAlive, statistics.shortestRoundTripNs());
    }

    private void accept(FlowPacket packet) {
        if (packet.opcode().isAtomic()) {
            atomics.add(seq, end);
        }
        if (packet.isReliable()) {
            classifier.onFirst(seq, packet.timeNs(), packet.details().marked());
        }
        if (ackedSeq == nextSeq) {
            // Nothing was outstanding: the next stall is measured from here.
            lastProgressNs = packet.timeNs();
        }
        statistics.requestFirstSeen();
        nextSeq = end;
        if (packet.isReliable() && (packet.ackRequested() || packet.opcode().isReadRequest())) {
            timed.add(new long[] {seq, packet.timeNs()});
            if (timed.size() > MAX_TIMED) {
                timed.remove();
            }
        }
    }

    /** The first and the last PSN, and how many they are. */
    private String rangeText(long from, long to) {
        return to - from == 1 ? psn(from) : psn(from) + ".." + psn(to - 1) + " (" + (to - from) + ")";
    }

    private static String note(String one, String other) {
        return one.isEmpty() ? other : other.isEmpty() ? one : one + ", " + other;
    }

    private String rnrWait(FlowPacket packet, long seq) {
        if (seq != rnrNakSeq) {
            return "";
        }
        rnrNakSeq = -1;
        long waitNs = packet.timeNs() - rnrNakNs;
        statistics.rnrWait(waitNs);
        return "after an RNR wait of " + FlowStatistics.time(waitNs);
    }

    /** Classifies a response to these requests. */
    PacketClass onResponse(FlowPacket packet) {
        note = "";
        cause = null;
        seq = -1;
        end = -1;
        if (!started) {
            return packet.isNak() ? negative(packet, -1) : PacketClass.ORDINARY;
        }
        seq = seq(packet.psn());
        end = seq + 1;
        roundTripNs = -1;
        if (isStray(packet)) {
            return PacketClass.INVALID;
        }
        classifier.onResponse(packet.timeNs());
        if (packet.isNak()) {
            progress(seq, packet.timeNs());
            return negative(packet, seq);
        }
        passOver(packet);
        passOverAtomics(packet);
        progress(seq + 1, packet.timeNs());
        told(packet);
        if (packet.opcode().isReadResponse()) {
            return onReadResponse(packet.timeNs());
        }
        statistics.acknowledgement();
        sampleRoundTrip(seq, packet.timeNs());
        return packet.opcode().isAtomicAck() ? onAtomicAck() : PacketClass.ORDINARY;
    }

    /** An atomic is never executed twice: its duplicate gets the answer again. */
    private PacketClass onAtomicAck() {
        if (seq >= 0 && responded.contains(seq)) {
            cause = RetransmissionCause.REPLAY;
            return PacketClass.RETRANSMITTED;
        }
        responded.add(seq, seq + 1);
        return PacketClass.ORDINARY;
    }

    private void told(FlowPacket packet) {
        for (int i = 0; i < packet.details().missing().length; i += 2) {
            long first = seq(packet.details().missing()[i]);
            classifier.onMissing(first, first + packet.details().missing()[i + 1], RetransmissionCause.GAP_REPORT, packet.timeNs());
        }
    }

    private PacketClass negative(FlowPacket packet, long seq) {
        if (packet.isRnrNak()) {
            classifier.onMissing(seq, seq + 1, RetransmissionCause.RNR, packet.timeNs());
            statistics.rnrNak();
            rnrNakSeq = seq;
            rnrNakNs = packet.timeNs();
            return PacketClass.RNR_NAK;
        }
        if (packet.syndrome() == Syndrome.PSN_SEQUENCE_ERROR) {
            classifier.onMissing(seq, seq + 1, RetransmissionCause.SEQUENCE_NAK, packet.timeNs());
        }
        statistics.nak();
        return PacketClass.NAK;
    }

    /** Samples only requests that were sent once: the latest one that this response acknowledges. */
    private void sampleRoundTrip(long seq, long timeNs) {
        long[] latest = null;
        while (!timed.isEmpty() && timed.peek()[0] <= seq) {
            latest = timed.poll();
        }
        if (latest != null) {
            roundTripNs = timeNs - latest[1];
            statistics.roundTrip(timeNs - latest[1]);
        }
    }

    /** An acknowledgement of what lies behind an unanswered READ is an implied NAK (rule Q4). */
    private void passOver(FlowPacket packet) {
        long from = ackedSeq;
        boolean isAnswer = !packet.opcode().isAck();
        Map.Entry<Long, Long> read = isAnswer || reads.isEmpty() ? null : reads.lowerEntry(Math.min(seq, nextSeq));
        while (read != null && read.getValue() > from) {
            if (!responded.contains(read.getValue() - 1)) {
                classifier.onMissing(read.getKey(), read.getValue(), RetransmissionCause.IMPLIED_NAK, packet.timeNs());
            }
            read = reads.lowerEntry(read.getKey());
        }
    }

    /** So is any response behind an atomic that is not answered (rule Q5). */
    private void passOverAtomics(FlowPacket packet) {
        long first = Math.max(ackedSeq, seq - MAX_ATOMICS);
        for (long unanswered = first; !atomics.isEmpty() && unanswered < Math.min(seq, nextSeq); unanswered++) {
            if (atomics.contains(unanswered) && !responded.contains(unanswered)) {
                classifier.onMissing(unanswered, unanswered + 1, RetransmissionCause.IMPLIED_NAK, packet.timeNs());
            }
        }
    }

    private PacketClass onReadResponse(long timeNs) {
        if (seq < 0) {
            statistics.response(false);
            return PacketClass.ORDINARY;
        }
        boolean retransmitted = responded.contains(seq) || responded.isForgotten(seq);
        statistics.response(retransmitted);
        if (retransmitted) {
            cause = RetransmissionCause.REPLAY;
            replayed(timeNs);
            return PacketClass.RETRANSMITTED;
        }
        responded.add(seq, seq + 1);
        if (seq < lastResponseSeq) {
            replayed(timeNs);
            classifier.onArrived(seq);
            return PacketClass.FILLS_GAP;
        }
        long gap = missingResponses(seq, timeNs);
        lastResponseSeq = seq;
        if (gap > 0) {
            statistics.gap(gap);
            return PacketClass.GAP;
        }
        return PacketClass.ORDINARY;
    }

    /** A requester that has discarded the first answers misses those of the repetition. */
    private void replayed(long timeNs) {
        if (lastReplayedSeq >= 0 && seq > lastReplayedSeq + 1) {
            classifier.onMissing(lastReplayedSeq + 1, seq, RetransmissionCause.IMPLIED_NAK, timeNs);
        }
        lastReplayedSeq = seq;
    }

    /**
     * Counts the READ responses that are missing between the last one and this one, and names them. Other requests may lie between READs:
     * one acknowledgement for several of them is no gap.
     */
    private long missingResponses(long seq, long timeNs) {
        long count = 0;
        String ranges = "";
        long end = seq;
        long from = seq;
        Map.Entry<Long, Long> read = reads.lowerEntry(seq);
        while (read != null && read.getValue() > lastResponseSeq + 1) {
            if (read.getValue() < from) {
                ranges = from < end ? note(rangeText(from, end), ranges) : ranges;
                end = read.getValue();
                from = end;
            }
            long least = Math.max(read.getKey(), lastResponseSeq + 1);
            count += from - least;
            if (least < from) {
                classifier.onMissing(least, from, RetransmissionCause.IMPLIED_NAK, timeNs);
            }
            from = least;
            read = reads.lowerEntry(read.getKey());
        }
        ranges = from < end ? note(rangeText(from, end), ranges) : ranges;
        note = count == 0 ? "" : ranges + " missing";
        return count;
    }

    /** Everything before this sequence number is acknowledged. */
    private void progress(long endSeq, long timeNs) {
        long end = Math.min(endSeq, nextSeq);
        if (end > ackedSeq) {
            statistics.stall(timeNs - lastProgressNs, psn(ackedSeq));
            Map.Entry<Long, Long> read = reads.floorEntry(end - 1);
            if (read != null && end <= read.getValue()) {
                sampleRoundTrip(read.getKey(), timeNs);
            }
            ackedSeq = end;
            classifier.onProgress(end, read != null && end < read.getValue() ? read.getKey() : end);
            lastProgressNs = timeNs;
        }
    }

    /** Ends the capture: outstanding requests have waited until now. */
    void onEnd(long timeNs) {
        if (isOutstanding()) {
            statistics.stallAtEnd(timeNs - lastProgressNs, psn(ackedSeq));
        }
    }

    boolean isOutstanding() {
        return ackedSeq < nextSeq;
    }

    /** The code of the local ACK timeout is known. */
    void ackTimeout(int code) {
        classifier.ackTimeout(code);
    }

    /** From now on requests take another path. */
    void onPath(long timeNs) {
        classifier.onPath(timeNs);
    }

    /** Sequence number of the last packet, or of what a response answers; -1 before the first request. */
    public long seq() {
        return seq;
    }

    /** One past the last PSN of the last packet. */
    public long end() {
        return end;
    }

    /** Whether the last packet, a request, asks for a response that was lost: the peer has executed it. */
    public boolean isForResponse(FlowPacket packet) {
        return ackedSeq > seq && (packet.opcode().isReadRequest() || packet.opcode().isAtomic());
    }

    /** Why the last packet was sent again, or null. */
    public RetransmissionCause cause() {
        return cause;
    }

    /** When the last packet sent again was first sent, or its gap appeared, and when that was told. */
    public long originalNs() {
        return classifier.originalNs();
    }

    public long toldNs() {
        return classifier.toldNs();
    }

    /** One past the last request seen. */
    public long nextSeq() {
        return nextSeq;
    }

    /** The first request that is not acknowledged. */
    public long ackedSeq() {
        return ackedSeq;
    }

    /** The latest round trip in ns, or -1 if the last packet gave none. */
    public long roundTripNs() {
        return roundTripNs;
    }

    /** At the end of the capture: number of packets missing in gaps that were never filled. */
    long missingAtEnd() {
        return missing.size();
    }
}
