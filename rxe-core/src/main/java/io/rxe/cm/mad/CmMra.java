package io.rxe.cm.mad;

import static io.rxe.cm.mad.MadArea.area;
import static io.rxe.cm.mad.MadField.bits;

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
    /** The message received, a code of {@link AnsweredMessage}. */
    public static final MadField MESSAGE = bits(8, 6, 2);
    /** Time code within which the sender will reply, 0 to 31. */
    public static final MadField SERVICE_TIMEOUT = bits(9, 3, 5);
    public static final MadArea PRIVATE_DATA = area(10, 222, "MRA");

    private CmMra() {
    }
}
