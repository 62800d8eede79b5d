package io.rxe.tools.flow;

import java.util.Arrays;
import java.util.Locale;

/** What is counted of one side's requests and the answers to them, and of a whole capture. */
final class FlowStatistics {
    private static final double US = 1e3;
    private static final double MS = 1e6;
    private static final double SECOND = 1e9;

    private boolean reliable;
    private long requests;
    private long requestsDistinct;
    private long requestsAgain;
    private long requestBytes;
    private long responses;
    private long responsesAgain;
    private long acknowledgements;
    private long naks;
    private long notReady;
    private long gaps;
    private long missing;
    private long receiverWaitNs;
    private long longestStallNs;
    private String stalledPsn = "";
    private long[] roundTrips = new long[64];
    private int samples;

    void request(FlowPacket packet) {
        requests++;
        reliable |= packet.isReliable();
        requestBytes += packet.opcode().isReadRequest() ? 0 : packet.payloadBytes();
    }

    void requestFirstSeen() {
        requestsDistinct++;
    }

    void requestAgain() {
        requestsAgain++;
    }

    void response(boolean again) {
        responses++;
        responsesAgain += again ? 1 : 0;
    }

    void acknowledgement() {
        acknowledgements++;
    }

    void nak() {
        naks++;
    }

    void receiverNotReady() {
        notReady++;
    }

    void receiverWait(long waitNs) {
        receiverWaitNs += waitNs;
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

    /** A wait that the capture does not see the end of; where nothing is acknowledged there is none. */
    void unanswered(long lengthNs, String psn) {
        if (reliable) {
            stall(lengthNs, psn + ", never answered here");
        }
    }

    void roundTrip(long lengthNs) {
        if (samples == roundTrips.length) {
            roundTrips = Arrays.copyOf(roundTrips, 2 * samples);
        }
        roundTrips[samples++] = lengthNs;
    }

    boolean isEmpty() {
        return requests + responses + acknowledgements + naks + notReady == 0;
    }

    long requests() {
        return requests;
    }

    long requestsAgain() {
        return requestsAgain;
    }

    long responses() {
        return responses;
    }

    long responsesAgain() {
        return responsesAgain;
    }

    long naks() {
        return naks;
    }

    long receiversNotReady() {
        return notReady;
    }

    long gaps() {
        return gaps;
    }

    /** Packets seen against packets needed: 1 when nothing was sent twice. */
    double amplification() {
        long all = requests + responses;
        long needed = all - requestsAgain - responsesAgain;
        return needed == 0 ? 1 : (double) all / needed;
    }

    /** A few lines. */
    String toText(String who, long neverSeen) {
        StringBuilder text = new StringBuilder(512);
        line(text, "  %s", who);
        line(text, "    requests       %,d packets, %,d distinct, %,d again; %,d payload bytes", requests, requestsDistinct, requestsAgain,
            requestBytes);
        if (responses > 0) {
            line(text, "    READ responses %,d packets, %,d distinct, %,d again", responses, responses - responsesAgain, responsesAgain);
        }
        if (reliable) {
            line(text, "    amplification  %.2f", amplification());
            line(text, "    answers        %,d acknowledgements, %,d NAKs, %,d RNR NAKs%s", acknowledgements, naks, notReady,
                receiverWaitNs == 0 ? "" : " (" + time(receiverWaitNs) + " waited)");
        }
        line(text, "    gaps           %,d of %,d packets%s", gaps, missing,
            neverSeen == 0 ? "" : String.format(Locale.ROOT, "; %,d never seen here", neverSeen));
        if (longestStallNs > 0) {
            line(text, "    longest stall  %s, at PSN %s", time(longestStallNs), stalledPsn);
        }
        if (samples > 0) {
            long[] sorted = Arrays.copyOf(roundTrips, samples);
            Arrays.sort(sorted);
            line(text, "    round trip     min %s, 50%% %s, 90%% %s, 99%% %s, max %s (%,d samples)", time(sorted[0]),
                time(percentile(sorted, 50)), time(percentile(sorted, 90)), time(percentile(sorted, 99)), time(sorted[samples - 1]),
                samples);
        }
        return text.toString();
    }

    /** Nearest rank. */
    private static long percentile(long[] sorted, int percent) {
        return sorted[Math.max(0, (sorted.length * percent + 99) / 100 - 1)];
    }

    private static void line(StringBuilder text, String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    /** A duration as people say it. */
    static String time(long ns) {
        if (ns < MS) {
            return String.format(Locale.ROOT, "%.1f us", ns / US);
        }
        return ns < SECOND ? String.format(Locale.ROOT, "%.2f ms", ns / MS) : String.format(Locale.ROOT, "%.3f s", ns / SECOND);
    }
}
