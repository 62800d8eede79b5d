package io.rxe.wire;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Base transport header, the first 12 bytes of every packet.
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +---------------+-+-+---+-------+-------------------------------+
 * |    opcode     |S|M|Pad| TVer  |         partition key         |
 * +-+-+-----------+-+-+---+-------+-------------------------------+
 * |F|B| reserved  |           destination queue pair              |
 * +-+-+-----------+-----------------------------------------------+
 * |A|  code   |T|G|            packet sequence number             |
 * +-+---------+-+-+-----------------------------------------------+
 * S solicited event, M MigReq, F FECN, B BECN, A AckReq, T sent several times, G mark; code: a {@link FiveBitCode}
 * </pre>
 *
 * <p>The second word's first byte (FECN, BECN, reserved) is the one transport byte the ICRC does not cover. A receiver ignores
 * MigReq and the reserved bits; rdma_rxe sends them as 0, adapters set MigReq. The mark is such a reserved bit: an rxe sets it, so that
 * two of them know each other and exchange each {@link GapReport} (rule G1). To such a peer a READ request may leave several times (G7),
 * a response tells how long its host delayed the request (G8), a READ request how fast its responses may leave (G9), or, as any other
 * request, and some READ responses, when it left (G10): the reserved bits beside FECN and BECN, the first of which is set, are followed by
 * the code. The other READ responses have there how long their request waited. To any other peer all these bits are 0.
 */
public final class Bth {
    /** Length in bytes. */
    public static final int LENGTH = 12;
    /** The default partition with full membership. */
    public static final int DEFAULT_PARTITION_KEY = 0xFFFF;
    /** Destination QPN of datagrams to a multicast group: no queue pair has it. */
    public static final int MULTICAST_QPN = 0xFF_FFFF;

    private static final int OPCODE_OFFSET = 0;
    private static final int FLAGS_OFFSET = 1;
    private static final int PARTITION_KEY_OFFSET = 2;
    private static final int CONGESTION_OFFSET = 4;
    private static final int DESTINATION_QPN_OFFSET = 4;
    private static final int ACK_REQUEST_OFFSET = 8;
    private static final int PSN_OFFSET = 8;

    private static final int SOLICITED = 0x80;
    private static final int MIGRATION_REQUEST = 0x40;
    private static final int PAD_COUNT_MASK = 0x30;
    private static final int PAD_COUNT_SHIFT = 4;
    private static final int TRANSPORT_VERSION_MASK = 0x0F;
    private static final int FECN = 0x80;
    private static final int BECN = 0x40;
    private static final int ACK_REQUESTED = 0x80;
    private static final int MARK = 0x01;
    private static final int REPEATED = 0x02;
    private static final int CODE_SHIFT = 2;
    private static final int CODE_MASK = 31;
    private static final int CODE_BITS = 5;
    private static final int TIMED = 0x20;
    private static final int LOW_24_BITS = 0x00FF_FFFF;

    private Bth() {
    }

    /** As {@link #write(MutableDirectBuffer, int, Opcode, boolean, int, int, int, boolean, int)}, with partition key 0xFFFF. */
    public static void write(MutableDirectBuffer buffer, int offset, Opcode opcode, boolean solicited, int padCount,
        int destinationQpn, boolean ackRequested, int psn) {
        write(buffer, offset, opcode, solicited, padCount, DEFAULT_PARTITION_KEY, destinationQpn, ackRequested, psn);
    }

    /**
     * Writes all 12 bytes: MigReq, TVer, FECN, BECN, mark and reserved bits 0.
     *
     * @param padCount     bytes of padding behind the payload, 0 to 3.
     * @param partitionKey 0 to 0xFFFF.
     */
    public static void write(MutableDirectBuffer buffer, int offset, Opcode opcode, boolean solicited, int padCount,
        int partitionKey, int destinationQpn, boolean ackRequested, int psn) {
        int word = opcode.code() << 24 | (solicited ? SOLICITED << 16 : 0)
            | (padCount << PAD_COUNT_SHIFT & PAD_COUNT_MASK) << 16 | partitionKey;
        buffer.putInt(offset, word, BIG_ENDIAN);
        buffer.putInt(offset + DESTINATION_QPN_OFFSET, destinationQpn & LOW_24_BITS, BIG_ENDIAN);
        buffer.putInt(offset + PSN_OFFSET, (ackRequested ? ACK_REQUESTED << 24 : 0) | psn & LOW_24_BITS, BIG_ENDIAN);
    }

