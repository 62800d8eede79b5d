package io.rxe.tools.sequence;

import io.rxe.tools.flow.ClassifiedPacket;
import io.rxe.tools.flow.FlowPacket;
import io.rxe.tools.flow.FlowStatistics;
import io.rxe.tools.flow.PacketClass;
import io.rxe.tools.flow.RequestTrack;
import io.rxe.tools.flow.RetransmissionCause;
import io.rxe.wire.Psn;
import io.rxe.wire.Syndrome;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The requests of one side of a connection over time, and the responses to them. */
final class DirectionSequence {
    /** A silence of a peer that owes an answer: this long, or several round trips if they are shorter. */
    private static final long SILENCE_NS = 4_000_000;
    private static final long LEAST_SILENCE_NS = 500_000;
    private static final int SILENT_ROUND_TRIPS = 8;
    private static final long AT_ONCE_NS = 200_000;
    private static final int UNLIMITED = 31;
    private static final int MAX_RECOVERIES = 400;

    private final long originNs;
    /** Marks of each kind; 0 if only the table is wanted. */
    private final int most;
    private final MarkSeries[] series = new MarkSeries[Kind.values().length];
    private final RateSeries rate;
    private final Bands bands = new Bands();
    private final CauseTable table = new CauseTable();
    private final Recoveries recoveries = new Recoveries(MAX_RECOVERIES, table);
    private final SlowMessages messages = new SlowMessages(this::explain);
    private final Window window = new Window();
    private RequestTrack track;
    private long requests;
    private long responses;
    private long lostResponses;
    private long waitedForResponses;
    private long invalid;
    private long marked;
    private long notified;
    private long bytes;
    private long firstNs = -1;
    private long lastNs;
    private int firstPsn;
    private long rnrSeq = -1;
    private long rnrNs;
    /** Since when no credit is left, and when one came; -1 if not. */
    private long creditless = -1;
    private long granted = -1;
    private long shortestNs = Long.MAX_VALUE;

    /** @param most marks kept of each kind, 0 for none. */
    DirectionSequence(long originNs, int most) {
        this.originNs = originNs;
        this.most = most;
        this.rate = most == 0 ? null : new RateSeries();
    }

    /** A request of this side, or a response to one. */
    void add(ClassifiedPacket one) {
        FlowPacket packet = one.packet();
        long timeNs = packet.timeNs() - originNs;
        track = one.track();
        if (firstNs < 0) {
            firstNs = timeNs;
            firstPsn = packet.psn();
        }
        lastNs = Math.max(lastNs, timeNs);
        if (packet.details().congested()) {
            marked++;
            mark(Kind.MARKED, timeNs, 0, 0, packet);
        }
        // First, as it explains a message that this packet acknowledges.
        if (one.silenceNs() >= silenceNs() && rnrSeq < 0 && creditless < 0) {
            bands.add(Bands.Why.SILENCE, timeNs - one.silenceNs(), timeNs);
        }
        if (packet.isRequest()) {
            request(packet, timeNs);
        } else {
            response(one, packet, timeNs);
        }
    }

    private long silenceNs() {
        long severalNs = shortestNs == Long.MAX_VALUE ? SILENCE_NS : SILENT_ROUND_TRIPS * shortestNs;
        return Math.max(LEAST_SILENCE_NS, Math.min(SILENCE_NS, severalNs));
    }

    private void request(FlowPacket packet, long timeNs) {
        requests++;
        RetransmissionCause cause = track.cause();
        mark(Kind.of(cause), timeNs, track.seq(), track.end() - 1, packet);
        payload(packet, timeNs, cause == null);
        if (track.seq() == rnrSeq) {
            bands.add(Bands.Why.RNR, rnrNs, timeNs);
            rnrSeq = -1;
        }
        if (cause == null) {
            if (!packet.isReliable()) {
                // Nobody acknowledges it.
                return;
            }
            creditWait(packet, timeNs);
            messages.onRequest(packet, track, timeNs);
            long inFlight = track.nextSeq() - track.ackedSeq();
            window.sample(inFlight, recoveries.total() > 0);
            mark(Kind.IN_FLIGHT, timeNs, inFlight, inFlight, packet);
        } else if (cause.isRepair()) {
            waitedForResponses += cause == RetransmissionCause.REORDER_TIMER && track.isForResponse(packet) ? 1 : 0;
            recoveries.onAgain(packet, track, originNs);
        } else {
            table.packet(cause, false);
        }
    }

