package io.rxe.cm.mad;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The first two words of every message of a connection. "Local" is always the sender of the message.
 *
 * <pre>
 * +---------------------------------------------------------------+ 24
 * |        local communication ID: the sender's                   |
 * +---------------------------------------------------------------+ 28
 * |        remote communication ID: the receiver's; 0 in a REQ    |
 * +---------------------------------------------------------------+ 32
 * </pre>
 */
public final class CommunicationIds {
    private static final int LOCAL_OFFSET = MadHeader.LENGTH;
    private static final int REMOTE_OFFSET = MadHeader.LENGTH + 4;

    private CommunicationIds() {
    }

    /** {@return ID of the sender; 0 in a REJ of a REQ for which the sender keeps no state} */
    public static int local(DirectBuffer buffer, int offset) {
        return MadFields.int32(buffer, offset + LOCAL_OFFSET);
    }

    /** {@return ID of the receiver; 0 if the sender does not know it} */
    public static int remote(DirectBuffer buffer, int offset) {
        return MadFields.int32(buffer, offset + REMOTE_OFFSET);
    }

    /** Writes both IDs. */
    public static void write(MutableDirectBuffer buffer, int offset, int local, int remote) {
        MadFields.int32(buffer, offset + LOCAL_OFFSET, local);
        MadFields.int32(buffer, offset + REMOTE_OFFSET, remote);
    }
}