    /** {@return the opcode byte, 0 to 255; {@link Opcode#of} decodes it} */
    public static int opcode(DirectBuffer buffer, int offset) {
        return buffer.getByte(offset + OPCODE_OFFSET) & 0xFF;
    }

    /** {@return whether the receiver is to raise a solicited event at the end of this message} */
    public static boolean isSolicited(DirectBuffer buffer, int offset) {
        return isSet(buffer, offset + FLAGS_OFFSET, SOLICITED);
    }

    /** {@return the MigReq bit, which a receiver without path migration ignores} */
    public static boolean isMigrationRequest(DirectBuffer buffer, int offset) {
        return isSet(buffer, offset + FLAGS_OFFSET, MIGRATION_REQUEST);
    }

    /** Sets the MigReq bit. */
    public static void migrationRequest(MutableDirectBuffer buffer, int offset, boolean value) {
        int other = buffer.getByte(offset + FLAGS_OFFSET) & ~MIGRATION_REQUEST;
        buffer.putByte(offset + FLAGS_OFFSET, (byte) (value ? other | MIGRATION_REQUEST : other));
    }

    /** {@return bytes of padding between payload and ICRC, 0 to 3} */
    public static int padCount(DirectBuffer buffer, int offset) {
        return (buffer.getByte(offset + FLAGS_OFFSET) & PAD_COUNT_MASK) >> PAD_COUNT_SHIFT;
    }

    /** {@return the transport header version, 0 to 15; only 0 is defined} */
    public static int transportVersion(DirectBuffer buffer, int offset) {
        return buffer.getByte(offset + FLAGS_OFFSET) & TRANSPORT_VERSION_MASK;
    }

    /** {@return the partition key, 16 bits; the highest bit is the membership} */
    public static int partitionKey(DirectBuffer buffer, int offset) {
        return buffer.getShort(offset + PARTITION_KEY_OFFSET, BIG_ENDIAN) & 0xFFFF;
    }

    /** {@return the forward congestion notification bit} */
    public static boolean isFecn(DirectBuffer buffer, int offset) {
        return isSet(buffer, offset + CONGESTION_OFFSET, FECN);
    }

    /** {@return the backward congestion notification bit} */
    public static boolean isBecn(DirectBuffer buffer, int offset) {
        return isSet(buffer, offset + CONGESTION_OFFSET, BECN);
    }

    /** Sets the backward congestion notification bit. */
    public static void notifyBackward(MutableDirectBuffer buffer, int offset) {
        int at = offset + CONGESTION_OFFSET;
        buffer.putByte(at, (byte) (buffer.getByte(at) | BECN));
    }

