package io.rxe.cm.mad;

import static io.rxe.cm.mad.MadField.int32;

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
    /** ID of the sender; 0 in a REJ of a REQ for which the sender keeps no state. */
    public static final MadField LOCAL = int32(0);
    /** ID of the receiver; 0 if the sender does not know it. */
    public static final MadField REMOTE = int32(4);

    private CommunicationIds() {
    }

    public static void write(MutableDirectBuffer buffer, int offset, int local, int remote) {
        LOCAL.set(buffer, offset, local);
        REMOTE.set(buffer, offset, remote);
    }
}
