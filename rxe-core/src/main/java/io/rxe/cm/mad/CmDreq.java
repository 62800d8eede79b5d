package io.rxe.cm.mad;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Disconnect request.
 *
 * <pre>
 * +---------------------------------------------------------------+ 24, body 0
 * |                   communication IDs, 8 bytes                  |
 * +-----------------------------------------------+---------------+  8
 * |               remote queue pair               |   reserved    |
 * +-----------------------------------------------+---------------+ 12
 * |                  private data, 220 bytes                      |
 * </pre>
 */
public final class CmDreq {
    /** Bytes of private data. */
    public static final int PRIVATE_DATA_LENGTH = 220;

    private static final int BODY = MadHeader.LENGTH;
    private static final int REMOTE_QPN_OFFSET = BODY + 8;
    private static final int PRIVATE_DATA_OFFSET = BODY + 12;

    private CmDreq() {
    }

    /** {@return queue pair number of the receiver, 24 bits; the receiver drops a DREQ with another number} */
    public static int remoteQpn(DirectBuffer buffer, int offset) {
        return MadFields.int24(buffer, offset + REMOTE_QPN_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void remoteQpn(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int24(buffer, offset + REMOTE_QPN_OFFSET, value);
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
        MadFields.bytes(buffer, offset + PRIVATE_DATA_OFFSET, PRIVATE_DATA_LENGTH, data, "DREQ");
    }
}
