package io.rxe.tools.flow;

import java.util.Map;
import java.util.TreeMap;

/**
 * Finds out why the requests of one side were sent again, from what the capture shows before: NAKs, gap reports, missing responses, RNR
 * NAKs, other paths and silence. Sequence numbers are those of {@link RequestTrack}. Memory is bounded.
 */
final class CauseClassifier {
    /** No timer of any implementation is shorter: a probe waits at least as long (rule T3). */
    static final long SHORTEST_TIMER_NS = 300_000;
    /** A report that is followed sooner was not waited for. */
    private static final long AT_ONCE_NS = 200_000;
    /** Between two packets that a slow sender retransmits together; only an rxe has timers as short. */
    private static final long SLOW_SENDER_NS = 2_000_000;
    /** Without any response: what a NAK would have caused comes sooner. */
    private static final long LONGEST_ROUND_TRIP_NS = 4_000_000;
    /** Of an rxe where no REQ tells it: the default, less what clocks may differ. */
    private static final int DEFAULT_TIMEOUT_CODE = 14;
    /** A shorter one counts as this (rule T4). */
    private static final int LEAST_TIMEOUT_CODE = 8;
    private static final int MAX_EVIDENCE = 4096;
    /** Between two packets of a run of retransmissions; a READ takes many PSNs. */
    private static final int LARGEST_STEP = 64;

    private final SentTimes sent = new SentTimes();
    /** What is known to be missing, by first sequence number; ranges do not overlap. */
    private final TreeMap<Long, Evidence> evidence = new TreeMap<>();
    private long oldest;
    private boolean rxe;
    private boolean heard;
    /** The local ACK timeout of an rxe. */
    private long timeoutNs = timeoutNs(DEFAULT_TIMEOUT_CODE);
    /** When its timer started (rule T2). */
    private long timerNs = Long.MIN_VALUE;
    private long pathNs = Long.MIN_VALUE;
    /** When each gap appeared, by its first sequence number. */
    private final TreeMap<Long, Long> gaps = new TreeMap<>();
    private RetransmissionCause runCause;
    private long runEnd = -1;
    private long runNs;
    private long toldNs;
    private long originalNs;

    /** What says that packets are missing, since when. */
    private record Evidence(long end, RetransmissionCause cause, long sinceNs) {
    }

    /** The code of the local ACK timeout is known. */
    void ackTimeout(int code) {
        timeoutNs = code == 0 ? Long.MAX_VALUE : timeoutNs(Math.max(code, LEAST_TIMEOUT_CODE));
    }

    private static long timeoutNs(int code) {
        return (4096L << code) / 10 * 9;
    }

    /** A request that leaves for the first time. */
    void onFirst(long seq, long timeNs, boolean marked) {
        timerNs = seq <= oldest ? timeNs : timerNs;
        rxe |= marked;
        sent.put(seq, timeNs, oldest);
    }

    /** The capture lacks requests from this one on. */
    void onGap(long from, long timeNs) {
        gaps.put(from, timeNs);
        if (gaps.size() > MAX_EVIDENCE) {
            gaps.pollFirstEntry();
        }
    }

    void onResponse(long timeNs) {
        heard = true;
        timerNs = timeNs;
    }

    /** From now on requests take another path. */
    void onPath(long timeNs) {
        pathNs = timeNs;
    }

    /**
     * Every SEND and WRITE before a sequence number has arrived; responses may be missing.
     *
     * @param start where the request begins that may be asked for next.
     */
    void onProgress(long end, long start) {
        oldest = start;
        if (!evidence.isEmpty() && evidence.firstKey() < end) {
            evidence.headMap(end).values().removeIf(one -> one.end() <= end && one.cause() != RetransmissionCause.IMPLIED_NAK);
        }
    }

    /** A response that was missing has arrived. */
    void onArrived(long seq) {
        Map.Entry<Long, Evidence> around = evidence.floorEntry(seq);
        if (around != null && around.getValue().end() == seq + 1) {
            evidence.remove(around.getKey());
        }
    }

