package io.rxe.cm.mad;

import static io.rxe.cm.mad.MadArea.area;
import static io.rxe.cm.mad.MadField.int24;
import static io.rxe.cm.mad.MadField.int32;
import static io.rxe.cm.mad.MadField.int8;
import static io.rxe.cm.mad.MadLong.int64;

/**
 * Service ID resolution response: the reply to a {@link SidrReq}.
 *
 * <pre>
 * +---------------------------------------------------------------+ 24, body 0
 * |                          request ID                           |
 * +---------------+---------------+-------------------------------+  4
 * |    status     |  info length  |         vendor ID, 0          |
 * +---------------+---------------+---------------+---------------+  8
 * |                  queue pair                   |   reserved    |
 * +-----------------------------------------------+---------------+ 12
 * |                      service ID, 64 bits                      |
 * +---------------------------------------------------------------+ 20
 * |                           queue key                           |
 * +---------------------------------------------------------------+ 24
 * |             additional information, 72 bytes                  |
 * +---------------------------------------------------------------+ 96
 * |                  private data, 136 bytes                      |
 * </pre>
 */
public final class SidrRep {
    /** ID the requester gave the request, 32 bits. */
    public static final MadField REQUEST_ID = int32(0);
    /** The status, 8 bits; see {@link SidrStatus#of}. */
    public static final MadField STATUS = int8(4);
    /** Bytes of additional information, 0 to 72. */
    public static final MadField INFORMATION_LENGTH = int8(5);
    /** Queue pair that receives the datagrams, 24 bits; valid if the status is 0. */
    public static final MadField QPN = int24(8);
    public static final MadLong SERVICE_ID = int64(12);
    /** Q_Key the datagrams must carry; valid if the status is 0. */
    public static final MadField QUEUE_KEY = int32(20);
    public static final MadArea PRIVATE_DATA = area(96, 136, "SIDR_REP");

    private SidrRep() {
    }
}
