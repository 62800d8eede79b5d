package io.rxe.tools.dump;

import io.rxe.capture.CaptureReader;
import io.rxe.capture.CaptureRecord;
import io.rxe.capture.RoceFrame;
import io.rxe.tools.flow.Connection;
import io.rxe.tools.flow.ConnectionTracker;
import io.rxe.tools.flow.FlowPacket;
import io.rxe.wire.Bth;
import io.rxe.wire.Opcode;
import java.io.IOException;
import java.util.List;

/** Reads a whole capture into a {@link ConnectionTracker}. */
final class FlowCollector implements FrameWalker.Visitor {
    private final ConnectionTracker tracker = new ConnectionTracker();
    private final DumpTotals totals;
    private final FrameWalker walker;

    FlowCollector(DumpTotals totals, FrameWalker walker) {
        this.totals = totals;
        this.walker = walker;
    }

    /** Reads to the end. Returns the error at which reading stopped, or null. */
    String read(CaptureReader reader) {
        try {
            for (CaptureRecord record = reader.read(); record != null; record = reader.read()) {
                walker.walk(record, this);
            }
            return null;
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    List<Connection> connections() {
        return tracker.connections();
    }

    @Override
    public void onPacket(CaptureRecord record, RoceFrame frame, String name, int start, int lengthBytes, FrameWalker.IcrcState icrc) {
        int offset = frame.payloadOffset() + start;
        Opcode opcode = lengthBytes < Bth.LENGTH ? null : Opcode.of(Bth.opcode(frame.buffer(), offset));
        switch (icrc) {
            case GOOD -> totals.good(opcode);
            case BAD -> totals.bad(name, opcode);
            case NOT_CAPTURED -> totals.truncated(opcode);
        }
        if (lengthBytes >= Bth.LENGTH) {
            tracker.add(FlowPacket.of(name, record, frame, offset, lengthBytes, icrc == FrameWalker.IcrcState.BAD ? "bad ICRC" : null));
        }
    }

    @Override
    public void onBatch() {
        totals.batch();
    }

    @Override
    public void onOther(int udpPort) {
        totals.other(udpPort);
    }
}
