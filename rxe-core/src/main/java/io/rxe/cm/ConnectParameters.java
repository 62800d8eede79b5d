package io.rxe.cm;

import io.rxe.cm.exchange.RequestedTerms;
import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairAttributes;
import java.util.Objects;

/**
 * What one side requests or offers; {@code struct rdma_conn_param} and the options of an {@code rdma_cm_id}.
 *
 * <p>Not thread-safe. A call copies what it is given, so an object may be changed and used again afterwards. Setters throw
 * {@link IllegalArgumentException} for a value out of range.
 */
public final class ConnectParameters {
    /** Q_Key of datagram services unless set: {@code RDMA_UDP_QKEY}. */
    public static final int DEFAULT_QUEUE_KEY = 0x0123_4567;
    /** Transport timer unless set: 67 ms, which together with 7 retries notices a crashed peer after half a second. */
    public static final int DEFAULT_ACK_TIMEOUT_CODE = 14;
    /** No limit of time but the retries. */
    public static final long NO_TIMEOUT = Long.MAX_VALUE;

    /** That of a REP, the most that any message has. */
    private static final int MAX_PRIVATE_DATA = 196;

    private byte[] privateData = new byte[0];
    private int responderResources = 16;
    private int initiatorDepth = 16;
    private int retryCount = 7;
    private int rnrRetry = 7;
    private int minRnrTimer = 12;
    private int ackTimeoutCode = DEFAULT_ACK_TIMEOUT_CODE;
    private int trafficClass;
    private PathMtu pathMtu;
    private int queueKey = DEFAULT_QUEUE_KEY;
    private int sourcePort;
    private PortSpace portSpace = PortSpace.TCP;
    private int queuePairNumber;
    private boolean sharedReceiveQueue;
    private long timeoutNs = NO_TIMEOUT;
    private long keepAliveNs;
    private int partitionKeyIndex;
    private Object attachment;

    /** For the application of the peer: at most 56 bytes to connect, 180 to resolve, 196 to accept, 136 for a datagram service. */
    public ConnectParameters privateData(byte[] data) {
        checkPrivateData(Objects.requireNonNull(data, "privateData is null: give an array, of 0 bytes for none"), MAX_PRIVATE_DATA);
        privateData = data.clone();
        return this;
    }

    /** READs and atomics of the peer this side serves at once, 0 to 128; 16 unless set. */
    public ConnectParameters responderResources(int count) {
        responderResources = range("responderResources", count, 128);
        return this;
    }

    /** READs and atomics this side wants in flight, 0 to 128; 16 unless set. The peer may grant fewer. */
    public ConnectParameters initiatorDepth(int count) {
        initiatorDepth = range("initiatorDepth", count, 128);
        return this;
    }

    /** Transport retries (retry_cnt) of both sides, 0 to 7; 7 unless set. Ignored when accepting. */
    public ConnectParameters retryCount(int count) {
        retryCount = range("retryCount", count, 7);
        return this;
    }

    /** RNR retries (rnr_retry) of the <em>peer</em>, 0 to 6, or 7 = unlimited; 7 unless set. */
    public ConnectParameters rnrRetry(int count) {
        rnrRetry = range("rnrRetry", count, 7);
        return this;
    }

    /** RNR timer code of this side's responder, 0 to 31; 12 (0.64 ms) unless set, where rdma_cm of Linux has 0 (655 ms). */
    public ConnectParameters minRnrTimer(int code) {
        minRnrTimer = range("minRnrTimer", code, 31);
        return this;
    }

    /**
     * Transport timer of both sides, 1 to 31 (4.096 us x 2^code), or 0 = derived from packet life time and ACK delay (rule T10), which is
     * what rdma_cm does; {@link #DEFAULT_ACK_TIMEOUT_CODE} unless set. Ignored when accepting.
     *
     * <p>A request without any answer fails after the timer times one more than the retries: with 7 retries code 14 notices a crashed
     * peer after 0.54 s, code 15 after 1.1 s, code 19, that of rdma_cm, after 17 s. Take a greater one if a peer can pause for longer, as
     * for a collection of its garbage. If the ACK delay of the peer is long, the timer of this side is longer than set: 0.27 s, which
     * makes 2.1 s, with rdma_rxe.
     */
    public ConnectParameters ackTimeoutCode(int code) {
        ackTimeoutCode = range("ackTimeoutCode", code, 31);
        return this;
    }

    /** Traffic class of the data in both directions, 0 to 255; 0 unless set. Ignored when accepting. */
    public ConnectParameters trafficClass(int value) {
        trafficClass = range("trafficClass", value, 255);
        return this;
    }

    /** Path MTU of both sides; that of the port unless set. Ignored when accepting. */
    public ConnectParameters pathMtu(PathMtu mtu) {
        pathMtu = mtu;
        return this;
    }

    /** Q_Key of a datagram service this side accepts; {@link #DEFAULT_QUEUE_KEY} unless set. */
    public ConnectParameters queueKey(int key) {
        queueKey = key;
        return this;
    }

    /** Our port as the peer sees it, 1 to 65535, or 0 = a random one. */
    public ConnectParameters sourcePort(int port) {
        sourcePort = range("sourcePort", port, 65535);
        return this;
    }

