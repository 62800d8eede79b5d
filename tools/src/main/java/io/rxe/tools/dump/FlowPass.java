package io.rxe.tools.dump;

import io.rxe.capture.CaptureReader;
import io.rxe.capture.CaptureRecord;
import io.rxe.capture.RoceFrame;
import io.rxe.tools.flow.FlowPacket;
import io.rxe.wire.Bth;
import io.rxe.wire.Opcode;
import java.io.IOException;
import java.util.function.Consumer;

/** Reads a whole capture and hands on its packets, one at a time. */
final class FlowPass implements FrameWalker.Visitor {
    private final FrameWalker walker;
    private final DumpTotals totals;
    private final Consumer<FlowPacket> packets;

    /** @param totals counts the frames; those of another pass may be given to nobody. */
    FlowPass(FrameWalker walker, DumpTotals totals, Consumer<FlowPacket> packets) {
        this.walker = walker;
        this.totals = totals;
        this.packets = packets;
    }

    /**
     * Reads to the end, or to the last frame.
     *
     * @param lastFrame number of the last frame to read.
     * @return the error at which reading stopped, or null.
     */
    String read(CaptureReader reader, long lastFrame) {
        try {
            CaptureRecord record = reader.read();
            while (record != null) {
                walker.walk(record, this);
                record = walker.frames() >= lastFrame ? null : reader.read();
            }
            return null;
        } catch (IOException e) {
            return e.getMessage();
        }
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
            packets.accept(FlowPacket.of(name, record, frame, offset, lengthBytes, icrc == FrameWalker.IcrcState.BAD ? "bad ICRC" : null));
        }
    }

    @Override
    public void onBatch() {
        totals.batch();
    }

    @Override
    public void onOther(CaptureRecord record, int udpPort) {
        totals.other(record, udpPort);
    }
}
