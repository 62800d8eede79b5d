package io.rxe.cm.mad;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

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
    /** Bytes of private data. */
    public static final int PRIVATE_DATA_LENGTH = 136;

    private static final int BODY = MadHeader.LENGTH;
    private static final int REQUEST_ID_OFFSET = BODY + 0;
    private static final int STATUS_OFFSET = BODY + 4;
    private static final int INFORMATION_LENGTH_OFFSET = BODY + 5;
    private static final int QPN_OFFSET = BODY + 8;
    private static final int SERVICE_ID_OFFSET = BODY + 12;
    private static final int QUEUE_KEY_OFFSET = BODY + 20;
    private static final int PRIVATE_DATA_OFFSET = BODY + 96;

    private SidrRep() {
    }

    /** {@return ID the requester gave the request, 32 bits} */
    public static int requestId(DirectBuffer buffer, int offset) {
        return MadFields.int32(buffer, offset + REQUEST_ID_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void requestId(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int32(buffer, offset + REQUEST_ID_OFFSET, value);
    }

    /** {@return the status, 8 bits; see {@link SidrStatus#of}} */
    public static int status(DirectBuffer buffer, int offset) {
        return MadFields.int8(buffer, offset + STATUS_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void status(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int8(buffer, offset + STATUS_OFFSET, value);
    }

    /** {@return bytes of additional information, 0 to 72} */
    public static int informationLength(DirectBuffer buffer, int offset) {
        return MadFields.int8(buffer, offset + INFORMATION_LENGTH_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void informationLength(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int8(buffer, offset + INFORMATION_LENGTH_OFFSET, value);
    }

    /** {@return queue pair that receives the datagrams, 24 bits; valid if the status is 0} */
    public static int qpn(DirectBuffer buffer, int offset) {
        return MadFields.int24(buffer, offset + QPN_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void qpn(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int24(buffer, offset + QPN_OFFSET, value);
    }

    /** {@return the service ID of the request} */
    public static long serviceId(DirectBuffer buffer, int offset) {
        return MadFields.int64(buffer, offset + SERVICE_ID_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void serviceId(MutableDirectBuffer buffer, int offset, long value) {
        MadFields.int64(buffer, offset + SERVICE_ID_OFFSET, value);
    }

    /** {@return Q_Key the datagrams must carry; valid if the status is 0} */
    public static int queueKey(DirectBuffer buffer, int offset) {
        return MadFields.int32(buffer, offset + QUEUE_KEY_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void queueKey(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int32(buffer, offset + QUEUE_KEY_OFFSET, value);
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
        MadFields.bytes(buffer, offset + PRIVATE_DATA_OFFSET, PRIVATE_DATA_LENGTH, data, "SIDR_REP");
    }
}
