package io.rxe.wire;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Gap report, version 1: behind the AETH of an acknowledgement, which requests have arrived and which are missing (rule G2). Only a peer
 * that set the mark in its requests ({@link Bth#isMarked}) gets one.
 *
 * <pre>
 * +---------------+---------------+-------------------------------+
 * |    version    | number of gaps|               0               |
 * +---------------+---------------+-------------------------------+
 * |       0       |                    end PSN                    |   one past the last PSN of which the report speaks
 * +---------------+-----------------------------------------------+
 * |                           duplicates                          |   requests that arrived again, modulo 2^32
 * +---------------------------------------------------------------+
 * |                              room                             |   PSNs from the expected one on that the receiver keeps
 * +---------------+-----------------------------------------------+
 * |       0       |              first PSN of a gap               |   for each gap
 * +---------------+-----------------------------------------------+
 * |                       packets of the gap                      |
 * +---------------------------------------------------------------+
 * </pre>
 *
 * <p>Gaps ascend and do not touch. The first begins at the expected PSN, and behind the last one something has arrived. Without a gap the
 * end is the expected PSN.
 *
 * <p>Readers of gaps call {@link #isValid} first. Iterating allocates nothing:
 *
 * <pre>
 *   for (int i = 0; i &lt; GapReport.gaps(buffer, offset); i++) {
 *       ... GapReport.firstPsn(buffer, offset, i) ... GapReport.packets(buffer, offset, i) ...
 *   }
 * </pre>
 */
public final class GapReport {
    /** The only version that is defined. */
    public static final int VERSION = 1;
    /** Most gaps of a report: what a path MTU of 1024 carries, and what 5 % loss leaves behind in a round trip of 2,400 packets. */
    public static final int MAX_GAPS = 120;
    /** Most PSNs that lie between two that a report names: half the sequence space, within which PSNs have an order. */
    public static final int MAX_SPAN = (1 << 23) - 1;

    private static final int HEADER_LENGTH = 16;
    private static final int GAP_LENGTH = 8;
    private static final int GAPS_OFFSET = 1;
    private static final int END_OFFSET = 4;
    private static final int DUPLICATES_OFFSET = 8;
    private static final int ROOM_OFFSET = 12;
    private static final int PACKETS_OFFSET = 4;

    private GapReport() {
    }

    /** {@return length in bytes of a report with a number of gaps} */
    public static int lengthBytes(int gaps) {
        return HEADER_LENGTH + gaps * GAP_LENGTH;
    }

    /** {@return most gaps of a report on a path with an MTU; a report with as many may not tell all} */
    public static int maxGaps(int mtu) {
        return Math.min(MAX_GAPS, (mtu - HEADER_LENGTH) / GAP_LENGTH);
    }

    /** Writes all but the gaps, and their number, which {@link #writeGap} adds. */
    public static void write(MutableDirectBuffer buffer, int offset, int gaps, int endPsn, int duplicates, int room) {
        buffer.putInt(offset, VERSION << 24 | (gaps & 0xFF) << 16, BIG_ENDIAN);
        buffer.putInt(offset + END_OFFSET, endPsn & Psn.MASK, BIG_ENDIAN);
        buffer.putInt(offset + DUPLICATES_OFFSET, duplicates, BIG_ENDIAN);
        buffer.putInt(offset + ROOM_OFFSET, room, BIG_ENDIAN);
    }

    /** Writes a gap. */
    public static void writeGap(MutableDirectBuffer buffer, int offset, int gap, int firstPsn, int packets) {
        int at = offset + lengthBytes(gap);
        buffer.putInt(at, firstPsn & Psn.MASK, BIG_ENDIAN);
        buffer.putInt(at + PACKETS_OFFSET, packets, BIG_ENDIAN);
    }

    /**
     * Whether the bytes behind an AETH are a report of this version that says what it may say. Never throws for any content.
     *
     * @param length bytes between the AETH and the ICRC.
     */
    public static boolean isValid(DirectBuffer buffer, int offset, int length) {
        if (length < HEADER_LENGTH || buffer.getByte(offset) != VERSION || buffer.getShort(offset + 2) != 0) {
            return false;
        }
        int gaps = gaps(buffer, offset);
        if (gaps > MAX_GAPS || length != lengthBytes(gaps) || !isPsn(buffer, offset + END_OFFSET)
            || Integer.compareUnsigned(room(buffer, offset), MAX_SPAN) > 0) {
            return false;
        }
        int expected = expectedPsn(buffer, offset);
        int behind = 0;
        for (int gap = 0; gap < gaps; gap++) {
            // Distances from the expected PSN: a gap begins behind the end of the one before.
            int begin = firstPsn(buffer, offset, gap) - expected & Psn.MASK;
            int packets = packets(buffer, offset, gap);
            boolean isBehind = gap == 0 || begin > behind;
            if (!isPsn(buffer, offset + lengthBytes(gap)) || !isBehind || packets < 1 || packets > MAX_SPAN - begin) {
                return false;
            }
            behind = begin + packets;
        }
        int end = endPsn(buffer, offset) - expected & Psn.MASK;
        return gaps == 0 || end > behind && end <= MAX_SPAN;
    }

    /** {@return what a valid report says: "gaps 000010+3, 000020+1; end 000042; 2 duplicates; room 4096"} */
    public static String describe(DirectBuffer buffer, int offset) {
        return "gaps " + describeGaps(buffer, offset) + "; end " + Psn.toString(endPsn(buffer, offset)) + "; "
            + Integer.toUnsignedString(duplicates(buffer, offset)) + " duplicates; room " + room(buffer, offset);
    }

    /** {@return the gaps of a valid report, each as first PSN and number of packets: "000010+3, 000020+1", or "none"} */
    public static String describeGaps(DirectBuffer buffer, int offset) {
        StringBuilder text = new StringBuilder();
        for (int gap = 0; gap < gaps(buffer, offset); gap++) {
            text.append(gap == 0 ? "" : ", ").append(Psn.toString(firstPsn(buffer, offset, gap))).append('+')
                .append(packets(buffer, offset, gap));
        }
        return text.length() == 0 ? "none" : text.toString();
    }

    private static boolean isPsn(DirectBuffer buffer, int at) {
        return buffer.getByte(at) == 0;
    }

    /** {@return number of gaps} */
    public static int gaps(DirectBuffer buffer, int offset) {
        return buffer.getByte(offset + GAPS_OFFSET) & 0xFF;
    }

    /** {@return the first PSN that has not arrived} */
    public static int expectedPsn(DirectBuffer buffer, int offset) {
        return gaps(buffer, offset) == 0 ? endPsn(buffer, offset) : firstPsn(buffer, offset, 0);
    }

    /** {@return one past the last PSN of which the report speaks} */
    public static int endPsn(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + END_OFFSET, BIG_ENDIAN) & Psn.MASK;
    }

    /** {@return requests that arrived again after they had been executed or kept, since the connection began, modulo 2^32} */
    public static int duplicates(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + DUPLICATES_OFFSET, BIG_ENDIAN);
    }

    /** {@return how many PSNs from the expected one on the receiver keeps while a gap is open} */
    public static int room(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + ROOM_OFFSET, BIG_ENDIAN);
    }

    /** {@return the first PSN of a gap, counted from 0} */
    public static int firstPsn(DirectBuffer buffer, int offset, int gap) {
        return buffer.getInt(offset + lengthBytes(gap), BIG_ENDIAN) & Psn.MASK;
    }

    /** {@return packets that are missing in a gap, counted from 0} */
    public static int packets(DirectBuffer buffer, int offset, int gap) {
        return buffer.getInt(offset + lengthBytes(gap) + PACKETS_OFFSET, BIG_ENDIAN);
    }
}
