package io.rxe.cm.mad;

import static io.rxe.cm.mad.MadArea.area;
import static io.rxe.cm.mad.MadField.int8;

/**
 * Alternate path response: the reply to a LAP.
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
    /** 0 if the path was loaded, else why not; see {@link AlternatePathStatus}. */
    public static final MadField STATUS = int8(9);
    public static final MadArea PRIVATE_DATA = area(84, 148, "APR");

    private CmApr() {
    }
}
