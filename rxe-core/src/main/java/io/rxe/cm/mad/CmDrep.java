package io.rxe.cm.mad;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Disconnect reply.
 *
 * <pre>
 * +---------------------------------------------------------------+ 24, body 0
 * |                   communication IDs, 8 bytes                  |
 * +---------------------------------------------------------------+  8
 * |                  private data, 224 bytes                      |
 * </pre>
 */
public final class CmDrep {
    /** Bytes of private data. */
    public static final int PRIVATE_DATA_LENGTH = 224;

    private static final int BODY = MadHeader.LENGTH;
    private static final int PRIVATE_DATA_OFFSET = BODY + 8;

    private CmDrep() {
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
        MadFields.bytes(buffer, offset + PRIVATE_DATA_OFFSET, PRIVATE_DATA_LENGTH, data, "DREP");
    }
}
