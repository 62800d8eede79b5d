package io.rxe.tools.dump;

import io.rxe.capture.BatchCutter;
import io.rxe.capture.CaptureRecord;
import io.rxe.capture.RoceFrame;
import java.util.HashSet;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;

/** Finds the packets in captured frames, in order, and checks their ICRCs. A batch has several packets. */
final class FrameWalker {
    private final Set<Integer> udpPorts;
    private final DumpTotals totals;
    private RoceFrame frame;
    private final BatchCutter cutter = new BatchCutter();
    private volatile long number;
    private boolean trusting;

    /**
     * @param udpPorts destination ports of RoCEv2, besides those that the capture names.
     * @param totals   counts the frames; visitors count the packets they take.
     */
    FrameWalker(Set<Integer> udpPorts, DumpTotals totals) {
        this.totals = totals;
        this.udpPorts = new HashSet<>(udpPorts);
        frame = new RoceFrame(udpPorts);
    }

    /** From now on ICRCs are not computed: another walk has found all of them right, and no batch. */
    void trust() {
        trusting = true;
    }

    DumpTotals totals() {
        return totals;
    }

    /** Number of frames so far. Any thread. */
    long frames() {
        return number;
    }

    /** Result of the check of a packet's ICRC. */
    enum IcrcState {
        GOOD,
        BAD,
        NOT_CAPTURED
    }

    /** Receives the packets found. */
    interface Visitor {
        /**
         * A packet.
         *
         * @param name        frame number; for a packet of a batch, with its position after a slash.
         * @param start       offset of the packet in the frame's payload.
         * @param lengthBytes from BTH to ICRC.
         */
        void onPacket(CaptureRecord record, RoceFrame frame, String name, int start, int lengthBytes, IcrcState icrc);
    }

    /** Dissects the next frame of a capture. */
    void walk(CaptureRecord record, Visitor visitor) {
        long next = number + 1;
        number = next;
        String name = Long.toString(next);
        if (record.udpPort() != 0 && udpPorts.add(record.udpPort())) {
            frame = new RoceFrame(udpPorts);
        }
        if (!frame.decode(new UnsafeBuffer(record.bytes()), 0, record.bytes().length, record.linkType())) {
            totals.other(record, frame.isUdp() ? frame.destinationPort() : -1);
        } else if (frame.isTruncated()) {
            visitor.onPacket(record, frame, name, 0, frame.payloadLength(), IcrcState.NOT_CAPTURED);
        } else if (trusting || frame.isIcrcGood()) {
            visitor.onPacket(record, frame, name, 0, frame.payloadLength(), IcrcState.GOOD);
        } else {
            walkBatch(record, name, visitor);
        }
    }

    private void walkBatch(CaptureRecord record, String name, Visitor visitor) {
        int length = cutter.packetLength(frame);
        if (length < 0) {
            visitor.onPacket(record, frame, name, 0, frame.payloadLength(), IcrcState.BAD);
            return;
        }
        totals.batch();
        for (int index = 0; index * length < frame.payloadLength(); index++) {
            int start = index * length;
            visitor.onPacket(record, frame, name + "/" + (index + 1), start, Math.min(length, frame.payloadLength() - start),
                cutter.isGood(frame, index, length) ? IcrcState.GOOD : IcrcState.BAD);
        }
    }
}