    /** A message that needs a credit and leaves as soon as there is one has waited for it; a later one was posted later. */
    private void creditWait(FlowPacket packet, long timeNs) {
        boolean needsOne = packet.opcode().isSend() || packet.opcode().hasImmDt();
        long atOnceNs = Math.max(AT_ONCE_NS, shortestNs == Long.MAX_VALUE ? 0 : 2 * shortestNs);
        if (creditless >= 0 && needsOne && granted >= 0 && timeNs - granted <= atOnceNs) {
            bands.add(Bands.Why.CREDIT, creditless, timeNs);
        }
        creditless = -1;
        granted = -1;
    }

    private void payload(FlowPacket packet, long timeNs, boolean isNew) {
        long payload = packet.isRequest() && packet.requestBytes() >= 0 ? 0 : packet.payloadBytes();
        bytes += isNew ? payload : 0;
        if (rate != null) {
            rate.add(timeNs, payload);
        }
    }

    private void response(ClassifiedPacket one, FlowPacket packet, long timeNs) {
        if (packet.isNak()) {
            negative(packet, timeNs);
        } else if (packet.opcode().isReadResponse() || packet.opcode().isAtomicAck()) {
            answer(one, packet, timeNs);
        } else if (packet.details().missing().length > 0) {
            mark(Kind.REPORT_SENT, timeNs, track.ackedSeq(), track.ackedSeq(), packet);
        }
        long acked = track.ackedSeq();
        mark(Kind.ACKED, timeNs, acked, acked, packet);
        mark(Kind.IN_FLIGHT, timeNs, track.nextSeq() - acked, track.nextSeq() - acked, packet);
        if (track.roundTripNs() >= 0) {
            shortestNs = Math.min(shortestNs, track.roundTripNs());
            mark(Kind.ROUND_TRIP, timeNs, track.roundTripNs(), track.roundTripNs(), packet);
        }
        credits(packet, timeNs, acked);
        recoveries.onAcknowledged(acked, timeNs);
        messages.onAcknowledged(acked, timeNs);
    }

    private void negative(FlowPacket packet, long timeNs) {
        long seq = Math.max(0, track.seq());
        if (packet.isRnrNak()) {
            rnrSeq = track.seq();
            rnrNs = timeNs;
            mark(Kind.RNR_SENT, timeNs, seq, seq, packet);
        } else if (packet.syndrome() == Syndrome.PSN_SEQUENCE_ERROR) {
            mark(Kind.NAK_SENT, timeNs, seq, seq, packet);
        } else {
            String rule = switch (packet.syndrome()) {
                case Syndrome.INVALID_REQUEST -> " (R9)";
                case Syndrome.REMOTE_ACCESS_ERROR -> " (R10)";
                case Syndrome.REMOTE_OPERATIONAL_ERROR -> " (R11)";
                default -> "";
            };
            table.refusal(Syndrome.describe(packet.syndrome()) + rule, 1);
            if (most > 0) {
                series(Kind.REFUSAL).add(timeNs, seq, seq, packet.name(), Syndrome.describe(packet.syndrome()) + rule, packet.psn());
            }
        }
    }

    private void answer(ClassifiedPacket one, FlowPacket packet, long timeNs) {
        responses++;
        boolean replayed = track.cause() != null;
        mark(replayed ? Kind.REPLAY : Kind.RESPONSE, timeNs, track.seq(), track.seq(), packet);
        payload(packet, timeNs, !replayed);
        recoveries.onResponse(track.seq(), timeNs);
        if (replayed) {
            table.packet(track.cause(), false);
        } else {
            lostResponses += one.packetClass() == PacketClass.FILLS_GAP ? 1 : 0;
            messages.onResponse(track.seq(), timeNs);
        }
    }

    /** The line of credits: up to where the posted receives reach, if messages stay as long as they were. */
    private void credits(FlowPacket packet, long timeNs, long acked) {
        int code = packet.isNak() || packet.syndrome() < 0 ? UNLIMITED : Syndrome.creditCode(packet.syndrome());
        if (code == UNLIMITED) {
            return;
        }
        int credits = Syndrome.credits(code);
        double length = messages.completed() == 0 ? 1 : Math.max(1, (double) acked / messages.completed());
        long reach = acked + (long) (credits * length);
        mark(Kind.CREDITED, timeNs, reach, reach, packet);
        if (credits == 0 && track.nextSeq() == acked && creditless < 0) {
            creditless = timeNs;
        } else if (credits > 0 && creditless >= 0 && granted < 0) {
            granted = timeNs;
        }
    }

    /** A CNP that asks this side to send less. */
    void notified(FlowPacket packet) {
        notified++;
        mark(Kind.NOTIFIED, packet.timeNs() - originNs, 0, 0, packet);
    }

