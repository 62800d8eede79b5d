package io.rxe.cm.mad;

import static io.rxe.cm.mad.MadArea.area;
import static io.rxe.cm.mad.MadField.int24;

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
    /** Queue pair number of the receiver, 24 bits; the receiver drops a DREQ with another number. */
    public static final MadField REMOTE_QPN = int24(8);
    public static final MadArea PRIVATE_DATA = area(12, 220, "DREQ");

    private CmDreq() {
    }
}
