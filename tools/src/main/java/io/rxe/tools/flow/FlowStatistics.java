package io.rxe.tools.flow;

import org.HdrHistogram.IntCountsHistogram;

/** Statistics of one side's requests and the responses to them. */
public final class FlowStatistics {
    private static final double US = 1e3;
    private static final double MS = 1e6;
    private static final double SECOND = 1e9;
    /** Percentiles are right to one percent. */
    private static final int SIGNIFICANT_DIGITS = 2;
    private static final long LONGEST_NS = 3_600_000_000_000L;

    private boolean reliable;
    private long requests;
    private long requestsDistinct;
    private long requestsRetransmitted;
    private long requestBytes;
    private long responses;
    private long responsesRetransmitted;
    private long acknowledgements;
    private long naks;
    private long rnrNaks;
    private long notifications;
    private long gaps;
    private long missing;
    private long rnrWaitNs;
    private long longestStallNs;
    private String stalledPsn = "";
    /** In ns; null until there is a sample. */
    private IntCountsHistogram roundTrips;
    private long shortestNs = Long.MAX_VALUE;
    private long longestNs;

    void request(FlowPacket packet) {
        requests++;
        reliable |= packet.isReliable();
        requestBytes += packet.opcode().isReadRequest() ? 0 : packet.payloadBytes();
    }

    void requestFirstSeen() {
        requestsDistinct++;
    }

    void requestRetransmitted() {
        requestsRetransmitted++;
    }

    void response(boolean retransmitted) {
        responses++;
        responsesRetransmitted += retransmitted ? 1 : 0;
    }

    void acknowledgement() {
        acknowledgements++;
    }

    void nak() {
        naks++;
    }

    void rnrNak() {
        rnrNaks++;
    }

    /** The other side says, with a CNP, that routers marked what this one sent. */
    void notification() {
        notifications++;
    }

    void rnrWait(long waitNs) {
        rnrWaitNs += waitNs;
    }

    void gap(long packets) {
        gaps++;
        missing += packets;
    }

    void stall(long lengthNs, String psn) {
        if (lengthNs > longestStallNs) {
            longestStallNs = lengthNs;
            stalledPsn = psn;
        }
    }

    /** A stall that lasts until the end of the capture; unreliable transports have none. */
    void stallAtEnd(long lengthNs, String psn) {
        if (reliable) {
            stall(lengthNs, psn + ", no response captured");
        }
    }

    void roundTrip(long lengthNs) {
        if (roundTrips == null) {
            roundTrips = new IntCountsHistogram(SIGNIFICANT_DIGITS);
            roundTrips.setAutoResize(true);
        }
        // Clocks of captures may step back.
        long sampleNs = Math.min(LONGEST_NS, Math.max(0, lengthNs));
        roundTrips.recordValue(sampleNs);
        shortestNs = Math.min(shortestNs, sampleNs);
        longestNs = Math.max(longestNs, sampleNs);
    }

    /** 0 as long as there is no sample. */
    long shortestRoundTripNs() {
        return roundTrips == null ? 0 : shortestNs;
    }

    boolean isEmpty() {
        return requests + responses + acknowledgements + naks + rnrNaks + notifications == 0;
    }

    long requests() {
        return requests;
    }

    long requestsRetransmitted() {
        return requestsRetransmitted;
    }

    long responses() {
        return responses;
    }

    long responsesRetransmitted() {
        return responsesRetransmitted;
    }

    long naks() {
        return naks;
    }

    long rnrNaks() {
        return rnrNaks;
    }

    long gaps() {
        return gaps;
    }

    /** Packets seen / packets needed: 1 if nothing was retransmitted. */
    double amplification() {
        long all = requests + responses;
        long needed = all - requestsRetransmitted - responsesRetransmitted;
        return needed == 0 ? 1 : (double) all / needed;
    }

    String toText(String who, long missingAtEnd) {
        StringBuilder text = new StringBuilder(512);
        line(text, "  %s", who);
        line(text, "    requests       %,d packets, %,d distinct, %,d retransmitted; %,d payload bytes", requests, requestsDistinct,
            requestsRetransmitted, requestBytes);
        if (responses > 0) {
            line(text, "    READ responses %,d packets, %,d distinct, %,d retransmitted", responses, responses - responsesRetransmitted,
                responsesRetransmitted);
        }
        if (reliable) {
            line(text, "    amplification  %.2f", amplification());
            line(text, "    ACKs and NAKs  %,d ACKs, %,d NAKs, %,d RNR NAKs%s", acknowledgements, naks, rnrNaks,
                rnrWaitNs == 0 ? "" : " (" + time(rnrWaitNs) + " of RNR waits)");
        }
        if (notifications > 0) {
            line(text, "    congestion     %,d CNPs say that routers marked what this side sent", notifications);
        }
        line(text, "    gaps           %,d of %,d packets%s", gaps, missing,
            missingAtEnd == 0 ? "" : String.format("; %,d not captured", missingAtEnd));
        if (longestStallNs > 0) {
            line(text, "    longest stall  %s, at PSN %s", time(longestStallNs), stalledPsn);
        }
        if (roundTrips != null) {
            line(text, "    round trip     min %s, 50%% %s, 90%% %s, 99%% %s, max %s (%,d samples)", time(shortestNs), percentile(50),
                percentile(90), percentile(99), time(longestNs), roundTrips.getTotalCount());
        }
        return text.toString();
    }

    private String percentile(int percent) {
        return time(Math.max(shortestNs, Math.min(longestNs, roundTrips.getValueAtPercentile(percent))));
    }

    private static void line(StringBuilder text, String format, Object... values) {
        text.append(String.format(format, values)).append('\n');
    }

    /** A duration with a suitable unit. */
    public static String time(long ns) {
        if (ns < MS) {
            return String.format("%.1f us", ns / US);
        }
        return ns < SECOND ? String.format("%.2f ms", ns / MS) : String.format("%.3f s", ns / SECOND);
    }
}
