package io.rxe.tools.sequence;

import io.rxe.tools.flow.ClassifiedPacket;
import io.rxe.tools.flow.ConnectionView;
import io.rxe.tools.flow.PacketClass;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Stream;

/** One connection over time: the requests of each side. */
final class ConnectionSequence implements ConnectionView {
    private final Ends ends;
    private final DirectionSequence left;
    private final DirectionSequence right;
    private final boolean drawn;
    private long packets;

    /** @param most marks kept of each kind in each direction, 0 for none. */
    ConnectionSequence(Ends ends, int most) {
        this.ends = ends;
        this.drawn = most > 0;
        this.left = new DirectionSequence(ends.originNs(), most);
        this.right = new DirectionSequence(ends.originNs(), most);
    }

    @Override
    public void add(ClassifiedPacket one) {
        packets++;
        if (one.packetClass() == PacketClass.INVALID) {
            (one.toRight() ? left : right).invalid();
        } else if (one.packet().opcode().isNotification()) {
            (one.toRight() ? right : left).notified(one.packet());
        } else if (one.track() != null) {
            (one.packet().isRequest() == one.toRight() ? left : right).add(one);
        }
    }

    @Override
    public void end() {
        left.end();
        right.end();
    }

    @Override
    public void print(PrintWriter out) {
        new SequenceText(out).print(this);
    }

    Ends ends() {
        return ends;
    }

    long packets() {
        return packets;
    }

    /** The directions that have requests, with the name of the requester. */
    List<Side> sides() {
        return Stream.of(new Side(ends.leftName(), ends.rightName(), left), new Side(ends.rightName(), ends.leftName(), right))
            .filter(side -> side.direction().requests() > 0 || side.direction().responses() > 0).toList();
    }

    /** Whether its marks are kept, and there are any. */
    boolean isDrawn() {
        return drawn && !sides().isEmpty();
    }

    /** Kinds of marks in both directions together. */
    int kinds() {
        return left.kinds() + right.kinds();
    }

    boolean isClean() {
        return left.isClean() && right.isClean();
    }

    /** One direction and its ends. */
    record Side(String requester, String responder, DirectionSequence direction) {
    }
}
