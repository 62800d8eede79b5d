package io.rxe.cm;

import io.rxe.verbs.PathMtu;

/**
 * What one side wants of a connection; {@code rdma_conn_param} and the options of an rdma_cm ID.
 *
 * <p>Not thread safe; read during the call it is given to.
 */
public final class ConnectParameters {
    /** The queue key datagram services of rdma_cm use unless told otherwise. */
    public static final int DEFAULT_QUEUE_KEY = 0x0123_4567;
    /** No limit of time beside the retries. */
    public static final long NO_TIMEOUT = Long.MAX_VALUE;

    private byte[] privateData = new byte[0];
    private int responderResources = 16;
    private int initiatorDepth = 16;
    private int retryCount = 7;
    private int rnrRetry = 7;
    private int minRnrTimer = 12;
    private int ackTimeoutCode;
    private PathMtu pathMtu;
    private int queueKey = DEFAULT_QUEUE_KEY;
    private int sourcePort;
    private int queuePairNumber;
    private boolean sharedReceiveQueue;
    private long timeoutNs = NO_TIMEOUT;

    /** Bytes for the peer's application: at most 56 to connect, 180 to resolve, 196 to accept, 136 to answer a resolution. */
    public ConnectParameters privateData(byte[] data) {
        privateData = data.clone();
        return this;
    }

    /** READs and atomics of the peer this side will serve at once, 0 to 128; 16 unless set. */
    public ConnectParameters responderResources(int count) {
        responderResources = range("responderResources", count, 128);
        return this;
    }

    /** READs and atomics this side wants to have outstanding, 0 to 128; 16 unless set. The peer may grant fewer. */
    public ConnectParameters initiatorDepth(int count) {
        initiatorDepth = range("initiatorDepth", count, 128);
        return this;
    }

    /** Retries of the transport, 0 to 7, for both sides; only the connecting side's counts. 7 unless set. */
    public ConnectParameters retryCount(int count) {
        retryCount = range("retryCount", count, 7);
        return this;
    }

    /** RNR retries the <em>peer</em> shall make, 0 to 6, or 7 = without end; 7 unless set. */
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
     * Transport timer code for both sides, 1 to 31, or 0 = derived from packet life time and ACK delay (rule T10). A peer with a long
     * ACK delay makes this side's timer longer than that.
     */
    public ConnectParameters ackTimeoutCode(int code) {
        ackTimeoutCode = range("ackTimeoutCode", code, 31);
        return this;
    }

    /** Path MTU for both sides; that of the port unless set. Only the connecting side's counts. */
    public ConnectParameters pathMtu(PathMtu mtu) {
        pathMtu = mtu;
        return this;
    }

    /** Queue key of a datagram service, when it is answered. */
    public ConnectParameters queueKey(int key) {
        queueKey = key;
        return this;
    }

    /** Port the peer is told we come from, 1 to 65535, or 0 = a random one. */
    public ConnectParameters sourcePort(int port) {
        sourcePort = range("sourcePort", port, 65535);
        return this;
    }

    /** Number of the queue pair when the application drives it itself and gives none to the call. */
    public ConnectParameters queuePairNumber(int number) {
        queuePairNumber = range("queuePairNumber", number, 0xFF_FFFF);
        return this;
    }

    /** Tells the peer that receives come from a shared queue. */
    public ConnectParameters sharedReceiveQueue(boolean on) {
        sharedReceiveQueue = on;
        return this;
    }

    /** Longest time to wait for the peer, in nanoseconds from the first message; without it the retries decide, 98 s. */
    public ConnectParameters timeoutNs(long ns) {
        if (ns < 1) {
            throw new IllegalArgumentException("timeoutNs " + ns + " < 1: give nanoseconds, or leave it out");
        }
        timeoutNs = ns;
        return this;
    }

    ConnectParameters copy() {
        ConnectParameters copy = new ConnectParameters();
        copy.privateData = privateData;
        copy.responderResources = responderResources;
        copy.initiatorDepth = initiatorDepth;
        copy.retryCount = retryCount;
        copy.rnrRetry = rnrRetry;
        copy.minRnrTimer = minRnrTimer;
        copy.ackTimeoutCode = ackTimeoutCode;
        copy.pathMtu = pathMtu;
        copy.queueKey = queueKey;
        copy.sourcePort = sourcePort;
        copy.queuePairNumber = queuePairNumber;
        copy.sharedReceiveQueue = sharedReceiveQueue;
        copy.timeoutNs = timeoutNs;
        return copy;
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

    int retryCount() {
        return retryCount;
    }

    int rnrRetry() {
        return rnrRetry;
    }

    int minRnrTimer() {
        return minRnrTimer;
    }

    int ackTimeoutCode() {
        return ackTimeoutCode;
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

    int queuePairNumber() {
        return queuePairNumber;
    }

    boolean isSharedReceiveQueue() {
        return sharedReceiveQueue;
    }

    long timeoutNs() {
        return timeoutNs;
    }
}
