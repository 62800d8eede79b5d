package io.rxe.tools.flow;

import io.rxe.capture.CaptureRecord;
import io.rxe.capture.RoceFrame;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmReq;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.MadPrinter;
import io.rxe.wire.Aeth;
import io.rxe.wire.Bth;
import io.rxe.wire.Deth;
import io.rxe.wire.Ecn;
import io.rxe.wire.GapReport;
import io.rxe.wire.Gid;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Reth;
import io.rxe.wire.Syndrome;
import io.rxe.wire.Transport;
import org.agrona.DirectBuffer;

/**
 * The properties of a packet that the analysis uses.
 *
 * @param name          frame number; for a packet of a batch, with its position after a slash.
 * @param timeNs        since 1970.
 * @param opcode        null when undefined.
 * @param syndrome      of an AETH, else -1.
 * @param payloadBytes  without padding.
 * @param requestBytes  length of a READ request, else -1.
 * @param sourceQpn     of a datagram, else -1.
 * @param invalidReason why the packet was not processed (bad ICRC, dropped), or null.
 * @param management    name of a connection management message, or null.
 * @param refusal       why such a message refuses, or empty.
 * @param migrating     its MigReq bit.
 * @param gaps          what a gap report says is missing, or empty.
 * @param repeated      whether its sender sends it several times (rule G7).
 * @param details       what only the picture of sequence numbers shows.
 */
