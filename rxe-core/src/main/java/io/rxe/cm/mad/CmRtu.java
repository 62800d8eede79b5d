package io.rxe.cm.mad;

import static io.rxe.cm.mad.MadArea.area;

/**
 * Ready to use: the last message of the handshake, from the requester.
 *
 * <pre>
 * +---------------------------------------------------------------+ 24, body 0
 * |                   communication IDs, 8 bytes                  |
 * +---------------------------------------------------------------+  8
 * |                  private data, 224 bytes                      |
 * </pre>
 */
public final class CmRtu {
    public static final MadArea PRIVATE_DATA = area(8, 224, "RTU");

    private CmRtu() {
    }
}
