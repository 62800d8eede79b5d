package io.rxe.tools;

import io.rxe.capture.CaptureRecord;
import io.rxe.capture.Direction;
import io.rxe.capture.RoceFrame;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.PacketPrinter;
import java.util.Locale;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Turns captured frames into lines, in order, and counts them. A line has the number of the frame, the time since the
 * first, addresses, headers, and what became of the ICRC. A batch gives a line for each of its packets, numbered
 * behind a slash.
 */
final class FramePrinter {
    private static final double NS_PER_SECOND = 1e9;

    private final DumpTotals totals;
    private final boolean verbose;
    private final RoceFrame frame = new RoceFrame();
    private final BatchCutter cutter = new BatchCutter();
    private final StringBuilder text = new StringBuilder(512);
    private final PacketPrinter packets = new PacketPrinter(text);
    private long number;
    private long firstNs = -1;

    FramePrinter(final DumpTotals totals, final boolean verbose) {
        this.totals = totals;
        this.verbose = verbose;
    }

    /** The lines of the next frame of the capture; empty when it is not RoCEv2. */
    String next(final CaptureRecord record) {
        number++;
        text.setLength(0);
        if (firstNs < 0) {
            firstNs = record.timestampNs();
        }
        if (!frame.decode(new UnsafeBuffer(record.bytes()), 0, record.bytes().length, record.linkType())) {
            totals.other();
            return "";
        }
        if (frame.isTruncated()) {
            totals.truncated(opcode(frame.payloadOffset(), frame.payloadLength()));
            packet(record, Long.toString(number), 0, frame.payloadLength(), "icrc not captured");
        } else if (frame.isIcrcGood()) {
            totals.good(opcode(frame.payloadOffset(), frame.payloadLength()));
            packet(record, Long.toString(number), 0, frame.payloadLength(), "icrc ok");
        } else {
            batch(record);
        }
        return text.toString();
    }

    private void batch(final CaptureRecord record) {
        final int length = cutter.packetLength(frame);
        if (length < 0) {
            bad(record, Long.toString(number), 0, frame.payloadLength());
            return;
        }
        totals.batch();
        for (int index = 0; index * length < frame.payloadLength(); index++) {
            final int start = index * length;
            final int packetLength = Math.min(length, frame.payloadLength() - start);
            final String name = number + "/" + (index + 1);
            if (cutter.isGood(frame, index, length)) {
                totals.good(opcode(frame.payloadOffset() + start, packetLength));
                packet(record, name, start, packetLength, "icrc ok");
            } else {
                bad(record, name, start, packetLength);
            }
        }
    }

    private void bad(final CaptureRecord record, final String name, final int start, final int lengthBytes) {
        final int offset = frame.payloadOffset() + start;
        totals.bad(name, opcode(offset, lengthBytes));
        final String verdict;
        if (start > 0 || lengthBytes < HeaderValidator.MIN_LENGTH) {
            verdict = "ICRC BAD";
        } else {
            final int icrcOffset = offset + lengthBytes - Icrc.LENGTH;
            verdict = String.format(Locale.ROOT, "ICRC BAD (is %08x, must be %08x)", Icrc.read(frame.buffer(), icrcOffset),
                Icrc.reference(frame.buffer(), frame.ipOffset(), icrcOffset - frame.ipOffset()));
        }
        packet(record, name, start, lengthBytes, verdict);
    }

    private void packet(final CaptureRecord record, final String name, final int start, final int lengthBytes,
                        final String verdict) {
        text.append(String.format(Locale.ROOT, "%6s %11.6f  ", name, (record.timestampNs() - firstNs) / NS_PER_SECOND));
        address(frame.source());
        text.append(" > ");
        address(frame.destination());
        text.append("  ");
        packets.append(frame.buffer(), frame.payloadOffset() + start, lengthBytes, verbose);
        text.append("  ").append(verdict);
        if (record.comment() != null) {
            text.append("  # ").append(record.comment().replace('\n', ' '));
        }
        text.append('\n');
        if (verbose) {
            details(record);
        }
    }

    private void details(final CaptureRecord record) {
        text.append(" ".repeat(20));
        if (frame.isIpv4()) {
            text.append(String.format(Locale.ROOT, "ip id 0x%04x%s ttl %d tos 0x%02x", frame.ipId(),
                frame.isDontFragment() ? " DF" : "", frame.hopLimit(), frame.trafficClass()));
        } else {
            text.append(String.format(Locale.ROOT, "ipv6 hop limit %d class 0x%02x", frame.hopLimit(), frame.trafficClass()));
        }
        text.append(String.format(Locale.ROOT, " udp %d > %d checksum 0x%04x", frame.sourcePort(), frame.destinationPort(),
            frame.udpChecksum()));
        if (frame.vlanId() >= 0) {
            text.append(" vlan ").append(frame.vlanId());
        }
        if (record.direction() != Direction.UNKNOWN) {
            text.append(' ').append(record.direction().name().toLowerCase(Locale.ROOT));
        }
        text.append('\n');
    }

    // IPv4 as people write it, not as the GID that it becomes.
    private void address(final Gid gid) {
        if (gid.isIpv4()) {
            final int ip = gid.ipv4();
            text.append(ip >>> 24).append('.').append(ip >>> 16 & 0xFF).append('.').append(ip >>> 8 & 0xFF).append('.')
                .append(ip & 0xFF);
        } else {
            text.append(gid);
        }
    }

    private Opcode opcode(final int offset, final int lengthBytes) {
        return lengthBytes < Bth.LENGTH ? null : Opcode.of(Bth.opcode(frame.buffer(), offset));
    }
}