public record FlowPacket(String name, long timeNs, Gid source, Gid destination, Opcode opcode, int qpn, int psn, boolean ackRequested,
                         int syndrome, int payloadBytes, long requestBytes, int sourceQpn, String invalidReason, String management,
                         String refusal, boolean migrating, String gaps, boolean repeated, Details details) {
    private static final int NONE = -1;
    private static final int[] NO_GAPS = {};

    /**
     * Properties that a diagram in text does not need.
     *
     * @param marked    whether its sender knows gap reports (rule G1).
     * @param congested whether a router marked it.
     * @param wanted    of a REQ, else null.
     * @param missing   what a gap report says is missing: first PSN and number of packets of each gap.
     */
    public record Details(boolean marked, boolean congested, Wanted wanted, int... missing) {
        static final Details NONE = new Details(false, false, null, NO_GAPS);
        private static final Details MARKED = new Details(true, false, null, NO_GAPS);
    }

    /** What a REQ asks for: the queue pair of its sender, and the code of the local ACK timeout of both. */
    record Wanted(int qpn, int ackTimeout) {
        private static Wanted of(DirectBuffer buffer, int mad) {
            return new Wanted(CmReq.LOCAL_QPN.get(buffer, mad), CmReq.LOCAL_ACK_TIMEOUT.get(buffer, mad));
        }
    }

    /**
     * Reads a packet.
     *
     * @param offset  of its BTH in the frame's buffer.
     * @param invalidReason as above.
     */
    public static FlowPacket of(String name, CaptureRecord record, RoceFrame frame, int offset, int lengthBytes, String invalidReason) {
        DirectBuffer buffer = frame.buffer();
        Opcode opcode = Opcode.of(Bth.opcode(buffer, offset));
        int sentBytes = frame.isTruncated() ? frame.sentLength() : lengthBytes;
        boolean whole = opcode != null && lengthBytes >= opcode.headerLength() && sentBytes >= opcode.headerLength() + Icrc.LENGTH;
        int qpn = Bth.destinationQpn(buffer, offset);
        boolean datagram = whole && opcode.hasDeth();
        int mad = ManagementPacket.offset(buffer, offset, lengthBytes);
        int madBytes = mad < 0 ? 0 : offset + lengthBytes - (frame.isTruncated() ? 0 : Icrc.LENGTH) - mad;
        String management = null;
        Details details = details(frame, opcode, offset, lengthBytes, whole);
        if (madBytes >= MadHeader.LENGTH) {
            int code = MadHeader.ATTRIBUTE_ID.get(buffer, mad);
            management = CmAttribute.of(code) == null ? "MAD 0x" + Integer.toHexString(code) : "CM " + CmAttribute.of(code);
            details = CmAttribute.of(code) == CmAttribute.REQ && madBytes >= MadHeader.MAD_LENGTH
                ? new Details(details.marked(), details.congested(), Wanted.of(buffer, mad)) : details;
        }
        return new FlowPacket(name, record.timestampNs(), frame.source(), frame.destination(), opcode, qpn, Bth.psn(buffer, offset),
            Bth.isAckRequested(buffer, offset), whole && opcode.hasAeth() ? Aeth.syndrome(buffer, offset + opcode.aethOffset()) : NONE,
            whole ? HeaderValidator.payloadLength(buffer, offset, sentBytes, opcode) : 0,
            whole && opcode.isReadRequest() ? Reth.dmaLength(buffer, offset + opcode.rethOffset()) : NONE,
            datagram ? Deth.sourceQpn(buffer, offset + opcode.dethOffset()) : NONE,
            invalidReason != null ? invalidReason : whole ? null : "malformed", management,
            mad < 0 ? "" : MadPrinter.refusal(buffer, mad, madBytes), Bth.isMigrationRequest(buffer, offset),
            whole && opcode.isAck() && !frame.isTruncated() ? gaps(buffer, offset + opcode.headerLength(), lengthBytes) : "",
            whole && opcode.isReadRequest() && Bth.isRepeated(buffer, offset), details);
    }

    private static Details details(RoceFrame frame, Opcode opcode, int offset, int lengthBytes, boolean whole) {
        DirectBuffer buffer = frame.buffer();
        boolean marked = Bth.isMarked(buffer, offset);
        boolean congested = Ecn.isCongestionExperienced(frame.trafficClass());
        if (whole && opcode.isAck() && !frame.isTruncated() && isReport(buffer, offset + opcode.headerLength(), lengthBytes)) {
            return new Details(marked, congested, null, missing(buffer, offset + opcode.headerLength()));
        }
        return congested ? new Details(marked, true, null, NO_GAPS) : marked ? Details.MARKED : Details.NONE;
    }

    private static int[] missing(DirectBuffer buffer, int report) {
        int[] missing = new int[2 * GapReport.gaps(buffer, report)];
        for (int gap = 0; gap < missing.length / 2; gap++) {
            missing[2 * gap] = GapReport.firstPsn(buffer, report, gap);
            missing[2 * gap + 1] = GapReport.packets(buffer, report, gap);
        }
        return missing;
    }

    private static boolean isReport(DirectBuffer buffer, int report, int lengthBytes) {
        return GapReport.isValid(buffer, report, lengthBytes - Opcode.RC_ACKNOWLEDGE.headerLength() - Icrc.LENGTH);
    }

    private static String gaps(DirectBuffer buffer, int report, int lengthBytes) {
        return isReport(buffer, report, lengthBytes) && GapReport.gaps(buffer, report) > 0
            ? ", missing " + GapReport.describeGaps(buffer, report) : "";
    }

    /** {@return whether it asks for something, rather than answers} */
    public boolean isRequest() {
        return opcode != null && opcode.isRequest();
    }

    /** {@return whether its transport acknowledges} */
    public boolean isReliable() {
        return opcode != null && (opcode.transport() == Transport.RC || opcode.transport() == Transport.XRC);
    }

    /** {@return whether it is a NAK of any kind} */
    public boolean isNak() {
        return syndrome >= 0 && !Syndrome.isAck(syndrome);
    }

    /** {@return whether it says that the receiver is not ready} */
    public boolean isRnrNak() {
        return isNak() && Syndrome.isRnr(syndrome);
    }

    /** The kind of packet without its position in a message: consecutive packets of one family share a line. */
    public String family() {
        if (opcode == null) {
            return "undefined opcode";
        }
        if (management != null) {
            return management;
        }
        if (opcode.isNotification()) {
            return "CNP";
        }
        String plain = opcode.isReadRequest() ? "READ" : opcode.isReadResponse() ? "READ response" : opcode.isSend() ? "SEND"
            : opcode.isAck() ? Syndrome.isAck(syndrome) ? "ACK" : Syndrome.describe(syndrome) : opcode.isAtomicAck() ? "ATOMIC ACK"
            : opcode.isWrite() ? "WRITE" : opcode.name().substring(opcode.name().indexOf('_') + 1).replace('_', ' ');
        return opcode.transport() == Transport.RC ? plain : opcode.transport() + " " + plain;
    }
}