    /** A packet that was not processed. */
    void invalid() {
        invalid++;
    }

    /** There are no more packets. */
    void end() {
        recoveries.end();
        messages.end(lastNs, String.join(", ", table.refusals().keySet()));
        long waits = bands.lengthsNs(Bands.Why.CREDIT).getCount();
        if (waits > 0) {
            table.refusal(Bands.Why.CREDIT.text() + " (" + Bands.Why.CREDIT.rule() + ")", waits);
        }
    }

    private void mark(Kind kind, long timeNs, long low, long high, FlowPacket packet) {
        if (most > 0) {
            series(kind).add(timeNs, low, high, packet.name(), kind == Kind.ROUND_TRIP ? null : packet.opcode().name(), packet.psn());
        }
    }

    private MarkSeries series(Kind kind) {
        if (series[kind.ordinal()] == null) {
            series[kind.ordinal()] = new MarkSeries(most);
        }
        return series[kind.ordinal()];
    }

    /** What delayed a message between two times, the longest first. */
    private String explain(long fromNs, long untilNs) {
        Map<String, Long> parts = new TreeMap<>();
        Map<String, Recovery> longest = new TreeMap<>();
        for (Recovery one : recoveries.latest()) {
            long end = one.endNs < 0 ? untilNs : one.endNs;
            long overlap = Math.min(end, untilNs) - Math.max(one.originalNs, fromNs);
            if (overlap > parts.getOrDefault(one.cause.text(), 0L)) {
                parts.put(one.cause.text(), overlap);
                longest.put(one.cause.text(), one);
            }
        }
        for (Bands.Band band : bands.all()) {
            long overlap = band.why() == Bands.Why.CREDIT || parts.isEmpty() ? band.withinNs(fromNs, untilNs) : 0;
            if (overlap > 0) {
                parts.merge(band.why().text(), overlap, Long::sum);
            }
        }
        String why = parts.entrySet().stream().sorted(Map.Entry.<String, Long>comparingByValue().reversed()).limit(2)
            .map(part -> FlowStatistics.time(part.getValue()) + " " + part.getKey() + (longest.containsKey(part.getKey())
            ? " at PSN " + Psn.toString(longest.get(part.getKey()).firstPsn) : "")).collect(Collectors.joining(", "));
        return why.isEmpty() ? SlowMessages.UNDISTURBED : why;
    }

    /** Packets known to be lost: each repair begins with one at least. */
    String lost() {
        long named = table.repairs(RetransmissionCause.SEQUENCE_NAK) + table.packets(RetransmissionCause.GAP_REPORT)
            + table.packets(RetransmissionCause.REORDER_TIMER) - waitedForResponses;
        long silent = table.repairs(RetransmissionCause.TIMEOUT) + table.repairs(RetransmissionCause.PROBE);
        return String.format("%,d requests that the peer named, %,d READ responses, %,d packets or answers found by silence;"
            + " not lost: %,d late, %,d copies", named, lostResponses, silent, table.packets(RetransmissionCause.DISORDER),
            table.packets(RetransmissionCause.COPY));
    }

    boolean isClean() {
        return table.isEmpty() && invalid == 0;
    }

    /** Marks of a kind; null if there are none. */
    MarkSeries marks(Kind kind) {
        return series[kind.ordinal()];
    }

    int kinds() {
        return (int) Stream.of(series).filter(Objects::nonNull).count();
    }

    RateSeries rate() {
        return rate;
    }

    Bands bands() {
        return bands;
    }

    CauseTable table() {
        return table;
    }

    Recoveries recoveries() {
        return recoveries;
    }

    SlowMessages messages() {
        return messages;
    }

    Window window() {
        return window;
    }

    /** In ns since the beginning of the capture. */
    long firstNs() {
        return Math.max(0, firstNs);
    }

    long lastNs() {
        return Math.max(lastNs, firstNs() + 1);
    }

    /** PSN of a sequence number. */
    int psn(long seq) {
        return (int) (firstPsn + seq) & Psn.MASK;
    }

    long bytes() {
        return bytes;
    }

    long requests() {
        return requests;
    }

    long responses() {
        return responses;
    }

    long marked() {
        return marked;
    }

    long notifications() {
        return notified;
    }

    long invalidPackets() {
        return invalid;
    }

    /** Recoveries that took longest, the longest first. */
    List<Recovery> worst(int count) {
        return recoveries.longest().stream().sorted(Comparator.comparingLong((Recovery one) -> -one.lengthNs(lastNs))).limit(count)
            .toList();
    }
}
