package io.rxe.verbs;

import java.util.EnumSet;
import java.util.Set;

/**
 * Attributes of a queue pair: what to change for {@link QueuePair#modify}, what is for {@link QueuePair#query}.
 *
 * <p>An object remembers which attributes were set; only those are changed. Not thread safe.
 */
public final class QueuePairAttributes {
    private final EnumSet<QueuePairAttribute> present = EnumSet.noneOf(QueuePairAttribute.class);
    private QueuePairState state;
    private int accessFlags;
    private int partitionKeyIndex;
    private int port = 1;
    private int queueKey;
    private AddressVector addressVector;
    private PathMtu pathMtu = PathMtu.MTU_1024;
    private int destinationQpn;
    private int receivePsn;
    private int maxDestRdAtomic;
    private int minRnrTimer;
    private int timeout;
    private int retryCount;
    private int rnrRetry;
    private int sendPsn;
    private int maxRdAtomic;
    private boolean drainedNotification;
    private boolean rxeRetryCompatibility;

    private QueuePairAttributes(QueuePairState state) {
        this.state = state;
    }

    /** Attributes that move a queue pair to a state. */
    public static QueuePairAttributes to(QueuePairState state) {
        return new QueuePairAttributes(state);
    }

    /** To INIT, with what the peer may do: {@link AccessFlags}. */
    public static QueuePairAttributes toInit(int accessFlags) {
        return to(QueuePairState.INIT).partitionKeyIndex(0).port(1).accessFlags(accessFlags);
    }

    /** To RTR, the usual way: 16 READs and atomics, min RNR timer code 12 (0.64 ms). */
    public static QueuePairAttributes toReadyToReceive(AddressVector peer, PathMtu mtu, int destinationQpn,
                                                       int receivePsn) {
        return to(QueuePairState.RTR).addressVector(peer).pathMtu(mtu).destinationQpn(destinationQpn).receivePsn(receivePsn)
            .maxDestRdAtomic(16).minRnrTimer(12);
    }

    /** To RTS, the usual way: timeout code 14 (67 ms), 7 retries, RNR retries without end, 16 READs and atomics. */
    public static QueuePairAttributes toReadyToSend(int sendPsn) {
        return to(QueuePairState.RTS).sendPsn(sendPsn).timeout(14).retryCount(7).rnrRetry(7).maxRdAtomic(16);
    }

    /** The state to go to, or the state now. */
    public QueuePairState state() {
        return state;
    }

    /** Attributes that were set. */
    public Set<QueuePairAttribute> present() {
        return present;
    }

    public boolean has(QueuePairAttribute attribute) {
        return present.contains(attribute);
    }

    /** What the peer may do on this queue pair: {@link AccessFlags}, remote ones. */
    public QueuePairAttributes accessFlags(int flags) {
        accessFlags = flags;
        return mark(QueuePairAttribute.ACCESS_FLAGS);
    }

    /** Index into the partition key table; only 0 exists, and is 0xFFFF. */
    public QueuePairAttributes partitionKeyIndex(int index) {
        partitionKeyIndex = index;
        return mark(QueuePairAttribute.PARTITION_KEY_INDEX);
    }

    /** Port of the device; only 1 exists. */
    public QueuePairAttributes port(int number) {
        port = number;
        return mark(QueuePairAttribute.PORT);
    }

    /** UD: the key datagrams must carry. */
    public QueuePairAttributes queueKey(int key) {
        queueKey = key;
        return mark(QueuePairAttribute.QUEUE_KEY);
    }

    /** Where the peer is. */
    public QueuePairAttributes addressVector(AddressVector vector) {
        addressVector = vector;
        return mark(QueuePairAttribute.ADDRESS_VECTOR);
    }

    /** Payload bytes of a full packet; both sides must use the same. */
    public QueuePairAttributes pathMtu(PathMtu mtu) {
        pathMtu = mtu;
        return mark(QueuePairAttribute.PATH_MTU);
    }

    /** Number of the peer's queue pair, 1 to 0xFFFFFF. */
    public QueuePairAttributes destinationQpn(int number) {
        destinationQpn = number;
        return mark(QueuePairAttribute.DESTINATION_QPN);
    }

    /** PSN of the first request the peer will send, 0 to 0xFFFFFF. */
    public QueuePairAttributes receivePsn(int psn) {
        receivePsn = psn;
        return mark(QueuePairAttribute.RECEIVE_PSN);
    }

    /** READs and atomics of the peer this side keeps in work, 0 to 128. */
    public QueuePairAttributes maxDestRdAtomic(int count) {
        maxDestRdAtomic = count;
        return mark(QueuePairAttribute.MAX_DEST_RD_ATOMIC);
    }

    /** Timer code 0 to 31 that the peer is told to wait when no receive request is posted (rule T7). */
    public QueuePairAttributes minRnrTimer(int code) {
        minRnrTimer = code;
        return mark(QueuePairAttribute.MIN_RNR_TIMER);
    }

