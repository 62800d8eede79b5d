package io.rxe.cm.mad;

import static io.rxe.cm.mad.MadArea.area;
import static io.rxe.cm.mad.MadField.bits;
import static io.rxe.cm.mad.MadField.flag;
import static io.rxe.cm.mad.MadField.int16;
import static io.rxe.cm.mad.MadField.int20;
import static io.rxe.cm.mad.MadField.int24;
import static io.rxe.cm.mad.MadField.int32;
import static io.rxe.cm.mad.MadField.int8;
import static io.rxe.cm.mad.MadGid.gid;
import static io.rxe.cm.mad.MadLong.int64;

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
    /** The service ID requested; see {@link CmaHeader#serviceId}. */
    public static final MadLong SERVICE_ID = int64(8);
    /** GUID of the sending adapter; with the communication ID it identifies the REQ. */
    public static final MadLong LOCAL_CA_GUID = int64(16);
    /** Queue key, 0 for a connection. */
    public static final MadField LOCAL_QUEUE_KEY = int32(28);
    /** Queue pair number of the sender, 24 bits. */
    public static final MadField LOCAL_QPN = int24(32);
    /** READs and atomics the sender serves at once, 0 to 255. */
    public static final MadField RESPONDER_RESOURCES = int8(35);
    /** READs and atomics the sender wants in flight, 0 to 255. */
    public static final MadField INITIATOR_DEPTH = int8(39);
    /** Time code within which the sender expects a reply from the receiver, 0 to 31. */
    public static final MadField REMOTE_CM_RESPONSE_TIMEOUT = bits(43, 3, 5);
    /** 0 RC, 1 UC, 2 RD, 3 see {@link #EXTENDED_TRANSPORT}. */
    public static final MadField TRANSPORT_SERVICE_TYPE = bits(43, 1, 2);
    /** Whether the sender generates end-to-end credits. */
    public static final MadField END_TO_END_FLOW_CONTROL = flag(43, 0);
    /** PSN the sender of this message expects in the first request it receives, 24 bits. */
    public static final MadField STARTING_PSN = int24(44);
    /** Time code within which the sender replies to the receiver, 0 to 31. */
    public static final MadField LOCAL_CM_RESPONSE_TIMEOUT = bits(47, 3, 5);
    /** Transport retries the receiver shall set in its queue pair, 0 to 7. */
    public static final MadField RETRY_COUNT = bits(47, 0, 3);
    /** Partition key, 16 bits. */
    public static final MadField PARTITION_KEY = int16(48);
    /** Path MTU code, 1 (256 bytes) to 5 (4096 bytes). */
    public static final MadField PATH_MTU = bits(50, 4, 4);
    /** Whether a reliable datagram channel exists. */
    public static final MadField RELIABLE_DATAGRAM_CHANNEL = flag(50, 3);
    /** RNR retries the receiver shall set in its queue pair, 0 to 7. */
    public static final MadField RNR_RETRY_COUNT = bits(50, 0, 3);
    /** Retransmissions of an unanswered message on either side, 0 to 15. */
    public static final MadField MAX_CM_RETRIES = bits(51, 4, 4);
    /** Whether the sender uses a shared receive queue. */
    public static final MadField SHARED_RECEIVE_QUEUE = flag(51, 3);
    /** Transport if the service type is 3; 1 = XRC. */
    public static final MadField EXTENDED_TRANSPORT = bits(51, 0, 3);
    /** LID of the sender; 0xFFFF on RoCE. */
    public static final MadField PRIMARY_LOCAL_LID = int16(52);
    /** LID of the receiver; 0xFFFF on RoCE. */
    public static final MadField PRIMARY_REMOTE_LID = int16(54);
    /** GID of the sender: the source address of its data packets. */
    public static final MadGid PRIMARY_LOCAL_GID = gid(56);
    /** GID of the receiver. */
    public static final MadGid PRIMARY_REMOTE_GID = gid(72);
    /** Flow label, 20 bits. */
    public static final MadField FLOW_LABEL = int20(88);
    /** Rate code, 0 = not stated. */
    public static final MadField PACKET_RATE = bits(91, 0, 6);
    /** Traffic class, 0 to 255. */
    public static final MadField TRAFFIC_CLASS = int8(92);
    /** Hop limit, 0 to 255. */
    public static final MadField HOP_LIMIT = int8(93);
    /** Service level, 0 to 15. */
    public static final MadField SERVICE_LEVEL = bits(94, 4, 4);
    /** Whether both ends are in one subnet; Linux clears it if the hop limit is above 1. */
    public static final MadField SUBNET_LOCAL = flag(94, 3);
    /** Time code of the transport timer: 2 x packet life time + the sender's ACK delay (rule T10). */
    public static final MadField LOCAL_ACK_TIMEOUT = bits(95, 3, 5);
    /** LID of the sender on the alternate path; 0 for no such path. */
    public static final MadField ALTERNATE_LOCAL_LID = int16(96);
    public static final MadArea PRIVATE_DATA = area(140, 92, "REQ");

    private CmReq() {
    }
}
