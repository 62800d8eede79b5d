package io.rxe.cm.mad;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Alternate path response: the answer to a LAP.
 *
 * <pre>
 * +---------------------------------------------------------------+ 24, body 0
 * |                   communication IDs, 8 bytes                  |
 * +---------------+---------------+-------------------------------+  8
 * |  info length  |    status     |            reserved           |
 * +---------------+---------------+-------------------------------+ 12
 * |               additional information, 72 bytes                |
 * +---------------------------------------------------------------+ 84
 * |                    private data, 148 bytes                    |
 * </pre>
 */
public final class CmApr {
    /** Bytes of private data. */
    public static final int PRIVATE_DATA_LENGTH = 148;

    private static final int BODY = MadHeader.LENGTH;
    private static final int STATUS_OFFSET = BODY + 9;
    private static final int PRIVATE_DATA_OFFSET = BODY + 84;

    private CmApr() {
    }

    /** {@return 0 if the path was loaded, else why not; see {@link AlternatePathStatus}} */
    public static int status(DirectBuffer buffer, int offset) {
        return MadFields.int8(buffer, offset + STATUS_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void status(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int8(buffer, offset + STATUS_OFFSET, value);
    }

    /** {@return a copy of the whole area; the message has no length of the data, and unused bytes are zero} */
    public static byte[] privateData(DirectBuffer buffer, int offset) {
        return MadFields.bytes(buffer, offset + PRIVATE_DATA_OFFSET, PRIVATE_DATA_LENGTH);
    }
}
