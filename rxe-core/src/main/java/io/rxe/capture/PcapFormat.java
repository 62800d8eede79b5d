package io.rxe.capture;

import java.io.IOException;

/**
 * Reads the classic pcap format.
 *
 * <pre>
 * file:    magic 4 | version 2 + 2 | time zone 4 | accuracy 4 | snapshot length 4 | link type 4 | records
 * record:  seconds 4 | micro- or nanoseconds 4 | captured length 4 | original length 4 | bytes
 * </pre>
 */
final class PcapFormat implements CaptureFormat {
    private static final int MAGIC_MICROSECONDS = 0xA1B2_C3D4;
    private static final int MAGIC_NANOSECONDS = 0xA1B2_3C4D;
    private static final int VERSION_MAJOR = 2;
    private static final int LINK_TYPE_MASK = 0xFFFF;
    private static final long SECOND_NS = 1_000_000_000;

    private final CaptureInput in;
    private final int fractionNs;
    private final int linkType;

    private PcapFormat(CaptureInput in, int fractionNs, int linkType) {
        this.in = in;
        this.fractionNs = fractionNs;
        this.linkType = linkType;
    }

    /** {@return the format, or null when the magic number, read as little-endian, is not one of this format} */
    static PcapFormat open(CaptureInput in, int magic) throws IOException {
        int bigEndianMagic = Integer.reverseBytes(magic);
        boolean littleEndian = isMagic(magic);
        if (!littleEndian && !isMagic(bigEndianMagic)) {
            return null;
        }
        in.littleEndian(littleEndian);
        int version = in.readInt("the pcap header");
        int major = littleEndian ? version & 0xFFFF : version >>> 16;
        if (major != VERSION_MAJOR) {
            throw in.broken("pcap version " + major + " is not 2: convert it with editcap -F pcap");
        }
        in.readInt("the pcap header");
        in.readInt("the pcap header");
        in.readInt("the pcap header");
        int linkType = in.readInt("the pcap header") & LINK_TYPE_MASK;
        boolean nanoseconds = (littleEndian ? magic : bigEndianMagic) == MAGIC_NANOSECONDS;
        return new PcapFormat(in, nanoseconds ? 1 : 1000, linkType);
    }

    @Override
    public CaptureRecord read() throws IOException {
        if (!in.hasWord()) {
            return null;
        }
        long seconds = Integer.toUnsignedLong(in.word());
        long fraction = Integer.toUnsignedLong(in.readInt("a packet's header"));
        long capturedLength = Integer.toUnsignedLong(in.readInt("a packet's header"));
        int originalLength = in.readInt("a packet's header");
        byte[] bytes = in.readBytes(capturedLength, "a packet");
        long timestampNs = seconds * SECOND_NS + fraction * fractionNs;
        return new CaptureRecord(timestampNs, linkType, bytes, originalLength, Direction.UNKNOWN, null, 0);
    }

    private static boolean isMagic(int value) {
        return value == MAGIC_MICROSECONDS || value == MAGIC_NANOSECONDS;
    }
}
