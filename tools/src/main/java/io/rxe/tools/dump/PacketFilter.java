package io.rxe.tools.dump;

import io.rxe.capture.CaptureRecord;
import io.rxe.capture.RoceFrame;
import io.rxe.cm.mad.MadPrinter;
import io.rxe.tools.dump.FrameWalker.IcrcState;
import io.rxe.tools.flow.ManagementPacket;
import io.rxe.wire.Aeth;
import io.rxe.wire.Bth;
import io.rxe.wire.Deth;
import io.rxe.wire.DropReason;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Syndrome;
import java.util.List;
import java.util.Set;

/**
 * Selects the packets of a capture to show.
 *
 * @param qpns    destination queue pairs, or source queue pairs of datagrams; empty for all.
 * @param opcodes parts of opcode names, in upper case; empty for all.
 * @param errors  only NAKs, refusals of connection management, and packets that are malformed, dropped or have a bad ICRC.
 */
record PacketFilter(Set<Integer> qpns, List<String> opcodes, boolean errors) {
    private static final String DROPPED = "dropped";

    /** The comment of our own capture on a dropped frame, or null. */
    static String dropRemark(CaptureRecord record) {
        return record.comment() != null && record.comment().startsWith(DROPPED) ? record.comment() : null;
    }

    private static boolean isRefusal(RoceFrame frame, int offset, int lengthBytes) {
        int mad = ManagementPacket.offset(frame.buffer(), offset, lengthBytes);
        return mad >= 0 && !MadPrinter.refusal(frame.buffer(), mad, offset + lengthBytes - Icrc.LENGTH - mad).isEmpty();
    }

    boolean accepts(CaptureRecord record, RoceFrame frame, int start, int lengthBytes, IcrcState icrc) {
        int offset = frame.payloadOffset() + start;
        if (lengthBytes < Bth.LENGTH) {
            return qpns.isEmpty() && opcodes.isEmpty();
        }
        Opcode opcode = Opcode.of(Bth.opcode(frame.buffer(), offset));
        boolean whole = opcode != null && lengthBytes >= opcode.headerLength();
        if (!qpns.isEmpty() && !qpns.contains(Bth.destinationQpn(frame.buffer(), offset))
            && !(whole && opcode.hasDeth() && qpns.contains(Deth.sourceQpn(frame.buffer(), offset + opcode.dethOffset())))) {
            return false;
        }
        if (!opcodes.isEmpty() && (opcode == null || opcodes.stream().noneMatch(part -> opcode.name().toUpperCase().contains(part)))) {
            return false;
        }
        return !errors || icrc == IcrcState.BAD || dropRemark(record) != null
            || icrc == IcrcState.GOOD && HeaderValidator.check(frame.buffer(), offset, lengthBytes) != DropReason.NONE
            || icrc == IcrcState.GOOD && isRefusal(frame, offset, lengthBytes)
            || whole && opcode.hasAeth() && !Syndrome.isAck(Aeth.syndrome(frame.buffer(), offset + opcode.aethOffset()));
    }
}
