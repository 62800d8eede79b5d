package io.rxe.tools.flow;

import io.rxe.wire.Psn;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.TreeMap;

/**
 * Tracks the requests of one side of a connection and the responses to them, as seen at the point of capture.
 *
 * <p>Sequence numbers are PSNs without the wrap, relative to the first request seen. Memory is bounded, however long the connection.
 */
final class RequestTrack {
    private static final int UNKNOWN_MTU = 1024;
    /** READs remembered, far more than a responder serves at once. */
    private static final int MAX_READS = 4096;
    /** Requests whose round trip is being measured. */
    private static final int MAX_TIMED = 4096;

    private final int mtu;
    private final FlowStatistics statistics;
    /** Requests that lie in a gap. */
    private final SequenceRanges missing = new SequenceRanges();
    /** READ responses seen. */
    private final SequenceRanges responded = new SequenceRanges();
    /** First sequence number of each of the latest READs and one past its last. */
    private final TreeMap<Long, Long> reads = new TreeMap<>();
    private final ArrayDeque<long[]> timed = new ArrayDeque<>();
    private boolean started;
    private int firstPsn;
    private long nextSeq;
    private long ackedSeq;
    private long lastResponseSeq = -1;
    private long lastProgressNs;
    private long rnrNakSeq = -1;
    private long rnrNakNs;
    private String note = "";

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

    /** Classifies a request. */
    PacketClass onRequest(FlowPacket packet) {
        if (!started) {
            started = true;
            firstPsn = packet.psn();
            lastProgressNs = packet.timeNs();
        }
        long seq = seq(packet.psn());
        long end = seq + span(packet);
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
            note = note(note, missingText(nextSeq, seq));
            statistics.gap(seq - nextSeq);
            missing.add(nextSeq, seq);
            accept(packet, seq, end);
            return PacketClass.GAP;
        }
        if (seq == nextSeq) {
            accept(packet, seq, end);
            return PacketClass.ORDINARY;
        }
        boolean fillsGap = missing.contains(seq);
        if (packet.repeated() && !fillsGap) {
            note = note(note, "copy");
            return PacketClass.ORDINARY;
        }
        timed.removeIf(entry -> entry[0] >= seq);
        if (fillsGap) {
            missing.remove(seq, Math.min(end, nextSeq));
            statistics.requestFirstSeen();
            return PacketClass.FILLS_GAP;
        }
        statistics.requestRetransmitted();
        return PacketClass.RETRANSMITTED;
    }

    private void accept(FlowPacket packet, long seq, long end) {
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

    private String missingText(long from, long to) {
        return rangeText(from, to) + " missing";
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
        if (!started) {
            return packet.isNak() ? negative(packet, -1) : PacketClass.ORDINARY;
        }
        long seq = seq(packet.psn());
        if (packet.isNak()) {
            progress(seq, packet.timeNs());
            return negative(packet, seq);
        }
        progress(seq + 1, packet.timeNs());
        if (packet.opcode().isReadResponse()) {
            return onReadResponse(seq);
        }
        statistics.acknowledgement();
        sampleRoundTrip(seq, packet.timeNs());
        return PacketClass.ORDINARY;
    }

    private PacketClass negative(FlowPacket packet, long seq) {
        if (packet.isRnrNak()) {
            statistics.rnrNak();
            rnrNakSeq = seq;
            rnrNakNs = packet.timeNs();
            return PacketClass.RNR_NAK;
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
            statistics.roundTrip(timeNs - latest[1]);
        }
    }

    private PacketClass onReadResponse(long seq) {
        if (seq < 0) {
            statistics.response(false);
            return PacketClass.ORDINARY;
        }
        boolean retransmitted = responded.contains(seq) || responded.isForgotten(seq);
        statistics.response(retransmitted);
        if (retransmitted) {
            return PacketClass.RETRANSMITTED;
        }
        responded.add(seq, seq + 1);
        if (seq < lastResponseSeq) {
            return PacketClass.FILLS_GAP;
        }
        long gap = missingResponses(seq);
        lastResponseSeq = seq;
        if (gap > 0) {
            statistics.gap(gap);
            return PacketClass.GAP;
        }
        return PacketClass.ORDINARY;
    }

    /**
     * Counts the READ responses that are missing between the last one and this one, and names them. Other requests may lie between READs:
     * one acknowledgement for several of them is no gap.
     */
    private long missingResponses(long seq) {
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
            lastProgressNs = timeNs;
        }
    }

    /** Ends the capture: outstanding requests have waited until now. */
    void onEnd(long timeNs) {
        if (isOutstanding()) {
            statistics.stallAtEnd(timeNs - lastProgressNs, psn(ackedSeq));
        }
    }

    /** Whether requests are outstanding. */
    boolean isOutstanding() {
        return ackedSeq < nextSeq;
    }

    /** At the end of the capture: number of packets missing in gaps that were never filled. */
    long missingAtEnd() {
        return missing.size();
    }
}
