package io.rxe.tools.sequence;

import io.rxe.tools.flow.FlowPacket;
import io.rxe.tools.flow.RequestTrack;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Follows each loss of one direction: gap, NAK, retransmission, acknowledgement. Keeps the longest and the latest. */
final class Recoveries {
    private static final int MAX_OPEN = 256;
    private static final int MAX_RECENT = 64;

    private final int most;
    private final CauseTable table;
    private final List<Recovery> open = new ArrayList<>();
    private final ArrayDeque<Recovery> recent = new ArrayDeque<>();
    private final PriorityQueue<Recovery> longest = new PriorityQueue<>(Comparator.comparingLong((Recovery one) -> one.lengthNs(0)));
    private long lastNs;
    private long total;

    /** @param most the longest that are kept. */
    Recoveries(int most, CauseTable table) {
        this.most = most;
        this.table = table;
    }

    /** A request was sent again in order to repair something. */
    void onAgain(FlowPacket packet, RequestTrack track, long originNs) {
        long timeNs = packet.timeNs() - originNs;
        lastNs = timeNs;
        for (Recovery one : open) {
            boolean goesOn = track.seq() >= one.runEnd && track.cause() == one.cause && track.toldNs() <= track.originalNs();
            if (goesOn || track.seq() >= one.firstSeq && track.seq() < one.endSeq) {
                boolean beginsAgain = track.seq() == one.firstSeq;
                one.rounds += beginsAgain ? 1 : 0;
                one.cause = track.cause();
                one.runEnd = track.end();
                one.endSeq = goesOn ? Math.max(one.endSeq, track.end()) : one.endSeq;
                one.packets++;
                table.packet(track.cause(), beginsAgain);
                return;
            }
        }
        Recovery begun = new Recovery(track.cause(), track.seq(), packet.psn(), packet.name(), track.originalNs() - originNs,
            track.toldNs() - originNs, timeNs);
        begun.runEnd = track.end();
        begun.endSeq = track.end();
        begun.isOfResponse = track.isForResponse(packet);
        table.packet(track.cause(), true);
        total++;
        open.add(begun);
        if (open.size() > MAX_OPEN) {
            finish(open.remove(0), -1);
        }
    }

    /** Everything before a sequence number is acknowledged. */
    void onAcknowledged(long end, long timeNs) {
        lastNs = timeNs;
        finish(one -> one.firstSeq < end && !one.isOfResponse, timeNs);
    }

    void onResponse(long seq, long timeNs) {
        finish(one -> seq >= one.firstSeq && seq < one.endSeq, timeNs);
    }

    /** There are no more packets. */
    void end() {
        finish(one -> true, -1);
    }

    private void finish(Predicate<Recovery> isOver, long timeNs) {
        if (!open.isEmpty()) {
            open.stream().filter(isOver).forEach(one -> finish(one, timeNs));
            open.removeIf(isOver);
        }
    }

    private void finish(Recovery one, long timeNs) {
        one.endNs = timeNs;
        table.recovered(one.cause, one.lengthNs(lastNs));
        recent.add(one);
        if (recent.size() > MAX_RECENT) {
            recent.remove();
        }
        longest.add(one);
        if (longest.size() > most) {
            longest.poll();
        }
    }

    /** Those that may have delayed something between now and a little before. */
    List<Recovery> latest() {
        return Stream.concat(recent.stream(), open.stream()).toList();
    }

    /** The longest, in the order of their time. */
    List<Recovery> longest() {
        return longest.stream().sorted(Comparator.comparingLong((Recovery one) -> one.originalNs)).toList();
    }

    /** All, with those that are not kept. */
    long total() {
        return total;
    }
}
