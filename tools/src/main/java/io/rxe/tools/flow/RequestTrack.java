package io.rxe.tools.flow;

import io.rxe.wire.Psn;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;

/**
 * Follows the requests of one side of a connection and the answers to them, as the place of capture saw them.
 *
 * <p>Sequence numbers are PSNs without the wrap, relative to the first request seen.
 */
final class RequestTrack {
    private static final int UNKNOWN_MTU = 1024;

    private final int mtu;
    private final FlowStatistics statistics;
    private final BitSet requested = new BitSet();
    private final BitSet answered = new BitSet();
    /** First sequence number of each READ and one past its last. */
    private final TreeMap<Long, Long> reads = new TreeMap<>();
    private final ArrayDeque<long[]> timed = new ArrayDeque<>();
    private boolean started;
    private int firstPsn;
    private long nextSeq;
    private long ackedSeq;
    private long lastAnswerSeq = -1;
    private long lastProgressNs;
    private long notReadySeq = -1;
    private long notReadyNs;
    private String note = "";

    /** @param mtu payload of a full packet; 0 when the capture does not tell. */
    RequestTrack(int mtu, FlowStatistics statistics) {
        this.mtu = mtu == 0 ? UNKNOWN_MTU : mtu;
        this.statistics = statistics;
    }

    /** What there is to say about the last packet, or nothing. */
    String note() {
        return note;
    }

    private long seq(int psn) {
        return nextSeq + Psn.subtract(psn, (int) (firstPsn + nextSeq) & Psn.MASK);
    }

    private String psn(long seq) {
        return String.format("%06x", firstPsn + seq & Psn.MASK);
    }

    /** Sequence numbers a request takes. */
    private long span(FlowPacket packet) {
        return packet.requestBytes() <= mtu ? 1 : (packet.requestBytes() + mtu - 1) / mtu;
    }

    /** Judges a request. */
    Verdict onRequest(FlowPacket packet) {
        if (!started) {
            started = true;
            firstPsn = packet.psn();
            lastProgressNs = packet.timeNs();
        }
        long seq = seq(packet.psn());
        long end = seq + span(packet);
        note = waited(packet, seq);
        if (packet.opcode().isReadRequest() && seq >= 0) {
            reads.merge(seq, end, Math::max);
        }
        statistics.request(packet);
        if (seq > nextSeq) {
            note = note(note, missing(nextSeq, seq));
            statistics.gap(seq - nextSeq);
            take(packet, seq, end);
            return Verdict.GAP;
        }
        if (seq == nextSeq) {
            take(packet, seq, end);
            return Verdict.ORDINARY;
        }
        timed.removeIf(entry -> entry[0] >= seq);
        if (seq >= 0 && !requested.get((int) seq)) {
            requested.set((int) seq, (int) Math.min(end, nextSeq));
            statistics.requestFirstSeen();
            return Verdict.FILLS_GAP;
        }
        statistics.requestAgain();
        return Verdict.AGAIN;
    }

    private void take(FlowPacket packet, long seq, long end) {
        if (ackedSeq == nextSeq) {
            // Nothing was outstanding: what follows is measured from here.
            lastProgressNs = packet.timeNs();
        }
        requested.set((int) seq, (int) end);
        statistics.requestFirstSeen();
        nextSeq = end;
        if (packet.isReliable() && (packet.ackRequested() || packet.opcode().isReadRequest())) {
            timed.add(new long[] {seq, packet.timeNs()});
        }
    }

    private String missing(long from, long to) {
        return to - from == 1 ? psn(from) + " missing" : psn(from) + ".." + psn(to - 1) + " missing";
    }

    private static String note(String one, String other) {
        return one.isEmpty() ? other : one + ", " + other;
    }

    private String waited(FlowPacket packet, long seq) {
        if (seq != notReadySeq) {
            return "";
        }
        notReadySeq = -1;
        long waitNs = packet.timeNs() - notReadyNs;
        statistics.receiverWait(waitNs);
        return "after an RNR wait of " + FlowStatistics.time(waitNs);
    }

    /** Judges an answer to these requests. */
    Verdict onAnswer(FlowPacket packet) {
        note = "";
        if (!started) {
            return packet.isNak() ? negative(packet, -1) : Verdict.ORDINARY;
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
        return Verdict.ORDINARY;
    }

    private Verdict negative(FlowPacket packet, long seq) {
        if (packet.isReceiverNotReady()) {
            statistics.receiverNotReady();
            notReadySeq = seq;
            notReadyNs = packet.timeNs();
            return Verdict.RECEIVER_NOT_READY;
        }
        statistics.nak();
        return Verdict.NAK;
    }

    /** The samples are of requests sent once and answered by what is judged now. */
    private void sampleRoundTrip(long seq, long timeNs) {
        long[] latest = null;
        while (!timed.isEmpty() && timed.peek()[0] <= seq) {
            latest = timed.poll();
        }
        if (latest != null) {
            statistics.roundTrip(timeNs - latest[1]);
        }
    }

    private Verdict onReadResponse(long seq) {
        if (seq < 0) {
            statistics.response(false);
            return Verdict.ORDINARY;
        }
        boolean again = answered.get((int) seq);
        statistics.response(again);
        if (again) {
            return Verdict.AGAIN;
        }
        answered.set((int) seq);
        if (seq < lastAnswerSeq) {
            return Verdict.FILLS_GAP;
        }
        long from = seq;
        while (from - 1 > lastAnswerSeq && isUnansweredRead(from - 1)) {
            from--;
        }
        lastAnswerSeq = seq;
        if (from < seq) {
            note = missing(from, seq);
            statistics.gap(seq - from);
            return Verdict.GAP;
        }
        return Verdict.ORDINARY;
    }

    private boolean isUnansweredRead(long seq) {
        Map.Entry<Long, Long> read = reads.floorEntry(seq);
        return read != null && seq < read.getValue() && !answered.get((int) seq);
    }

    /** Everything before a sequence number is answered, or was asked for again and is not needed any more. */
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

    /** Nothing comes any more: what is outstanding has waited until now. */
    void onEnd(long timeNs) {
        if (isOutstanding()) {
            statistics.unanswered(timeNs - lastProgressNs, psn(ackedSeq));
        }
    }

    /** Whether requests wait for an answer. */
    boolean isOutstanding() {
        return ackedSeq < nextSeq;
    }

    /** At the end of the capture: gaps that were never filled, in packets; and what was outstanding stays so. */
    long neverSeen() {
        return nextSeq - requested.cardinality();
    }
}
