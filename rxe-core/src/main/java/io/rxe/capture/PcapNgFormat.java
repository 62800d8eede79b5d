package io.rxe.capture;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Reads the pcapng format (draft-ietf-opsawg-pcapng): section header, interface description, enhanced and simple packet blocks.
 * Skips all other blocks.
 *
 * <pre>
 * block:     type 4 | total length 4 | body | total length 4
 * section:   byte order magic 4 | version 2 + 2 | section length 8 | options
 * interface: link type 2 | reserved 2 | snapshot length 4 | options
 * enhanced:  interface 4 | time high 4 | time low 4 | captured length 4 | original length 4 | bytes, padded to 4 | options
 * simple:    original length 4 | bytes
 * option:    code 2 | length 2 | value, padded to 4
 * </pre>
 */
final class PcapNgFormat implements CaptureFormat {
    static final int SECTION_HEADER = 0x0A0D_0D0A;
    static final int INTERFACE_DESCRIPTION = 1;
    static final int SIMPLE_PACKET = 3;
    static final int ENHANCED_PACKET = 6;
    static final int BYTE_ORDER_MAGIC = 0x1A2B_3C4D;
    static final int OPTION_END = 0;
    static final int OPTION_COMMENT = 1;
    static final int OPTION_FLAGS = 2;
    static final int OPTION_DESCRIPTION = 3;
    static final int OPTION_TIME_RESOLUTION = 9;
    static final int OPTION_TIME_OFFSET = 14;
    static final int FLAG_DIRECTION_MASK = 3;
    static final int FLAG_INBOUND = 1;
    static final int FLAG_OUTBOUND = 2;

    /** Before the port in the description of an interface of our own captures: Wireshark shows it, and the reader finds the port. */
    static final String DESCRIPTION = "RoCEv2 on UDP port ";

    private static final Pattern DESCRIBED_PORT = Pattern.compile(DESCRIPTION + "(\\d{1,5})");
    private static final int BLOCK_FRAME_LENGTH = 12;
    private static final int ENHANCED_HEADER_LENGTH = 20;
    private static final int INTERFACE_HEADER_LENGTH = 8;
    private static final int VERSION_MAJOR = 1;

    private final CaptureInput in;
    private final List<Source> sources = new ArrayList<>();
    private final UnsafeBuffer body = new UnsafeBuffer(0, 0);

    /** @param in positioned behind the type of the first block. */
    PcapNgFormat(CaptureInput in) throws IOException {
        this.in = in;
        readSectionHeader();
    }

    @Override
    public CaptureRecord read() throws IOException {
        while (in.hasWord()) {
            int type = in.word();
            if (type == SECTION_HEADER) {
                readSectionHeader();
                continue;
            }
            readBody(Integer.toUnsignedLong(in.readInt("a block's length")), 0);
            switch (type) {
                case INTERFACE_DESCRIPTION -> sources.add(readInterface());
                case ENHANCED_PACKET -> {
                    return readEnhancedPacket();
                }
                case SIMPLE_PACKET -> {
                    return readSimplePacket();
                }
                default -> {
                    // Name resolution, statistics, secrets: no frame.
                }
            }
        }
        return null;
    }

    private void readSectionHeader() throws IOException {
        // The length precedes the byte order magic that applies to it.
        in.littleEndian(true);
        int length = in.readInt("a section's length");
        int magic = in.readInt("a section's byte order");
        if (magic != BYTE_ORDER_MAGIC && Integer.reverseBytes(magic) != BYTE_ORDER_MAGIC) {
            throw in.broken("a section's byte order mark is 0x" + HexFormat.of().toHexDigits(Integer.reverseBytes(magic))
                + ": the file is damaged");
        }
        boolean littleEndian = magic == BYTE_ORDER_MAGIC;
        in.littleEndian(littleEndian);
        readBody(Integer.toUnsignedLong(littleEndian ? length : Integer.reverseBytes(length)), 4);
        int version = body.capacity() < 2 ? -1 : body.getShort(0, in.order());
        if (version != VERSION_MAJOR) {
            throw in.broken("pcapng version " + version + " is not 1: convert it with editcap -F pcap");
        }
        sources.clear();
    }

    /**
     * Reads the rest of a block: body and trailing length.
     *
     * @param length of the whole block, including type and both lengths.
     * @param alreadyRead bytes of the body already read.
     */
    private void readBody(long length, int alreadyRead) throws IOException {
        if (length < BLOCK_FRAME_LENGTH + alreadyRead || (length & 3) != 0) {
            throw in.broken("a block claims " + length + " bytes, not a multiple of 4 from 12 on: the file is damaged");
        }
        body.wrap(in.readBytes(length - BLOCK_FRAME_LENGTH - alreadyRead, "a block"));
        long trailing = Integer.toUnsignedLong(in.readInt("a block's trailing length"));
        if (trailing != length) {
            throw in.broken("a block of " + length + " bytes ends with length " + trailing + ": the file is damaged");
        }
    }