    /** Local ACK timeout code 0 to 31: 4.096 us x 2^n; 0 = none (rules T1, T5). */
    public QueuePairAttributes timeout(int code) {
        timeout = code;
        return mark(QueuePairAttribute.TIMEOUT);
    }

    /** Retries after timeouts and sequence errors, 0 to 7 (rules T3, T6). */
    public QueuePairAttributes retryCount(int count) {
        retryCount = count;
        return mark(QueuePairAttribute.RETRY_COUNT);
    }

    /** Retries after RNR NAKs, 0 to 6, or 7 = without end (rule T6). */
    public QueuePairAttributes rnrRetry(int count) {
        rnrRetry = count;
        return mark(QueuePairAttribute.RNR_RETRY);
    }

    /** PSN of the first request this side sends, 0 to 0xFFFFFF. */
    public QueuePairAttributes sendPsn(int psn) {
        sendPsn = psn;
        return mark(QueuePairAttribute.SEND_PSN);
    }

    /** READs and atomics this side keeps outstanding, 0 to 128 (rule Q11). */
    public QueuePairAttributes maxRdAtomic(int count) {
        maxRdAtomic = count;
        return mark(QueuePairAttribute.MAX_RD_ATOMIC);
    }

    /** With SQD: whether to raise SQ_DRAINED (rule Q13). */
    public QueuePairAttributes drainedNotification(boolean on) {
        drainedNotification = on;
        return mark(QueuePairAttribute.DRAINED_NOTIFICATION);
    }

    /** Makes a retry count of 7 endless, as rdma_rxe has it; off unless set (rule T6). Allowed with RETRY_COUNT. */
    public QueuePairAttributes rxeRetryCompatibility(boolean on) {
        rxeRetryCompatibility = on;
        return this;
    }

    private QueuePairAttributes mark(QueuePairAttribute attribute) {
        present.add(attribute);
        return this;
    }

    public int accessFlags() {
        return accessFlags;
    }

    public int partitionKeyIndex() {
        return partitionKeyIndex;
    }

    public int port() {
        return port;
    }

    public int queueKey() {
        return queueKey;
    }

    /** The peer's address, or null before RTR. */
    public AddressVector addressVector() {
        return addressVector;
    }

    public PathMtu pathMtu() {
        return pathMtu;
    }

    public int destinationQpn() {
        return destinationQpn;
    }

    public int receivePsn() {
        return receivePsn;
    }

    public int maxDestRdAtomic() {
        return maxDestRdAtomic;
    }

    public int minRnrTimer() {
        return minRnrTimer;
    }

    public int timeout() {
        return timeout;
    }

    public int retryCount() {
        return retryCount;
    }

    public int rnrRetry() {
        return rnrRetry;
    }

    public int sendPsn() {
        return sendPsn;
    }

    public int maxRdAtomic() {
        return maxRdAtomic;
    }

    public boolean isDrainedNotification() {
        return drainedNotification;
    }

    public boolean isRxeRetryCompatibility() {
        return rxeRetryCompatibility;
    }

    /** Takes over state and every attribute that is set in another object. Used by the NIC. */
    public void merge(QueuePairAttributes other) {
        state = other.state;
        for (QueuePairAttribute attribute : other.present) {
            present.add(attribute);
            take(attribute, other);
        }
        if (other.has(QueuePairAttribute.RETRY_COUNT)) {
            rxeRetryCompatibility = other.rxeRetryCompatibility;
        }
    }

    private void take(QueuePairAttribute attribute, QueuePairAttributes other) {
        switch (attribute) {
            case ACCESS_FLAGS -> accessFlags = other.accessFlags;
            case PARTITION_KEY_INDEX -> partitionKeyIndex = other.partitionKeyIndex;
            case PORT -> port = other.port;
            case QUEUE_KEY -> queueKey = other.queueKey;
            case ADDRESS_VECTOR -> addressVector = other.addressVector;
            case PATH_MTU -> pathMtu = other.pathMtu;
            case DESTINATION_QPN -> destinationQpn = other.destinationQpn;
            case RECEIVE_PSN -> receivePsn = other.receivePsn;
            case MAX_DEST_RD_ATOMIC -> maxDestRdAtomic = other.maxDestRdAtomic;
            case MIN_RNR_TIMER -> minRnrTimer = other.minRnrTimer;
            case TIMEOUT -> timeout = other.timeout;
            case RETRY_COUNT -> retryCount = other.retryCount;
            case RNR_RETRY -> rnrRetry = other.rnrRetry;
            case SEND_PSN -> sendPsn = other.sendPsn;
            case MAX_RD_ATOMIC -> maxRdAtomic = other.maxRdAtomic;
            case DRAINED_NOTIFICATION -> drainedNotification = other.drainedNotification;
        }
    }
}
