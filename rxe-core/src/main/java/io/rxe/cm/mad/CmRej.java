package io.rxe.cm.mad;

import static io.rxe.cm.mad.MadArea.area;
import static io.rxe.cm.mad.MadField.bits;
import static io.rxe.cm.mad.MadField.int16;
import static io.rxe.cm.mad.MadLong.int64;

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
    /** The message rejected, a code of {@link AnsweredMessage}. */
    public static final MadField MESSAGE = bits(8, 6, 2);
    /** The reason, 16 bits; see {@link RejectReason#of}. */
    public static final MadField REASON = int16(10);
    private static final MadField INFORMATION_LENGTH = bits(9, 1, 7);
    private static final MadLong INFORMATION_GUID = int64(12);
    public static final MadArea PRIVATE_DATA = area(84, 148, "REJ");

    private CmRej() {
    }

    /** {@return the adapter GUID in the additional information of a REJ with reason timeout, or 0 if there is none} */
    public static long informationGuid(DirectBuffer buffer, int offset) {
        return INFORMATION_LENGTH.get(buffer, offset) < Long.BYTES ? 0 : INFORMATION_GUID.get(buffer, offset);
    }

    /** Writes an adapter GUID as additional information. */
    public static void informationGuid(MutableDirectBuffer buffer, int offset, long guid) {
        INFORMATION_LENGTH.set(buffer, offset, Long.BYTES);
        INFORMATION_GUID.set(buffer, offset, guid);
    }
}
