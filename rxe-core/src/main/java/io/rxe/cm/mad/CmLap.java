package io.rxe.cm.mad;

import static io.rxe.cm.mad.MadArea.area;
import static io.rxe.cm.mad.MadField.bits;
import static io.rxe.cm.mad.MadField.int24;
import static io.rxe.cm.mad.MadField.int32;
import static io.rxe.cm.mad.MadField.int8;
import static io.rxe.cm.mad.MadGid.gid;

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
    /** Queue pair number of the receiver, 24 bits. */
    public static final MadField REMOTE_QPN = int24(12);
    /** Time code within which the receiver has to send the APR, 0 to 31. */
    public static final MadField REMOTE_CM_RESPONSE_TIMEOUT = bits(15, 3, 5);
    /** GID of the sender's port on the alternate path. */
    public static final MadGid LOCAL_GID = gid(24);
    /** GID of the receiver's port on the alternate path. */
    public static final MadGid REMOTE_GID = gid(40);
    /** Time code of the transport timer on the alternate path, 0 to 31. */
    public static final MadField LOCAL_ACK_TIMEOUT = bits(63, 3, 5);
    public static final MadArea PRIVATE_DATA = area(64, 168, "LAP");

    private static final MadField LIDS = int32(20);
    private static final MadField HOP_LIMIT = int8(60);
    private static final int PERMISSIVE_LIDS = 0xFFFF_FFFF;
    private static final int DEFAULT_HOP_LIMIT = 64;

    private CmLap() {
    }

    /** Writes what is the same in every LAP on RoCE: the permissive LIDs, as in a REQ, and the hop limit. */
    public static void writeFixed(MutableDirectBuffer buffer, int offset) {
        LIDS.set(buffer, offset, PERMISSIVE_LIDS);
        HOP_LIMIT.set(buffer, offset, DEFAULT_HOP_LIMIT);
    }
}
