package io.rxe.cm.mad;

import static io.rxe.cm.mad.MadArea.area;
import static io.rxe.cm.mad.MadField.int16;
import static io.rxe.cm.mad.MadField.int32;
import static io.rxe.cm.mad.MadLong.int64;

/**
 * Service ID resolution request: asks for the queue pair that receives the datagrams of a service.
 *
 * <pre>
 * +---------------------------------------------------------------+ 24, body 0
 * |                          request ID                           |
 * +-------------------------------+-------------------------------+  4
 * |         partition key         |           reserved            |
 * +-------------------------------+-------------------------------+  8
 * |                      service ID, 64 bits                      |
 * +---------------------------------------------------------------+ 16
 * |                  private data, 216 bytes                      |
 * </pre>
 */
public final class SidrReq {
    /** ID the requester gave this request, 32 bits. */
    public static final MadField REQUEST_ID = int32(0);
    /** Partition key, 16 bits. */
    public static final MadField PARTITION_KEY = int16(4);
    /** The service ID requested; see {@link CmaHeader#serviceId}. */
    public static final MadLong SERVICE_ID = int64(8);
    public static final MadArea PRIVATE_DATA = area(16, 216, "SIDR_REQ");

    private SidrReq() {
    }
}