    private Source readInterface() throws IOException {
        need(INTERFACE_HEADER_LENGTH, "an interface description");
        int linkType = body.getShort(0, in.order()) & 0xFFFF;
        long snapshotLength = Integer.toUnsignedLong(body.getInt(4, in.order()));
        int resolution = 6;
        long offsetSeconds = 0;
        int udpPort = 0;
        for (int at = INTERFACE_HEADER_LENGTH; hasOption(at); at = nextOption(at)) {
            if (optionCode(at) == OPTION_TIME_RESOLUTION && optionLength(at) >= 1) {
                resolution = body.getByte(at + 4) & 0xFF;
            } else if (optionCode(at) == OPTION_TIME_OFFSET && optionLength(at) >= 8) {
                offsetSeconds = body.getLong(at + 4, in.order());
            } else if (optionCode(at) == OPTION_DESCRIPTION) {
                Matcher described = DESCRIBED_PORT.matcher(text(at));
                udpPort = described.matches() ? Integer.parseInt(described.group(1)) : 0;
            }
        }
        return new Source(linkType, snapshotLength, new TimeScale(resolution, offsetSeconds), udpPort);
    }

    private CaptureRecord readEnhancedPacket() throws IOException {
        need(ENHANCED_HEADER_LENGTH, "an enhanced packet");
        Source source = source(body.getInt(0, in.order()));
        long time = Integer.toUnsignedLong(body.getInt(4, in.order())) << 32 | Integer.toUnsignedLong(body.getInt(8, in.order()));
        long capturedLength = Integer.toUnsignedLong(body.getInt(12, in.order()));
        int originalLength = body.getInt(16, in.order());
        byte[] bytes = packet(ENHANCED_HEADER_LENGTH, capturedLength);
        Direction direction = Direction.UNKNOWN;
        String comment = null;
        for (int at = ENHANCED_HEADER_LENGTH + (bytes.length + 3 & ~3); hasOption(at); at = nextOption(at)) {
            if (optionCode(at) == OPTION_COMMENT) {
                comment = text(at);
            } else if (optionCode(at) == OPTION_FLAGS && optionLength(at) >= 4) {
                direction = switch (body.getInt(at + 4, in.order()) & FLAG_DIRECTION_MASK) {
                    case FLAG_INBOUND -> Direction.INBOUND;
                    case FLAG_OUTBOUND -> Direction.OUTBOUND;
                    default -> Direction.UNKNOWN;
                };
            }
        }
        return new CaptureRecord(source.timeScale.toNs(time), source.linkType, bytes, originalLength, direction, comment, source.udpPort);
    }

    private CaptureRecord readSimplePacket() throws IOException {
        need(4, "a simple packet");
        Source source = source(0);
        long originalLength = Integer.toUnsignedLong(body.getInt(0, in.order()));
        long capturedLength = source.snapshotLength == 0 ? originalLength : Math.min(originalLength, source.snapshotLength);
        return new CaptureRecord(0, source.linkType, packet(4, capturedLength), (int) originalLength, Direction.UNKNOWN, null,
            source.udpPort);
    }

    private Source source(int index) throws IOException {
        if (index < 0 || index >= sources.size()) {
            throw in.broken("a packet names interface " + index + ", but " + sources.size()
                + " are described: the file is damaged");
        }
        return sources.get(index);
    }

    private byte[] packet(int at, long length) throws IOException {
        if (length > body.capacity() - at) {
            throw in.broken("a packet of " + length + " bytes does not fit its block of " + body.capacity()
                + ": the file is damaged");
        }
        byte[] bytes = new byte[(int) length];
        body.getBytes(at, bytes);
        return bytes;
    }

    private void need(int length, String what) throws IOException {
        if (body.capacity() < length) {
            throw in.broken(what + " has " + body.capacity() + " bytes, less than " + length + ": the file is damaged");
        }
    }

    /** An option list ends with its end mark or with the block; an option that exceeds the block also ends it. */
    private boolean hasOption(int at) {
        return at + 4 <= body.capacity() && optionCode(at) != OPTION_END && at + 4 + optionLength(at) <= body.capacity();
    }

    private int optionCode(int at) {
        return body.getShort(at, in.order()) & 0xFFFF;
    }

    private int optionLength(int at) {
        return body.getShort(at + 2, in.order()) & 0xFFFF;
    }

    private String text(int at) {
        byte[] text = new byte[optionLength(at)];
        body.getBytes(at + 4, text);
        return new String(text, UTF_8);
    }

    private int nextOption(int at) {
        return at + 4 + (optionLength(at) + 3 & ~3);
    }

    /** An interface that frames of this section came from. */
    private record Source(int linkType, long snapshotLength, TimeScale timeScale, int udpPort) {
    }
}
