package io.rxe.cm.mad;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Reply to a REQ: accepts the connection.
 *
 * <pre>
 * +---------------------------------------------------------------+ 24, body 0
 * |                   communication IDs, 8 bytes                  |
 * +---------------------------------------------------------------+  8
 * |                        local queue key                        |
 * +-----------------------------------------------+---------------+ 12
 * |               local queue pair                |   reserved    |
 * +-----------------------------------------------+---------------+ 16
 * |  local end-to-end context; XRC: queue pair    |   reserved    |
 * +-----------------------------------------------+---------------+ 20
 * |                 starting PSN                  |   reserved    |
 * +---------------+---------------+---------+---+-+-----+-+-------+ 24
 * |resp. resources|initiator depth|ack delay|FO |F| RNR |S|   0   |
 * +---------------+---------------+---------+---+-+-----+-+-------+ 28
 * |                     local CA GUID, 64 bits                    |
 * +---------------------------------------------------------------+ 36
 * |                  private data, 196 bytes                      |
 * FO failover accepted, F end-to-end flow control, S shared receive queue
 * </pre>
 */
public final class CmRep {
    /** Bytes of private data. */
    public static final int PRIVATE_DATA_LENGTH = 196;

    private static final int BODY = MadHeader.LENGTH;
    private static final int LOCAL_QUEUE_KEY_OFFSET = BODY + 8;
    private static final int LOCAL_QPN_OFFSET = BODY + 12;
    private static final int LOCAL_EE_CONTEXT_OFFSET = BODY + 16;
    private static final int STARTING_PSN_OFFSET = BODY + 20;
    private static final int RESPONDER_RESOURCES_OFFSET = BODY + 24;
    private static final int INITIATOR_DEPTH_OFFSET = BODY + 25;
    private static final int ACK_DELAY_OFFSET = BODY + 26;
    private static final int RNR_RETRY_OFFSET = BODY + 27;
    private static final int LOCAL_CA_GUID_OFFSET = BODY + 28;
    private static final int PRIVATE_DATA_OFFSET = BODY + 36;

    private CmRep() {
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

    /** {@return number of the sender's XRC target, whose local queue pair is 0; 24 bits, and 0 for any other transport} */
    public static int localEeContext(DirectBuffer buffer, int offset) {
        return MadFields.int24(buffer, offset + LOCAL_EE_CONTEXT_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void localEeContext(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int24(buffer, offset + LOCAL_EE_CONTEXT_OFFSET, value);
    }

    /** {@return PSN the sender of this message expects in the first request it receives, 24 bits} */
    public static int startingPsn(DirectBuffer buffer, int offset) {
        return MadFields.int24(buffer, offset + STARTING_PSN_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void startingPsn(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int24(buffer, offset + STARTING_PSN_OFFSET, value);
    }

    /** {@return READs and atomics the sender serves at once, 0 to 255} */
    public static int responderResources(DirectBuffer buffer, int offset) {
        return MadFields.int8(buffer, offset + RESPONDER_RESOURCES_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void responderResources(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int8(buffer, offset + RESPONDER_RESOURCES_OFFSET, value);
    }

    /** {@return READs and atomics the sender has in flight at most, 0 to 255} */
    public static int initiatorDepth(DirectBuffer buffer, int offset) {
        return MadFields.int8(buffer, offset + INITIATOR_DEPTH_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void initiatorDepth(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.int8(buffer, offset + INITIATOR_DEPTH_OFFSET, value);
    }

    /** {@return time code within which the sender's adapter acknowledges, 0 to 31 (rule T10)} */
    public static int targetAckDelay(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + ACK_DELAY_OFFSET, 3, 5);
    }

    /** Sets the field; see the getter. */
    public static void targetAckDelay(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.bits(buffer, offset + ACK_DELAY_OFFSET, 3, 5, value);
    }

    /** {@return reply to the alternate path of the REQ: 0 accepted, 1 unsupported, 2 rejected} */
    public static int failoverAccepted(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + ACK_DELAY_OFFSET, 1, 2);
    }

    /** Sets the field; see the getter. */
    public static void failoverAccepted(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.bits(buffer, offset + ACK_DELAY_OFFSET, 1, 2, value);
    }

    /** {@return whether the sender generates end-to-end credits} */
    public static boolean isEndToEndFlowControl(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + ACK_DELAY_OFFSET, 0, 1) != 0;
    }

    /** Sets the field; see the getter. */
    public static void endToEndFlowControl(MutableDirectBuffer buffer, int offset, boolean value) {
        MadFields.bits(buffer, offset + ACK_DELAY_OFFSET, 0, 1, value ? 1 : 0);
    }

    /** {@return RNR retries the receiver shall set in its queue pair, 0 to 7} */
    public static int rnrRetryCount(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + RNR_RETRY_OFFSET, 5, 3);
    }

    /** Sets the field; see the getter. */
    public static void rnrRetryCount(MutableDirectBuffer buffer, int offset, int value) {
        MadFields.bits(buffer, offset + RNR_RETRY_OFFSET, 5, 3, value);
    }

    /** {@return whether the sender uses a shared receive queue} */
    public static boolean isSharedReceiveQueue(DirectBuffer buffer, int offset) {
        return MadFields.bits(buffer, offset + RNR_RETRY_OFFSET, 4, 1) != 0;
    }

    /** Sets the field; see the getter. */
    public static void sharedReceiveQueue(MutableDirectBuffer buffer, int offset, boolean value) {
        MadFields.bits(buffer, offset + RNR_RETRY_OFFSET, 4, 1, value ? 1 : 0);
    }

    /** {@return GUID of the sending adapter} */
    public static long localCaGuid(DirectBuffer buffer, int offset) {
        return MadFields.int64(buffer, offset + LOCAL_CA_GUID_OFFSET);
    }

    /** Sets the field; see the getter. */
    public static void localCaGuid(MutableDirectBuffer buffer, int offset, long value) {
        MadFields.int64(buffer, offset + LOCAL_CA_GUID_OFFSET, value);
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
        MadFields.bytes(buffer, offset + PRIVATE_DATA_OFFSET, PRIVATE_DATA_LENGTH, data, "REP");
    }
}
