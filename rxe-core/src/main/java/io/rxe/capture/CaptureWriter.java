package io.rxe.capture;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes pcapng with nanosecond time stamps, direction and, where given, a comment on a frame. Wireshark and tcpdump read it.
 *
 * <p>Each frame is written with one call to the stream; wrap a file's stream in a BufferedOutputStream for speed. One thread.
 */
public final class CaptureWriter implements Closeable {
    private static final int MAX_COMMENT_LENGTH = 0xFFFC;
    private static final int PACKET_HEADER_LENGTH = 28;
    private static final int NANOSECONDS = 9;

    private final OutputStream out;
    private final UnsafeBuffer block = new UnsafeBuffer(new byte[1 << 13]);

    /**
     * Starts a capture: writes the section header and one interface description.
     *
     * @param linkType of all frames, see {@link LinkType}.
     * @param udpPort  of the RoCEv2 packets, for readers that cannot guess it; 0 for none.
     */
    public CaptureWriter(OutputStream out, int linkType, int udpPort) throws IOException {
        this.out = out;
        writeSectionHeader();
        writeInterface(linkType, udpPort);
    }

    /**
     * Writes one frame.
     *
     * @param timestampNs ns since 1970.
     * @param comment a comment, or null; truncated to 65,532 bytes.
     * @param offset start of the frame in the buffer.
     * @param length of the frame in bytes.
     */
    public void write(long timestampNs, Direction direction, String comment, DirectBuffer buffer, int offset, int length)
        throws IOException {
        byte[] remark = comment == null ? new byte[0] : comment.getBytes(UTF_8);
        int remarkLength = Math.min(remark.length, MAX_COMMENT_LENGTH);
        room(PACKET_HEADER_LENGTH + padded(length) + 4 + padded(remarkLength) + 8 + 4 + 4);
        block.putInt(8, 0, LITTLE_ENDIAN);
        block.putInt(12, (int) (timestampNs >>> 32), LITTLE_ENDIAN);
        block.putInt(16, (int) timestampNs, LITTLE_ENDIAN);
        block.putInt(20, length, LITTLE_ENDIAN);
        block.putInt(24, length, LITTLE_ENDIAN);
        int at = putPadded(PACKET_HEADER_LENGTH, buffer, offset, length);
        boolean options = false;
        if (direction != Direction.UNKNOWN) {
            int flag = direction == Direction.INBOUND ? PcapNgFormat.FLAG_INBOUND : PcapNgFormat.FLAG_OUTBOUND;
            at = putOption(at, PcapNgFormat.OPTION_FLAGS, 4);
            block.putInt(at, flag, LITTLE_ENDIAN);
            at += 4;
            options = true;
        }
        if (comment != null) {
            at = putOption(at, PcapNgFormat.OPTION_COMMENT, remarkLength);
            at = putPadded(at, new UnsafeBuffer(remark), 0, remarkLength);
            options = true;
        }
        if (options) {
            at = putOption(at, PcapNgFormat.OPTION_END, 0);
        }
        finish(PcapNgFormat.ENHANCED_PACKET, at);
    }

    public void flush() throws IOException {
        out.flush();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }

    private void writeSectionHeader() throws IOException {
        block.putInt(8, PcapNgFormat.BYTE_ORDER_MAGIC, LITTLE_ENDIAN);
        block.putShort(12, (short) 1, LITTLE_ENDIAN);
        block.putShort(14, (short) 0, LITTLE_ENDIAN);
        block.putLong(16, -1, LITTLE_ENDIAN);
        finish(PcapNgFormat.SECTION_HEADER, 24);
    }

    private void writeInterface(int linkType, int udpPort) throws IOException {
        block.putInt(8, linkType & 0xFFFF, LITTLE_ENDIAN);
        block.putInt(12, 0, LITTLE_ENDIAN);
        int at = 16;
        if (udpPort != 0) {
            byte[] description = (PcapNgFormat.DESCRIPTION + udpPort).getBytes(UTF_8);
            at = putPadded(putOption(at, PcapNgFormat.OPTION_DESCRIPTION, description.length), new UnsafeBuffer(description), 0,
                description.length);
        }
        at = putOption(at, PcapNgFormat.OPTION_TIME_RESOLUTION, 1);
        block.putInt(at, NANOSECONDS, LITTLE_ENDIAN);
        at = putOption(at + 4, PcapNgFormat.OPTION_END, 0);
        finish(PcapNgFormat.INTERFACE_DESCRIPTION, at);
    }

    private int putOption(int at, int code, int length) {
        block.putShort(at, (short) code, LITTLE_ENDIAN);
        block.putShort(at + 2, (short) length, LITTLE_ENDIAN);
        return at + 4;
    }

    private int putPadded(int at, DirectBuffer bytes, int offset, int length) {
        block.putBytes(at, bytes, offset, length);
        block.setMemory(at + length, padded(length) - length, (byte) 0);
        return at + padded(length);
    }

    /** Adds type and both lengths to a body that ends at the given index, and writes the block. */
    private void finish(int type, int end) throws IOException {
        block.putInt(0, type, LITTLE_ENDIAN);
        block.putInt(4, end + 4, LITTLE_ENDIAN);
        block.putInt(end, end + 4, LITTLE_ENDIAN);
        out.write(block.byteArray(), 0, end + 4);
    }

    private void room(int length) {
        if (block.capacity() < length) {
            block.wrap(new byte[Integer.highestOneBit(length) << 1]);
        }
    }

    private static int padded(int length) {
        return length + 3 & ~3;
    }
}
