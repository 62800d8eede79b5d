package io.rxe.cm.mad;

import io.rxe.wire.Gid;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Load alternate path: the requesting side of a connection names the path that both sides migrate to (rule M1).
 *
 * <pre>
 * +---------------------------------------------------------------+ 24, body 0
 * |                   communication IDs, 8 bytes                  |
 * +---------------------------------------------------------------+  8
 * |                            reserved                           |
 * +-----------------------------------------------+---------+-----+ 12
 * |               remote queue pair               | timeout |  0  |
 * +-----------------------------------------------+---------+-----+ 16
 * |                            reserved                           |
 * +-------------------------------+-------------------------------+ 20
 * |           local LID           |           remote LID          |
 * +-------------------------------+-------------------------------+ 24
 * |                      local GID, 16 bytes                      |
 * +---------------------------------------------------------------+ 40
 * |                      remote GID, 16 bytes                     |
 * +---------------------------------------+-------+---------------+ 56
 * |              flow label               |   0   | traffic class |
 * +---------------+---+-----------+-------+-+-----+---------+-----+ 60
 * |   hop limit   | 0 |   rate    |  SL   |S|  0  | timeout |  0  |
 * +---------------+---+-----------+-------+-+-----+---------+-----+ 64
 * |                    private data, 168 bytes                    |
 * </pre>
 */
public final class CmLap {
    /** Bytes of private data. */
    public static final int PRIVATE_DATA_LENGTH = 168;

    private static final int BODY = MadHeader.LENGTH;
    private static final int REMOTE_QPN_OFFSET = BODY + 12;
    private static final int RESPONSE_TIMEOUT_OFFSET = BODY + 15;
    private static final int LIDS_OFFSET = BODY + 20;
    private static final int LOCAL_GID_OFFSET = BODY + 24;
    private static final int REMOTE_GID_OFFSET = BODY + 40;
    private static final int HOP_LIMIT_OFFSET = BODY + 60;
    private static final int ACK_TIMEOUT_OFFSET = BODY + 63;
    private static final int PRIVATE_DATA_OFFSET = BODY + 64;
    private static final int PERMISSIVE_LIDS = 0xFFFF_FFFF;
    private static final int DEFAULT_HOP_LIMIT = 64;

    private CmLap() {
    }

    /** Writes what is the same in every LAP on RoCE: the permissive LIDs, as in a REQ, and the hop limit. */
    public static void writeFixed(MutableDirectBuffer buffer, int offset) {
        MadFields.int32(buffer, offset + LIDS_OFFSET, PERMISSIVE_LIDS);
        MadFields.int8(buffer, offset + HOP_LIMIT_OFFSET, DEFAULT_HOP_LIMIT);
    }

    /** {@return queue pair number of the receiver, 24 bits} */
    public static int remoteQpn(DirectBuffer buffer, int offset) {
        return MadFields.int24(buffer, offset + REMOTE_QPN_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void remoteQpn(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int24(buffer, offset + REMOTE_QPN_OFFSET, value);
    }

    /** {@return time code within which the receiver has to send the APR, 0 to 31} */
    public static int remoteCmResponseTimeout(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + RESPONSE_TIMEOUT_OFFSET, 3, 5);
    }

    /** Sets the field; see the getter. */
    public static void remoteCmResponseTimeout(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.bits(buffer, offset + RESPONSE_TIMEOUT_OFFSET, 3, 5, value);
    }

    /** {@return GID of the sender's port on the alternate path} */
    public static Gid localGid(DirectBuffer buffer, int offset) {
        return MadFields.gid(buffer, offset + LOCAL_GID_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void localGid(MutableDirectBuffer buffer, int offset, Gid value) {
        MadFields.gid(buffer, offset + LOCAL_GID_OFFSET, value);
    }

    /** {@return GID of the receiver's port on the alternate path} */
    public static Gid remoteGid(DirectBuffer buffer, int offset) {
        return MadFields.gid(buffer, offset + REMOTE_GID_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void remoteGid(MutableDirectBuffer buffer, int offset, Gid value) {
        MadFields.gid(buffer, offset + REMOTE_GID_OFFSET, value);
    }

    /** {@return time code of the transport timer on the alternate path, 0 to 31} */
    public static int localAckTimeout(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + ACK_TIMEOUT_OFFSET, 3, 5);
    }

    /** Sets the field; see the getter. */
    public static void localAckTimeout(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.bits(buffer, offset + ACK_TIMEOUT_OFFSET, 3, 5, value);
    }

    /** {@return a copy of the whole area; the message has no length of the data, and unused bytes are zero} */
    public static byte[] privateData(DirectBuffer buffer, int offset) {
        return MadFields.bytes(buffer, offset + PRIVATE_DATA_OFFSET, PRIVATE_DATA_LENGTH);
    }
}
