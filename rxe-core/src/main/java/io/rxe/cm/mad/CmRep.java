package io.rxe.cm.mad;

import static io.rxe.cm.mad.MadArea.area;
import static io.rxe.cm.mad.MadField.bits;
import static io.rxe.cm.mad.MadField.flag;
import static io.rxe.cm.mad.MadField.int24;
import static io.rxe.cm.mad.MadField.int32;
import static io.rxe.cm.mad.MadField.int8;
import static io.rxe.cm.mad.MadLong.int64;

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
    /** Queue key, 0 for a connection. */
    public static final MadField LOCAL_QUEUE_KEY = int32(8);
    /** Queue pair number of the sender, 24 bits. */
    public static final MadField LOCAL_QPN = int24(12);
    /** Number of the sender's XRC target, whose local queue pair is 0; 24 bits, and 0 for any other transport. */
    public static final MadField LOCAL_EE_CONTEXT = int24(16);
    /** PSN the sender of this message expects in the first request it receives, 24 bits. */
    public static final MadField STARTING_PSN = int24(20);
    /** READs and atomics the sender serves at once, 0 to 255. */
    public static final MadField RESPONDER_RESOURCES = int8(24);
    /** READs and atomics the sender has in flight at most, 0 to 255. */
    public static final MadField INITIATOR_DEPTH = int8(25);
    /** Time code within which the sender's adapter acknowledges, 0 to 31 (rule T10). */
    public static final MadField TARGET_ACK_DELAY = bits(26, 3, 5);
    /** Reply to the alternate path of the REQ: 0 accepted, 1 unsupported, 2 rejected. */
    public static final MadField FAILOVER_ACCEPTED = bits(26, 1, 2);
    /** Whether the sender generates end-to-end credits. */
    public static final MadField END_TO_END_FLOW_CONTROL = flag(26, 0);
    /** RNR retries the receiver shall set in its queue pair, 0 to 7. */
    public static final MadField RNR_RETRY_COUNT = bits(27, 5, 3);
    /** Whether the sender uses a shared receive queue. */
    public static final MadField SHARED_RECEIVE_QUEUE = flag(27, 4);
    /** GUID of the sending adapter. */
    public static final MadLong LOCAL_CA_GUID = int64(28);
    public static final MadArea PRIVATE_DATA = area(36, 196, "REP");

    private CmRep() {
    }
}