    /** {@return the destination queue pair number, 24 bits} */
    public static int destinationQpn(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + DESTINATION_QPN_OFFSET, BIG_ENDIAN) & LOW_24_BITS;
    }

    /** {@return whether the requester asks for an acknowledgement of this packet} */
    public static boolean isAckRequested(DirectBuffer buffer, int offset) {
        return isSet(buffer, offset + ACK_REQUEST_OFFSET, ACK_REQUESTED);
    }

    /** {@return whether the sender knows gap reports (rule G1); a reserved bit to others} */
    public static boolean isMarked(DirectBuffer buffer, int offset) {
        return isSet(buffer, offset + ACK_REQUEST_OFFSET, MARK);
    }

    /** Sets the mark. */
    public static void mark(MutableDirectBuffer buffer, int offset) {
        int at = offset + ACK_REQUEST_OFFSET;
        buffer.putByte(at, (byte) (buffer.getByte(at) | MARK));
    }

    /** {@return whether the requester sends this request several times (rule G7); a reserved bit to others} */
    public static boolean isRepeated(DirectBuffer buffer, int offset) {
        return isSet(buffer, offset + ACK_REQUEST_OFFSET, REPEATED);
    }

    /** Says that this request is sent several times. */
    public static void repeated(MutableDirectBuffer buffer, int offset) {
        int at = offset + ACK_REQUEST_OFFSET;
        buffer.putByte(at, (byte) (buffer.getByte(at) | REPEATED));
    }

    /** {@return in a response, how long its host may have delayed the request: {@link FiveBitCode#HOST_DELAY} (rule G8)} */
    public static int hostDelay(DirectBuffer buffer, int offset) {
        return code(buffer, offset);
    }

    /** Tells in a response how long this host may have delayed the request: {@link FiveBitCode#HOST_DELAY}, 0 to 31. */
    public static void hostDelay(MutableDirectBuffer buffer, int offset, int code) {
        code(buffer, offset, code);
    }

    /** {@return in a READ request, how fast its responses may leave: {@link FiveBitCode#READ_RATE}, 0 for any rate (rule G9)} */
    public static int readRate(DirectBuffer buffer, int offset) {
        return code(buffer, offset);
    }

    /** Tells in a READ request how fast its responses may leave: {@link FiveBitCode#READ_RATE}, 0 to 31, 0 for any rate. */
    public static void readRate(MutableDirectBuffer buffer, int offset, int code) {
        code(buffer, offset, code);
    }

    /** {@return whether a request or a READ response tells when it left (rule G10); a reserved bit to others} */
    public static boolean isTimed(DirectBuffer buffer, int offset) {
        return isSet(buffer, offset + CONGESTION_OFFSET, TIMED);
    }

    /** {@return in a packet that {@link #isTimed}, when it left: {@link SendTime}} */
    public static int sendTime(DirectBuffer buffer, int offset) {
        return code(buffer, offset) << CODE_BITS | buffer.getByte(offset + CONGESTION_OFFSET) & CODE_MASK;
    }

    /** Tells in a packet when it leaves: {@link SendTime}, 0 to 1023. */
    public static void sendTime(MutableDirectBuffer buffer, int offset, int time) {
        int at = offset + CONGESTION_OFFSET;
        buffer.putByte(at, (byte) (buffer.getByte(at) | TIMED | time & CODE_MASK));
        code(buffer, offset, time >> CODE_BITS);
    }

    /** {@return in a READ response, how long its request waited on its way: {@link FiveBitCode#HOST_DELAY} (rule G10)} */
    public static int requestWait(DirectBuffer buffer, int offset) {
        return buffer.getByte(offset + CONGESTION_OFFSET) & CODE_MASK;
    }

    /** Tells in a READ response how long its request waited on its way: {@link FiveBitCode#HOST_DELAY}, 0 to 31. */
    public static void requestWait(MutableDirectBuffer buffer, int offset, int code) {
        int at = offset + CONGESTION_OFFSET;
        buffer.putByte(at, (byte) (buffer.getByte(at) | code));
    }

    private static int code(DirectBuffer buffer, int offset) {
        return buffer.getByte(offset + ACK_REQUEST_OFFSET) >> CODE_SHIFT & CODE_MASK;
    }

    private static void code(MutableDirectBuffer buffer, int offset, int code) {
        int at = offset + ACK_REQUEST_OFFSET;
        buffer.putByte(at, (byte) (buffer.getByte(at) | code << CODE_SHIFT));
    }

    /** {@return the packet sequence number, 24 bits; arithmetic in {@link Psn}} */
    public static int psn(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + PSN_OFFSET, BIG_ENDIAN) & LOW_24_BITS;
    }

    private static boolean isSet(DirectBuffer buffer, int index, int bit) {
        return (buffer.getByte(index) & bit) != 0;
    }
}
