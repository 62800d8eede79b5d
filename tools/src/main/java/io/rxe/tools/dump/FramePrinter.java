package io.rxe.tools.dump;

import io.rxe.capture.CaptureRecord;
import io.rxe.capture.Direction;
import io.rxe.capture.RoceFrame;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.MadPrinter;
import io.rxe.tools.dump.FrameWalker.IcrcState;
import io.rxe.tools.flow.ManagementPacket;
import io.rxe.wire.Bth;
import io.rxe.wire.Ecn;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.PacketPrinter;

/**
 * Prints captured frames as lines, in order, and counts them. A line has the frame number, the time since the first frame, addresses,
 * headers, CE if a router marked it, and the result of the ICRC check. A batch gets a line for each of its packets, numbered after a slash.
 */
final class FramePrinter implements FrameWalker.Visitor {
    private static final double NS_PER_SECOND = 1e9;
    private static final String INDENT = " ".repeat(20);

    private final boolean verbose;
    private final PacketFilter filter;
    private final FrameWalker walker;
    private final StringBuilder text = new StringBuilder(512);
    private final PacketPrinter packets = new PacketPrinter(text);
    private final MadPrinter mads = new MadPrinter(text);
    private RoceFrame frame;
    private long firstNs = -1;

    FramePrinter(FrameWalker walker, PacketFilter filter, boolean verbose) {
        this.walker = walker;
        this.filter = filter;
        this.verbose = verbose;
    }

    /** Returns the lines of the next frame of the capture; empty if it is not RoCEv2 or filtered out. */
    String next(CaptureRecord record) {
        text.setLength(0);
        if (firstNs < 0) {
            firstNs = record.timestampNs();
        }
        walker.walk(record, this);
        return text.toString();
    }

    @Override
    public void onPacket(CaptureRecord record, RoceFrame found, String name, int start, int lengthBytes, IcrcState icrc) {
        frame = found;
        int offset = frame.payloadOffset() + start;
        if (!filter.accepts(record, frame, start, lengthBytes, icrc)) {
            return;
        }
        walker.totals().packet(icrc, name, opcode(offset, lengthBytes));
        packet(record, name, start, lengthBytes, switch (icrc) {
            case GOOD -> "icrc ok";
            case NOT_CAPTURED -> "icrc not captured";
            case BAD -> badIcrcText(start, lengthBytes);
        });
    }

    private String badIcrcText(int start, int lengthBytes) {
        if (start > 0 || lengthBytes < HeaderValidator.MIN_LENGTH) {
            return "ICRC BAD";
        }
        int icrcOffset = frame.payloadOffset() + lengthBytes - Icrc.LENGTH;
        return String.format("ICRC BAD (is %08x, must be %08x)", Icrc.read(frame.buffer(), icrcOffset),
            Icrc.reference(frame.buffer(), frame.ipOffset(), icrcOffset - frame.ipOffset()));
    }

    private void packet(CaptureRecord record, String name, int start, int lengthBytes, String icrcText) {
        text.append(String.format("%6s %11.6f  ", name, (record.timestampNs() - firstNs) / NS_PER_SECOND));
        text.append(frame.source().address()).append(" > ").append(frame.destination().address()).append("  ");
        int offset = frame.payloadOffset() + start;
        int mad = ManagementPacket.offset(frame.buffer(), offset, lengthBytes);
        int madLength = 0;
        if (frame.isTruncated()) {
            packets.appendTruncated(frame.buffer(), offset, lengthBytes, frame.sentLength(), verbose);
        } else {
            packets.append(frame.buffer(), offset, lengthBytes, verbose);
            madLength = offset + lengthBytes - Icrc.LENGTH - mad;
        }
        boolean managed = mad >= 0 && madLength > 0;
        if (managed) {
            text.append("  ");
            mads.append(frame.buffer(), mad, madLength, verbose);
        }
        text.append(Ecn.isCongestionExperienced(frame.trafficClass()) ? "  CE  " : "  ").append(icrcText);
        if (record.comment() != null) {
            text.append("  # ").append(record.comment().replaceAll("\\p{IsControl}", " "));
        }
        text.append('\n');
        if (verbose) {
            details(record);
        }
        if (verbose && managed && madLength == MadHeader.MAD_LENGTH) {
            mads.appendBytes(MadPrinter.privateData(frame.buffer(), mad), INDENT);
        }
    }

    private void details(CaptureRecord record) {
        text.append(INDENT);
        if (frame.isIpv4()) {
            text.append(String.format("ip id 0x%04x%s ttl %d tos 0x%02x", frame.ipId(),
                frame.isDontFragment() ? " DF" : "", frame.hopLimit(), frame.trafficClass()));
        } else {
            text.append(String.format("ipv6 hop limit %d class 0x%02x", frame.hopLimit(), frame.trafficClass()));
        }
        text.append(String.format(" udp %d > %d checksum 0x%04x", frame.sourcePort(), frame.destinationPort(), frame.udpChecksum()));
        if (frame.vlanId() >= 0) {
            text.append(" vlan ").append(frame.vlanId());
        }
        if (record.direction() != Direction.UNKNOWN) {
            text.append(' ').append(record.direction().name().toLowerCase());
        }
        text.append('\n');
    }

    private Opcode opcode(int offset, int lengthBytes) {
        return lengthBytes < Bth.LENGTH ? null : Opcode.of(Bth.opcode(frame.buffer(), offset));
    }
}
