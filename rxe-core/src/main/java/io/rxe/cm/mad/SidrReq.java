package io.rxe.cm.mad;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

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
    /** Bytes of private data. */
    public static final int PRIVATE_DATA_LENGTH = 216;

    private static final int BODY = MadHeader.LENGTH;
    private static final int REQUEST_ID_OFFSET = BODY + 0;
    private static final int PARTITION_KEY_OFFSET = BODY + 4;
    private static final int SERVICE_ID_OFFSET = BODY + 8;
    private static final int PRIVATE_DATA_OFFSET = BODY + 16;

    private SidrReq() {
    }

    /** {@return ID the requester gave this request, 32 bits} */
    public static int requestId(DirectBuffer buffer, int offset) {
        return MadFields.int32(buffer, offset + REQUEST_ID_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void requestId(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int32(buffer, offset + REQUEST_ID_OFFSET, value);
    }

    /** {@return partition key, 16 bits} */
    public static int partitionKey(DirectBuffer buffer, int offset) {
        return MadFields.int16(buffer, offset + PARTITION_KEY_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void partitionKey(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int16(buffer, offset + PARTITION_KEY_OFFSET, value);
    }

    /** {@return the service ID requested; see {@link CmaHeader#serviceId}} */
    public static long serviceId(DirectBuffer buffer, int offset) {
        return MadFields.int64(buffer, offset + SERVICE_ID_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void serviceId(MutableDirectBuffer buffer, int offset, long value) {
        MadFields.int64(buffer, offset + SERVICE_ID_OFFSET, value);
    }

    /** {@return a copy of the whole area; the message has no length of the data, and unused bytes are zero} */
    public static byte[] privateData(DirectBuffer buffer, int offset) {
        return MadFields.bytes(buffer, offset + PRIVATE_DATA_OFFSET, PRIVATE_DATA_LENGTH);
    }

    /**
     * Writes private data and fills the rest of its area with zeros.
     *
     * @throws IllegalArgumentException for more than {@link #PRIVATE_DATA_LENGTH} bytes.
     */
    public static void privateData(MutableDirectBuffer buffer, int offset, byte[] data) {
        MadFields.bytes(buffer, offset + PRIVATE_DATA_OFFSET, PRIVATE_DATA_LENGTH, data, "SIDR_REQ");
    }
}
