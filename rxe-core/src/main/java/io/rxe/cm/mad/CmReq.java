package io.rxe.cm.mad;

import io.rxe.wire.Gid;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Request for communication.
 *
 * <pre>
 * +---------------------------------------------------------------+ 24, body 0
 * |                    local communication ID                     |
 * +---------------------------------------------------------------+  4
 * |   reserved    |                vendor ID, 0                   |
 * +---------------+-----------------------------------------------+  8
 * |                      service ID, 64 bits                      |
 * +---------------------------------------------------------------+ 16
 * |                     local CA GUID, 64 bits                    |
 * +---------------------------------------------------------------+ 24
 * |                           reserved                            |
 * +---------------------------------------------------------------+ 28
 * |                        local queue key                        |
 * +-----------------------------------------------+---------------+ 32
 * |               local queue pair                |resp. resources|
 * +-----------------------------------------------+---------------+ 36
 * |       local end-to-end context, 0             |initiator depth|
 * +-----------------------------------------------+---------+---+-+ 40
 * |       remote end-to-end context, 0            | remote  |TST|F|   remote CM response timeout, transport service type
 * +-----------------------------------------------+---------+-----+ 44
 * |                 starting PSN                  | local   |retry|   local CM response timeout
 * +-------------------------------+-------+-+-----+-------+-+-----+ 48
 * |         partition key         |MTU    |D| RNR |CM ret.|S| ext |
 * +-------------------------------+-------+-+-----+-------+-+-----+ 52
 * |       primary local LID       |      primary remote LID       |
 * +-------------------------------+-------------------------------+ 56
 * |                 primary local GID, 16 bytes                   |
 * +---------------------------------------------------------------+ 72
 * |                 primary remote GID, 16 bytes                  |
 * +---------------------------------------+-----------+-----------+ 88
 * |          flow label, 20 bits          | reserved  | rate      |
 * +---------------+---------------+-------+-+-----+---+-----+-----+ 92
 * | traffic class |   hop limit   |  SL   |L|  0  |ack time.|  0  |
 * +---------------+---------------+-------+-+-----+---------+-----+ 96
 * |            alternate path, 44 bytes, zero = none              |
 * +---------------------------------------------------------------+ 140
 * |                  private data, 92 bytes                       |
 * F end-to-end flow control, D reliable datagram channel exists, S shared receive queue, L subnet local
 * </pre>
 *
 * <p>Time codes n mean 4.096 us x 2^n. The starting PSN is the one the <em>sender of this message</em> expects to receive.
 */
public final class CmReq {
    /** Bytes of private data. */
    public static final int PRIVATE_DATA_LENGTH = 92;

    private static final int BODY = MadHeader.LENGTH;
    private static final int SERVICE_ID_OFFSET = BODY + 8;
    private static final int LOCAL_CA_GUID_OFFSET = BODY + 16;
    private static final int LOCAL_QUEUE_KEY_OFFSET = BODY + 28;
    private static final int LOCAL_QPN_OFFSET = BODY + 32;
    private static final int RESPONDER_RESOURCES_OFFSET = BODY + 35;
    private static final int INITIATOR_DEPTH_OFFSET = BODY + 39;
    private static final int REMOTE_TIMEOUT_OFFSET = BODY + 43;
    private static final int STARTING_PSN_OFFSET = BODY + 44;
    private static final int LOCAL_TIMEOUT_OFFSET = BODY + 47;
    private static final int PARTITION_KEY_OFFSET = BODY + 48;
    private static final int PATH_MTU_OFFSET = BODY + 50;
    private static final int MAX_CM_RETRIES_OFFSET = BODY + 51;
    private static final int PRIMARY_LOCAL_LID_OFFSET = BODY + 52;
    private static final int PRIMARY_REMOTE_LID_OFFSET = BODY + 54;
    private static final int PRIMARY_LOCAL_GID_OFFSET = BODY + 56;
    private static final int PRIMARY_REMOTE_GID_OFFSET = BODY + 72;
    private static final int FLOW_LABEL_OFFSET = BODY + 88;
    private static final int PACKET_RATE_OFFSET = BODY + 91;
    private static final int TRAFFIC_CLASS_OFFSET = BODY + 92;
    private static final int HOP_LIMIT_OFFSET = BODY + 93;
    private static final int SERVICE_LEVEL_OFFSET = BODY + 94;
    private static final int ACK_TIMEOUT_OFFSET = BODY + 95;
    private static final int ALTERNATE_LOCAL_LID_OFFSET = BODY + 96;
    private static final int PRIVATE_DATA_OFFSET = BODY + 140;