    /** Something tells that packets are missing. Reports repeat what was told before; after a retransmission they tell it anew. */
    void onMissing(long from, long to, RetransmissionCause cause, long timeNs) {
        Map.Entry<Long, Evidence> around = evidence.floorEntry(from);
        boolean known = around != null && around.getValue().end() >= to && around.getValue().cause() == cause;
        if (around != null && around.getKey() == from && around.getValue().cause() == RetransmissionCause.RNR
            && cause == RetransmissionCause.SEQUENCE_NAK && around.getValue().sinceNs() >= sent.get(from)) {
            // What follows a packet that found no receive request looks like a gap to an rdma_rxe (rule K10).
            return;
        }
        boolean repeats = cause == RetransmissionCause.GAP_REPORT || cause == RetransmissionCause.IMPLIED_NAK;
        if (!known || !repeats || around.getValue().sinceNs() < sent.get(from)) {
            evidence.put(from, new Evidence(to, cause, timeNs));
            if (evidence.size() > MAX_EVIDENCE) {
                evidence.pollFirstEntry();
            }
        }
    }

    /**
     * Classifies a request that was sent before, or that fills a gap of the capture.
     *
     * @param original   where the packet or, of a part of a READ, the whole READ began.
     * @param fillsGap   whether the capture lacks the first transmission.
     * @param keepAlive  whether it can be one.
     * @param roundTripNs the shortest so far.
     */
    RetransmissionCause onAgain(FlowPacket packet, long seq, long end, long original, boolean fillsGap, boolean keepAlive,
                                long roundTripNs) {
        long timeNs = packet.timeNs();
        long beforeNs = fillsGap ? SentTimes.UNKNOWN : sent.get(original);
        originalNs = beforeNs != SentTimes.UNKNOWN ? beforeNs : fillsGap && gaps.floorEntry(seq) != null
            ? gaps.floorEntry(seq).getValue() : timeNs;
        Map.Entry<Long, Evidence> around = evidence.floorEntry(seq);
        Evidence told = around == null || around.getValue().end() <= seq ? null : around.getValue();
        toldNs = told == null ? originalNs : told.sinceNs();
        RetransmissionCause cause = keepAlive ? RetransmissionCause.KEEP_ALIVE : told != null && told.sinceNs() >= beforeNs
            ? byEvidence(told, timeNs, fillsGap, roundTripNs) : byTime(seq, timeNs, beforeNs, fillsGap, roundTripNs);
        rxe |= packet.details().marked();
        sent.put(seq, timeNs, oldest);
        timerNs = cause == RetransmissionCause.TIMEOUT ? timeNs : timerNs;
        if (cause.isRepair()) {
            runCause = cause;
            runEnd = end;
            runNs = timeNs;
        }
        return cause;
    }

    private RetransmissionCause byEvidence(Evidence told, long timeNs, boolean fillsGap, long roundTripNs) {
        boolean waited = timeNs - told.sinceNs() > Math.max(AT_ONCE_NS, roundTripNs / 4);
        boolean mayWait = told.cause() == RetransmissionCause.GAP_REPORT || told.cause() == RetransmissionCause.IMPLIED_NAK;
        return rxe && waited && mayWait && !fillsGap ? RetransmissionCause.REORDER_TIMER : told.cause();
    }

    private RetransmissionCause byTime(long seq, long timeNs, long beforeNs, boolean fillsGap, long roundTripNs) {
        if (continuesRun(seq, timeNs, roundTripNs) && (fillsGap || beforeNs < runNs)) {
            return runCause;
        }
        if (pathNs > originalNs) {
            return RetransmissionCause.MIGRATION;
        }
        if (rxe && heard && timeNs - timerNs >= timeoutNs) {
            return RetransmissionCause.TIMEOUT;
        }
        long waitedNs = timeNs - originalNs;
        if (waitedNs < SHORTEST_TIMER_NS && (fillsGap || beforeNs != SentTimes.UNKNOWN)) {
            return fillsGap ? RetransmissionCause.DISORDER : RetransmissionCause.COPY;
        }
        if (!heard && waitedNs < LONGEST_ROUND_TRIP_NS) {
            return RetransmissionCause.NOT_CAPTURED;
        }
        return rxe && timeNs - Math.max(originalNs, timerNs) < timeoutNs ? RetransmissionCause.PROBE : RetransmissionCause.TIMEOUT;
    }

    /** A peer that discards what follows a gap gets all of it again. The capture may lack some. */
    private boolean continuesRun(long seq, long timeNs, long roundTripNs) {
        return runEnd >= 0 && seq >= runEnd && seq < runEnd + LARGEST_STEP
            && timeNs - runNs < Math.max(2 * roundTripNs, rxe ? SHORTEST_TIMER_NS : SLOW_SENDER_NS);
    }

    /** When it was told that the packet classified last is missing; when it was sent before if nothing told it. */
    long toldNs() {
        return toldNs;
    }

    /** When the packet classified last was sent before, or when its gap appeared. */
    long originalNs() {
        return originalNs;
    }
}