    /**
     * Where the peer's listener is; {@link PortSpace#TCP} unless set. A datagram service is in {@link PortSpace#UDP}, whatever this says.
     *
     * @throws IllegalArgumentException for UDP, which has no connections.
     */
    public ConnectParameters portSpace(PortSpace space) {
        if (space == PortSpace.UDP) {
            throw new IllegalArgumentException("port space UDP has no connections: use TCP or IB, or resolve a datagram service");
        }
        portSpace = Objects.requireNonNull(space, "the port space is null: give TCP or IB");
        return this;
    }

    /** Number of the queue pair, 1 to 0xFFFFFF, if the application modifies it itself and gives none to the call. */
    public ConnectParameters queuePairNumber(int number) {
        queuePairNumber = range("queuePairNumber", number, 0xFF_FFFF);
        return this;
    }

    /**
     * Whether a queue pair that the application modifies itself receives from an SRQ, and so gives no end-to-end credits; informs the peer.
     * Known of one that is given to the call.
     */
    public ConnectParameters sharedReceiveQueue(boolean on) {
        sharedReceiveQueue = on;
        return this;
    }

    /** What the connection has as its attachment from its begin, see {@link CmConnection#attachment()}; ignored when accepting. */
    public ConnectParameters attachment(Object object) {
        attachment = object;
        return this;
    }

    /**
     * How long the connection may be idle on this side before it asks the peer whether it is still there, in nanoseconds: 1 ms to 1 h, or
     * 0 = never, which holds unless set (rule T11). A peer that has crashed ends the connection with DISCONNECTED after this time and that
     * of a request without an answer, see {@link #ackTimeoutCode}. Without it only a request notices that: an end that only receives waits
     * for ever. Each side sets its own, when it connects or accepts. For RC; the peer needs no support, and rdma_rxe answers as well.
     * Details: {@link io.rxe.verbs.QueuePairAttributes#keepAliveNs(long)}.
     */
    public ConnectParameters keepAliveNs(long ns) {
        if (ns != 0 && (ns < QueuePairAttributes.MIN_KEEP_ALIVE_NS || ns > QueuePairAttributes.MAX_KEEP_ALIVE_NS)) {
            throw new IllegalArgumentException("keepAliveNs " + ns + " is not in " + QueuePairAttributes.MIN_KEEP_ALIVE_NS + ".."
                + QueuePairAttributes.MAX_KEEP_ALIVE_NS + ": give nanoseconds, 1 ms to 1 h, or 0 for none");
        }
        keepAliveNs = ns;
        return this;
    }

    /**
     * Index of the P_Key that messages and data carry, in {@link io.rxe.verbs.Device#partitionKeys}; the first, 0, unless set. The call
     * throws {@link IllegalArgumentException} for one that the table does not have. Ignored when accepting: the request says which
     * partition it is for.
     */
    public ConnectParameters partitionKeyIndex(int index) {
        partitionKeyIndex = range("partitionKeyIndex", index, PartitionKeys.MAX_KEYS - 1);
        return this;
    }

    /** Longest wait for the peer in nanoseconds from the first message, at least 1; the retries limit it to 98 s as well. */
    public ConnectParameters timeoutNs(long ns) {
        if (ns < 1) {
            throw new IllegalArgumentException("timeoutNs " + ns + " < 1: give nanoseconds, or leave it out");
        }
        timeoutNs = ns;
        return this;
    }

    /** What the messages carry, as a snapshot. */
    RequestedTerms terms() {
        return new RequestedTerms(responderResources, initiatorDepth, retryCount, rnrRetry, ackTimeoutCode, trafficClass, pathMtu,
            sharedReceiveQueue, !sharedReceiveQueue, privateData, timeoutNs, partitionKeyIndex);
    }

    /** Parameters that must not be null. */
    static void require(ConnectParameters parameters) {
        Objects.requireNonNull(parameters, "the parameters are null: give new ConnectParameters() for the defaults");
    }

    Object attachment() {
        return attachment;
    }

    /** Checks private data against the room of its message. */
    static void checkPrivateData(byte[] data, int limit) {
        if (data.length > limit) {
            throw new IllegalArgumentException("private data of " + data.length + " bytes > " + limit
                + ": send less here and the rest over the connection");
        }
    }

    private static int range(String name, int value, int max) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException(name + " " + value + " is not in 0.." + max);
        }
        return value;
    }

    byte[] privateData() {
        return privateData;
    }

    int responderResources() {
        return responderResources;
    }

    int initiatorDepth() {
        return initiatorDepth;
    }

    int minRnrTimer() {
        return minRnrTimer;
    }

    long keepAliveNs() {
        return keepAliveNs;
    }

    PathMtu pathMtu() {
        return pathMtu;
    }

    int queueKey() {
        return queueKey;
    }

    int sourcePort() {
        return sourcePort;
    }

    PortSpace portSpace() {
        return portSpace;
    }

    int queuePairNumber() {
        return queuePairNumber;
    }

    int partitionKeyIndex() {
        return partitionKeyIndex;
    }
}
