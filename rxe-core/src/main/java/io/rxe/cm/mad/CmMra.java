package io.rxe.cm.mad;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Message receipt acknowledgement: the reply to a REQ or REP takes longer than the CM response timeout.
 *
 * <pre>
 * +---------------------------------------------------------------+ 24, body 0
 * |                   communication IDs, 8 bytes                  |
 * +---+-----------+---------+-----+-------------------------------+  8
 * |msg|     0     | timeout |  0  |   private data, 222 bytes     |
 * </pre>
 */
public final class CmMra {
    /** Bytes of private data. */
    public static final int PRIVATE_DATA_LENGTH = 222;

    private static final int BODY = MadHeader.LENGTH;
    private static final int MESSAGE_OFFSET = BODY + 8;
    private static final int SERVICE_TIMEOUT_OFFSET = BODY + 9;
    private static final int PRIVATE_DATA_OFFSET = BODY + 10;

    private CmMra() {
    }

    /** {@return the message received} */
    public static AnsweredMessage message(DirectBuffer buffer, int offset) {
        return AnsweredMessage.of(MadFields.bits(buffer, offset + MESSAGE_OFFSET, 6, 2));
    }

    /** Sets the field; see the getter. */
    public static void message(MutableDirectBuffer buffer, int offset, AnsweredMessage value) {
        MadFields.bits(buffer, offset + MESSAGE_OFFSET, 6, 2, value.code());
    }

    /** {@return time code within which the sender will reply, 0 to 31} */
    public static int serviceTimeout(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + SERVICE_TIMEOUT_OFFSET, 3, 5);
    }

    /** Sets the field; see the getter. */
    public static void serviceTimeout(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.bits(buffer, offset + SERVICE_TIMEOUT_OFFSET, 3, 5, value);
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
        MadFields.bytes(buffer, offset + PRIVATE_DATA_OFFSET, PRIVATE_DATA_LENGTH, data, "MRA");
    }
}
