package io.rxe.cm.mad;

import static io.rxe.cm.mad.MadArea.area;

/**
 * Disconnect reply.
 *
 * <pre>
 * +---------------------------------------------------------------+ 24, body 0
 * |                   communication IDs, 8 bytes                  |
 * +---------------------------------------------------------------+  8
 * |                  private data, 224 bytes                      |
 * </pre>
 */
public final class CmDrep {
    public static final MadArea PRIVATE_DATA = area(8, 224, "DREP");

    private CmDrep() {
    }
}
