package io.rxe.cm.mad;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Reject: refuses a REQ or a REP, or ends a connection without a DREQ.
 *
 * <pre>
 * +---------------------------------------------------------------+ 24, body 0
 * |                   communication IDs, 8 bytes                  |
 * +---+-----------+-------------+-+-------------------------------+  8
 * |msg|     0     | info length |0|            reason             |
 * +---+-----------+-------------+-+-------------------------------+ 12
 * |          additional rejection information, 72 bytes           |
 * +---------------------------------------------------------------+ 84
 * |                  private data, 148 bytes                      |
 * </pre>
 */
public final class CmRej {
    /** Bytes of private data. */
    public static final int PRIVATE_DATA_LENGTH = 148;
    /** Bytes of additional information at most. */
    public static final int INFORMATION_LENGTH = 72;

    private static final int BODY = MadHeader.LENGTH;
    private static final int MESSAGE_OFFSET = BODY + 8;
    private static final int INFORMATION_LENGTH_OFFSET = BODY + 9;
    private static final int REASON_OFFSET = BODY + 10;
    private static final int INFORMATION_OFFSET = BODY + 12;
    private static final int PRIVATE_DATA_OFFSET = BODY + 84;

    private CmRej() {
    }

    /** {@return the message rejected} */
    public static AnsweredMessage message(DirectBuffer buffer, int offset) {
        return AnsweredMessage.of(MadFields.bits(buffer, offset + MESSAGE_OFFSET, 6, 2));
    }

    /** Sets the field; see the getter. */
    public static void message(MutableDirectBuffer buffer, int offset, AnsweredMessage value) {
        MadFields.bits(buffer, offset + MESSAGE_OFFSET, 6, 2, value.code());
    }

    /** {@return the reason, 16 bits; see {@link RejectReason#of}} */
    public static int reason(DirectBuffer buffer, int offset) {
        return MadFields.int16(buffer, offset + REASON_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void reason(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int16(buffer, offset + REASON_OFFSET, value);
    }

    /** {@return a copy of the additional information: its length as the message has it, at most 72 bytes} */
    public static byte[] information(DirectBuffer buffer, int offset) {
        int length = MadFields.bits(buffer, offset + INFORMATION_LENGTH_OFFSET, 1, 7);
        return MadFields.bytes(buffer, offset + INFORMATION_OFFSET, Math.min(length, INFORMATION_LENGTH));
    }

    /** Writes additional information and its length. */
    public static void information(MutableDirectBuffer buffer, int offset, byte[] value) {
        MadFields.bits(buffer, offset + INFORMATION_LENGTH_OFFSET, 1, 7, value.length);
        MadFields.bytes(buffer, offset + INFORMATION_OFFSET, INFORMATION_LENGTH, value, "REJ's additional information");
    }

    /** {@return the adapter GUID in the additional information of a REJ with reason timeout, or 0 if there is none} */
    public static long informationGuid(DirectBuffer buffer, int offset) {
        int length = MadFields.bits(buffer, offset + INFORMATION_LENGTH_OFFSET, 1, 7);
        return length < Long.BYTES ? 0 : MadFields.int64(buffer, offset + INFORMATION_OFFSET);
    }

    /** Writes an adapter GUID as additional information. */
    public static void informationGuid(MutableDirectBuffer buffer, int offset, long guid) {
        MadFields.bits(buffer, offset + INFORMATION_LENGTH_OFFSET, 1, 7, Long.BYTES);
        MadFields.int64(buffer, offset + INFORMATION_OFFSET, guid);
    }

    /** {@return a copy of the whole area; the message has no length of the data, and unused bytes are zero} */
    public static byte[] privateData(DirectBuffer buffer, int offset) {
        return MadFields.bytes(buffer, offset + PRIVATE_DATA_OFFSET, PRIVATE_DATA_LENGTH);
    }

    /**
     * Writes private data and fills the rest of its area with zeros.
     *
     * @throws IllegalArgumentException for more than {@link #PRIVATE_DATA_LENGTH} bytes.
     */
    public static void privateData(MutableDirectBuffer buffer, int offset, byte[] data) {
        MadFields.bytes(buffer, offset + PRIVATE_DATA_OFFSET, PRIVATE_DATA_LENGTH, data, "REJ");
    }
}
