package io.rxe.tools.sequence;

import io.rxe.tools.flow.FlowPacket;
import io.rxe.tools.flow.RequestTrack;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.BiFunction;

/** Measures the messages of one direction from their first packet to their acknowledgement or last response, and keeps the slowest. */
final class SlowMessages {
    static final int SLOWEST = 10;
    /** Why a message took as long as it did if nothing went wrong. */
    static final String UNDISTURBED = "no loss and no wait: its length and the round trip";
    private static final int MAX_OPEN = 1 << 14;

    private final ArrayDeque<Message> open = new ArrayDeque<>();
    private final PriorityQueue<Slow> slowest = new PriorityQueue<>(Comparator.comparingLong(Slow::lengthNs));
    private final BiFunction<Long, Long, String> explain;
    private Message begun;
    private Slow unfinished;
    private long completed;
    private long acked;

    private static final class Message {
        private final String name;
        private final int psn;
        private final long beginNs;
        private final String frame;
        private final long firstSeq;
        private long endSeq;
        /** Responses that a READ still waits for; -1 for others. */
        private long responses;

        Message(FlowPacket packet, RequestTrack track, long timeNs) {
            boolean answered = packet.opcode().isReadOrAtomic();
            this.name = packet.family();
            this.psn = packet.psn();
            this.frame = packet.name();
            this.beginNs = timeNs;
            this.firstSeq = track.seq();
            this.endSeq = packet.opcode().isFirst() ? Long.MAX_VALUE : track.end();
            this.responses = answered ? track.end() - track.seq() : -1;
        }
    }

    /**
     * A message that took long.
     *
     * @param lengthNs from its first packet to the end.
     * @param packets  of the message.
     * @param why      what delayed it, in words.
     */
    record Slow(String name, int psn, long packets, String frame, long lengthNs, String why) {
    }

    /** @param explain what delayed a message between two times. */
    SlowMessages(BiFunction<Long, Long, String> explain) {
        this.explain = explain;
    }

    /** A request that was not seen before, nor lies before one that was. */
    void onRequest(FlowPacket packet, RequestTrack track, long timeNs) {
        if (track.ackedSeq() > acked) {
            // No response said so: another connection begins.
            acked = track.ackedSeq();
            end(timeNs, "its connection ended");
            open.clear();
            begun = null;
        }
        if (packet.opcode().isFirst() || packet.opcode().isOnly()) {
            if (begun != null) {
                // Its last packet was lost before the capture.
                begun.endSeq = track.seq();
            }
            Message next = new Message(packet, track, timeNs);
            begun = packet.opcode().isFirst() ? next : null;
            open.add(next);
            if (open.size() > MAX_OPEN) {
                open.remove();
            }
        } else if (begun != null && packet.opcode().isLast()) {
            begun.endSeq = track.end();
            begun = null;
        }
    }

    /** A response to a READ or an atomic that was not seen before. */
    void onResponse(long seq, long timeNs) {
        for (Message one : open) {
            if (seq < one.endSeq) {
                one.responses -= seq >= one.firstSeq && one.responses > 0 ? 1 : 0;
                break;
            }
        }
        complete(timeNs);
    }

    /** Everything before a sequence number is acknowledged. */
    void onAcknowledged(long end, long timeNs) {
        acked = Math.max(acked, end);
        complete(timeNs);
    }

    private void complete(long timeNs) {
        while (!open.isEmpty() && (open.peek().responses == 0 || open.peek().responses < 0 && open.peek().endSeq <= acked)) {
            Message one = open.poll();
            completed++;
            long lengthNs = timeNs - one.beginNs;
            if (slowest.size() < SLOWEST || lengthNs > slowest.peek().lengthNs()) {
                add(one, lengthNs, explain.apply(one.beginNs, timeNs));
            }
        }
    }

    /**
     * What is left was not acknowledged.
     *
     * @param refusals what the peer refused, in words; empty if nothing.
     */
    void end(long timeNs, String refusals) {
        if (!open.isEmpty()) {
            Message one = open.peek();
            unfinished = slow(one, timeNs - one.beginNs, refusals.isEmpty() ? explain.apply(one.beginNs, timeNs) : refusals);
        }
    }

    private void add(Message one, long lengthNs, String why) {
        slowest.add(slow(one, lengthNs, why));
        if (slowest.size() > SLOWEST) {
            slowest.poll();
        }
    }

    private static Slow slow(Message one, long lengthNs, String why) {
        return new Slow(one.name, one.psn, one.endSeq == Long.MAX_VALUE ? 0 : one.endSeq - one.firstSeq, one.frame, lengthNs, why);
    }

    /** The oldest message that the capture does not see complete; null if there is none. */
    Slow unfinished() {
        return unfinished;
    }

    /** The slowest first. */
    List<Slow> slowest() {
        return slowest.stream().sorted(Comparator.comparingLong(Slow::lengthNs).reversed()).toList();
    }

    long completed() {
        return completed;
    }
}