    private CmReq() {
    }

    /** {@return the service ID requested; see {@link CmaHeader#serviceId}} */
    public static long serviceId(DirectBuffer buffer, int offset) {
        return MadFields.int64(buffer, offset + SERVICE_ID_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void serviceId(MutableDirectBuffer buffer, int offset, long value) {
        MadFields.int64(buffer, offset + SERVICE_ID_OFFSET, value);
    }

    /** {@return GUID of the sending adapter; with the communication ID it identifies the REQ} */
    public static long localCaGuid(DirectBuffer buffer, int offset) {
        return MadFields.int64(buffer, offset + LOCAL_CA_GUID_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void localCaGuid(MutableDirectBuffer buffer, int offset, long value) {
        MadFields.int64(buffer, offset + LOCAL_CA_GUID_OFFSET, value);
    }

    /** {@return queue key, 0 for a connection} */
    public static int localQueueKey(DirectBuffer buffer, int offset) {
        return MadFields.int32(buffer, offset + LOCAL_QUEUE_KEY_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void localQueueKey(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int32(buffer, offset + LOCAL_QUEUE_KEY_OFFSET, value);
    }

    /** {@return queue pair number of the sender, 24 bits} */
    public static int localQpn(DirectBuffer buffer, int offset) {
        return MadFields.int24(buffer, offset + LOCAL_QPN_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void localQpn(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int24(buffer, offset + LOCAL_QPN_OFFSET, value);
    }

    /** {@return READs and atomics the sender serves at once, 0 to 255} */
    public static int responderResources(DirectBuffer buffer, int offset) {
        return MadFields.int8(buffer, offset + RESPONDER_RESOURCES_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void responderResources(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int8(buffer, offset + RESPONDER_RESOURCES_OFFSET, value);
    }

    /** {@return READs and atomics the sender wants in flight, 0 to 255} */
    public static int initiatorDepth(DirectBuffer buffer, int offset) {
        return MadFields.int8(buffer, offset + INITIATOR_DEPTH_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void initiatorDepth(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int8(buffer, offset + INITIATOR_DEPTH_OFFSET, value);
    }

    /** {@return time code within which the sender expects a reply from the receiver, 0 to 31} */
    public static int remoteCmResponseTimeout(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + REMOTE_TIMEOUT_OFFSET, 3, 5);
    }

    /** Sets the field; see the getter. */
    public static void remoteCmResponseTimeout(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.bits(buffer, offset + REMOTE_TIMEOUT_OFFSET, 3, 5, value);
    }

    /** {@return 0 RC, 1 UC, 2 RD, 3 see {@link #extendedTransport}} */
    public static int transportServiceType(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + REMOTE_TIMEOUT_OFFSET, 1, 2);
    }

    /** Sets the field; see the getter. */
    public static void transportServiceType(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.bits(buffer, offset + REMOTE_TIMEOUT_OFFSET, 1, 2, value);
    }

    /** {@return whether the sender generates end-to-end credits} */
    public static boolean isEndToEndFlowControl(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + REMOTE_TIMEOUT_OFFSET, 0, 1) != 0;
    }

    /** Sets the field; see the getter. */
    public static void endToEndFlowControl(MutableDirectBuffer buffer, int offset, boolean value) {
        MadFields.bits(buffer, offset + REMOTE_TIMEOUT_OFFSET, 0, 1, value ? 1 : 0);
    }

    /** {@return PSN the sender of this message expects in the first request it receives, 24 bits} */
    public static int startingPsn(DirectBuffer buffer, int offset) {
        return MadFields.int24(buffer, offset + STARTING_PSN_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void startingPsn(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int24(buffer, offset + STARTING_PSN_OFFSET, value);
    }

    /** {@return time code within which the sender replies to the receiver, 0 to 31} */
    public static int localCmResponseTimeout(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + LOCAL_TIMEOUT_OFFSET, 3, 5);
    }

    /** Sets the field; see the getter. */
    public static void localCmResponseTimeout(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.bits(buffer, offset + LOCAL_TIMEOUT_OFFSET, 3, 5, value);
    }

    /** {@return transport retries the receiver shall set in its queue pair, 0 to 7} */
    public static int retryCount(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + LOCAL_TIMEOUT_OFFSET, 0, 3);
    }

    /** Sets the field; see the getter. */
    public static void retryCount(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.bits(buffer, offset + LOCAL_TIMEOUT_OFFSET, 0, 3, value);
    }

    /** {@return partition key, 16 bits} */
    public static int partitionKey(DirectBuffer buffer, int offset) {
        return MadFields.int16(buffer, offset + PARTITION_KEY_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void partitionKey(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int16(buffer, offset + PARTITION_KEY_OFFSET, value);
    }

    /** {@return path MTU code, 1 (256 bytes) to 5 (4096 bytes)} */
    public static int pathMtu(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + PATH_MTU_OFFSET, 4, 4);
    }

    /** Sets the field; see the getter. */
    public static void pathMtu(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.bits(buffer, offset + PATH_MTU_OFFSET, 4, 4, value);
    }

    /** {@return whether a reliable datagram channel exists} */
    public static boolean isReliableDatagramChannel(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + PATH_MTU_OFFSET, 3, 1) != 0;
    }

    /** Sets the field; see the getter. */
    public static void reliableDatagramChannel(MutableDirectBuffer buffer, int offset, boolean value) {
        MadFields.bits(buffer, offset + PATH_MTU_OFFSET, 3, 1, value ? 1 : 0);
    }

    /** {@return RNR retries the receiver shall set in its queue pair, 0 to 7} */
    public static int rnrRetryCount(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + PATH_MTU_OFFSET, 0, 3);
    }

    /** Sets the field; see the getter. */
    public static void rnrRetryCount(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.bits(buffer, offset + PATH_MTU_OFFSET, 0, 3, value);
    }

    /** {@return retransmissions of an unanswered message on either side, 0 to 15} */
    public static int maxCmRetries(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + MAX_CM_RETRIES_OFFSET, 4, 4);
    }

    /** Sets the field; see the getter. */
    public static void maxCmRetries(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.bits(buffer, offset + MAX_CM_RETRIES_OFFSET, 4, 4, value);
    }

    /** {@return whether the sender uses a shared receive queue} */
    public static boolean isSharedReceiveQueue(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + MAX_CM_RETRIES_OFFSET, 3, 1) != 0;
    }

    /** Sets the field; see the getter. */
    public static void sharedReceiveQueue(MutableDirectBuffer buffer, int offset, boolean value) {
        MadFields.bits(buffer, offset + MAX_CM_RETRIES_OFFSET, 3, 1, value ? 1 : 0);
    }

    /** {@return transport if the service type is 3; 1 = XRC} */
    public static int extendedTransport(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + MAX_CM_RETRIES_OFFSET, 0, 3);
    }

    /** Sets the field; see the getter. */
    public static void extendedTransport(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.bits(buffer, offset + MAX_CM_RETRIES_OFFSET, 0, 3, value);
    }

    /** {@return LID of the sender; 0xFFFF on RoCE} */
    public static int primaryLocalLid(DirectBuffer buffer, int offset) {
        return MadFields.int16(buffer, offset + PRIMARY_LOCAL_LID_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void primaryLocalLid(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int16(buffer, offset + PRIMARY_LOCAL_LID_OFFSET, value);
    }

    /** {@return LID of the receiver; 0xFFFF on RoCE} */
    public static int primaryRemoteLid(DirectBuffer buffer, int offset) {
        return MadFields.int16(buffer, offset + PRIMARY_REMOTE_LID_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void primaryRemoteLid(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int16(buffer, offset + PRIMARY_REMOTE_LID_OFFSET, value);
    }

    /** {@return GID of the sender: the source address of its data packets} */
    public static Gid primaryLocalGid(DirectBuffer buffer, int offset) {
        return MadFields.gid(buffer, offset + PRIMARY_LOCAL_GID_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void primaryLocalGid(MutableDirectBuffer buffer, int offset, Gid value) {
        MadFields.gid(buffer, offset + PRIMARY_LOCAL_GID_OFFSET, value);
    }

    /** {@return GID of the receiver} */
    public static Gid primaryRemoteGid(DirectBuffer buffer, int offset) {
        return MadFields.gid(buffer, offset + PRIMARY_REMOTE_GID_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void primaryRemoteGid(MutableDirectBuffer buffer, int offset, Gid value) {
        MadFields.gid(buffer, offset + PRIMARY_REMOTE_GID_OFFSET, value);
    }

    /** {@return flow label, 20 bits} */
    public static int flowLabel(DirectBuffer buffer, int offset) {
        return MadFields.int32(buffer, offset + FLOW_LABEL_OFFSET) >>> 12;
    }

    /** Sets the field; see the getter. */
    public static void flowLabel(MutableDirectBuffer buffer, int offset, int value) {
        int neighbours = MadFields.int32(buffer, offset + FLOW_LABEL_OFFSET) & 0xFFF;
        MadFields.int32(buffer, offset + FLOW_LABEL_OFFSET, neighbours | value << 12);
    }

    /** {@return rate code, 0 = not stated} */
    public static int packetRate(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + PACKET_RATE_OFFSET, 0, 6);
    }

    /** Sets the field; see the getter. */
    public static void packetRate(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.bits(buffer, offset + PACKET_RATE_OFFSET, 0, 6, value);
    }

    /** {@return traffic class, 0 to 255} */
    public static int trafficClass(DirectBuffer buffer, int offset) {
        return MadFields.int8(buffer, offset + TRAFFIC_CLASS_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void trafficClass(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int8(buffer, offset + TRAFFIC_CLASS_OFFSET, value);
    }

    /** {@return hop limit, 0 to 255} */
    public static int hopLimit(DirectBuffer buffer, int offset) {
        return MadFields.int8(buffer, offset + HOP_LIMIT_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void hopLimit(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int8(buffer, offset + HOP_LIMIT_OFFSET, value);
    }

    /** {@return service level, 0 to 15} */
    public static int serviceLevel(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + SERVICE_LEVEL_OFFSET, 4, 4);
    }

    /** Sets the field; see the getter. */
    public static void serviceLevel(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.bits(buffer, offset + SERVICE_LEVEL_OFFSET, 4, 4, value);
    }

    /** {@return whether both ends are in one subnet; Linux clears it if the hop limit is above 1} */
    public static boolean isSubnetLocal(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + SERVICE_LEVEL_OFFSET, 3, 1) != 0;
    }

    /** Sets the field; see the getter. */
    public static void subnetLocal(MutableDirectBuffer buffer, int offset, boolean value) {
        MadFields.bits(buffer, offset + SERVICE_LEVEL_OFFSET, 3, 1, value ? 1 : 0);
    }

    /** {@return time code of the transport timer: 2 x packet life time + the sender's ACK delay (rule T10)} */
    public static int localAckTimeout(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + ACK_TIMEOUT_OFFSET, 3, 5);
    }

    /** Sets the field; see the getter. */
    public static void localAckTimeout(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.bits(buffer, offset + ACK_TIMEOUT_OFFSET, 3, 5, value);
    }

    /** {@return whether the message has an alternate path} */
    public static boolean hasAlternatePath(DirectBuffer buffer, int offset) {
        return MadFields.int16(buffer, offset + ALTERNATE_LOCAL_LID_OFFSET) != 0;
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
        MadFields.bytes(buffer, offset + PRIVATE_DATA_OFFSET, PRIVATE_DATA_LENGTH, data, "REQ");
    }
}
