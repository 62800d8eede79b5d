package io.rxe.verbs;

import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Attributes of a queue pair, to set with {@link QueuePair#modify} or returned by {@link QueuePair#query}; {@code ibv_qp_attr}.
 *
 * <p>The object records which attributes were set, and modify changes only those. The range of a value is checked by modify. Not thread
 * safe.
 */
public final class QueuePairAttributes {
    /** The least of {@link #keepAliveNs(long)} but 0: 1 ms. */
    public static final long MIN_KEEP_ALIVE_NS = 1_000_000;
    /** The most of {@link #keepAliveNs(long)}: 1 h. */
    public static final long MAX_KEEP_ALIVE_NS = 3_600_000_000_000L;

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
    private boolean endToEndCredits = true;
    private AlternatePath alternatePath;
    private PathMigrationState pathMigrationState = PathMigrationState.MIGRATED;
    private long keepAliveNs;

    private QueuePairAttributes(QueuePairState state) {
        this.state = state;
    }

    /** Returns attributes that move a queue pair to a state. */
    public static QueuePairAttributes to(QueuePairState state) {
        return new QueuePairAttributes(Objects.requireNonNull(state, "the state is null: name the one to go to"));
    }

    /** Returns attributes for the transition to INIT, with the access rights of the peer: {@link AccessFlags}. */
    public static QueuePairAttributes toInit(int accessFlags) {
        return to(QueuePairState.INIT).partitionKeyIndex(0).port(1).accessFlags(accessFlags);
    }

    /**
     * Returns attributes for the transition of a connected queue pair to RTR: max_dest_rd_atomic 16, min_rnr_timer code 12 (0.64 ms).
     *
     * @param destinationQpn number of the peer's queue pair, 1 to 0xFFFFFF.
     * @param receivePsn     PSN of the first request of the peer, 0 to 0xFFFFFF.
     */
    public static QueuePairAttributes toReadyToReceive(AddressVector peer, PathMtu mtu, int destinationQpn,
                                                       int receivePsn) {
        return to(QueuePairState.RTR).addressVector(peer).pathMtu(mtu).destinationQpn(destinationQpn).receivePsn(receivePsn)
            .maxDestRdAtomic(16).minRnrTimer(12);
    }

    /**
     * Returns attributes for the transition of a connected queue pair to RTS: timeout code 14 (67 ms), retry_cnt 7, rnr_retry 7
     * (unlimited), max_rd_atomic 16.
     *
     * @param sendPsn PSN of the first request of this side, 0 to 0xFFFFFF.
     */
    public static QueuePairAttributes toReadyToSend(int sendPsn) {
        return to(QueuePairState.RTS).sendPsn(sendPsn).timeout(14).retryCount(7).rnrRetry(7).maxRdAtomic(16);
    }

    /** The new state for modify, the current state from query. */
    public QueuePairState state() {
        return state;
    }

    /** The attributes that were set. */
    public Set<QueuePairAttribute> present() {
        return present;
    }

    public boolean has(QueuePairAttribute attribute) {
        return present.contains(attribute);
    }

    /** Access rights of the peer on this queue pair: the REMOTE flags of {@link AccessFlags}. */
    public QueuePairAttributes accessFlags(int flags) {
        accessFlags = flags;
        return mark(QueuePairAttribute.ACCESS_FLAGS);
    }

    /** Index of the P_Key in {@link Device#partitionKeys}, 0 for the first; checked by modify, which knows the table. */
    public QueuePairAttributes partitionKeyIndex(int index) {
        partitionKeyIndex = index;
        return mark(QueuePairAttribute.PARTITION_KEY_INDEX);
    }

    /** Port of the device that packets leave from, 1 to {@link Device#ports}; UD uses port 1. */
    public QueuePairAttributes port(int number) {
        port = number;
        return mark(QueuePairAttribute.PORT);
    }

    /** Queue key that received datagrams must carry (UD). */
    public QueuePairAttributes queueKey(int key) {
        queueKey = key;
        return mark(QueuePairAttribute.QUEUE_KEY);
    }

    /** Address of the peer (RC and UC). */
    public QueuePairAttributes addressVector(AddressVector vector) {
        addressVector = Objects.requireNonNull(vector, "the address vector is null: make one with AddressVector.to");
        return mark(QueuePairAttribute.ADDRESS_VECTOR);
    }

    /** Path MTU; both sides must use the same. */
    public QueuePairAttributes pathMtu(PathMtu mtu) {
        pathMtu = Objects.requireNonNull(mtu, "the path MTU is null: use the smaller port MTU of the two ports");
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

    /** READs and atomics of the peer that this side serves at once (responder resources), 0 to 128. */
    public QueuePairAttributes maxDestRdAtomic(int count) {
        maxDestRdAtomic = count;
        return mark(QueuePairAttribute.MAX_DEST_RD_ATOMIC);
    }

    /** Timer code of the RNR NAKs this side sends, 0 to 31: {@link io.rxe.wire.RnrTimer} (rule T7). */
    public QueuePairAttributes minRnrTimer(int code) {
        minRnrTimer = code;
        return mark(QueuePairAttribute.MIN_RNR_TIMER);
    }

    /** Local ACK timeout code, 0 to 31: 4.096 us x 2^n; 0 = no timeout (rules T1, T5). */
    public QueuePairAttributes timeout(int code) {
        timeout = code;
        return mark(QueuePairAttribute.TIMEOUT);
    }

    /** Retries after timeouts and PSN sequence errors, 0 to 7 (rules T3, T6). */
    public QueuePairAttributes retryCount(int count) {
        retryCount = count;
        return mark(QueuePairAttribute.RETRY_COUNT);
    }

    /** Retries after RNR NAKs: 0 to 6, or 7 = unlimited (rule T6). */
    public QueuePairAttributes rnrRetry(int count) {
        rnrRetry = count;
        return mark(QueuePairAttribute.RNR_RETRY);
    }

    /** PSN of the first request this side sends, 0 to 0xFFFFFF. */
    public QueuePairAttributes sendPsn(int psn) {
        sendPsn = psn;
        return mark(QueuePairAttribute.SEND_PSN);
    }

    /** Most READs and atomics this side has outstanding, 0 to 128 (rule Q11). */
    public QueuePairAttributes maxRdAtomic(int count) {
        maxRdAtomic = count;
        return mark(QueuePairAttribute.MAX_RD_ATOMIC);
    }

    /** Whether the transition to SQD raises SQ_DRAINED when nothing is outstanding any more (rule Q13). */
    public QueuePairAttributes drainedNotification(boolean on) {
        drainedNotification = on;
        return mark(QueuePairAttribute.DRAINED_NOTIFICATION);
    }

    /** Makes a retry count of 7 unlimited, as in rdma_rxe; off by default (rule T6). Takes effect together with RETRY_COUNT. */
    public QueuePairAttributes rxeRetryCompatibility(boolean on) {
        rxeRetryCompatibility = on;
        return this;
    }

    /**
     * Whether the credits in the acknowledgements of the peer are obeyed (rule Q15); on by default. Off for a peer whose connection
     * management said that it gives none. Takes effect together with SEND_PSN.
     */
    public QueuePairAttributes endToEndCredits(boolean on) {
        endToEndCredits = on;
        return this;
    }

    /**
     * The path to migrate to (RC and UC, rule M1). A migration makes it the primary path; load another one then. While ARMED, REARM must
     * be set with it.
     */
    public QueuePairAttributes alternatePath(AlternatePath path) {
        alternatePath = Objects.requireNonNull(path, "the alternate path is null: leave it out to keep what is loaded");
        return mark(QueuePairAttribute.ALTERNATE_PATH);
    }

    /** REARM, with an alternate path loaded before or with it; MIGRATED while ARMED migrates at once; ARMED is the NIC's to set. */
    public QueuePairAttributes pathMigrationState(PathMigrationState newState) {
        pathMigrationState = Objects.requireNonNull(newState, "the path migration state is null: use REARM or MIGRATED");
        return mark(QueuePairAttribute.PATH_MIGRATION_STATE);
    }

    /**
     * After which time the peer is asked whether it is still there, again and again, in nanoseconds: 1 ms to 1 h, or 0 = never, the
     * default (rule T11; RC). The question is a duplicate of what lies before the next request, which every responder acknowledges
     * and none executes, so it needs no access right and no receive request. Without an answer in 1 + retry_cnt transmissions, one local
     * ACK timeout apart, the queue pair goes to ERROR with QP_FATAL and is flushed. With timeout code 0, the transmissions are this time
     * apart. Nothing is sent if a request is outstanding at that moment, since its own timeout notices the same.
     *
     * <p>Nor is anything sent where the answer would be ambiguous: after 4,194,304 packets of READs and atomics without a SEND or WRITE
     * between; and before the first SEND or WRITE from PSN 0xFF0000 on. So begin below.
     */
    public QueuePairAttributes keepAliveNs(long ns) {
        keepAliveNs = ns;
        return mark(QueuePairAttribute.KEEP_ALIVE);
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

    /** Address of the peer; null before RTR. */
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

    public boolean isEndToEndCredits() {
        return endToEndCredits;
    }

    /** The path to migrate to; null when none is loaded, as after a migration. */
    public AlternatePath alternatePath() {
        return alternatePath;
    }

    public PathMigrationState pathMigrationState() {
        return pathMigrationState;
    }

    /** 0 = never. */
    public long keepAliveNs() {
        return keepAliveNs;
    }

    private Object value(QueuePairAttribute attribute) {
        return switch (attribute) {
            case ACCESS_FLAGS -> AccessFlags.describe(accessFlags);
            case PARTITION_KEY_INDEX -> partitionKeyIndex;
            case PORT -> port;
            case QUEUE_KEY -> hex(queueKey);
            case ADDRESS_VECTOR -> addressVector == null ? null : addressVector.destination() + " UDP port " + addressVector.udpPort();
            case PATH_MTU -> pathMtu == null ? null : pathMtu.bytes();
            case DESTINATION_QPN -> hex(destinationQpn);
            case RECEIVE_PSN -> hex(receivePsn);
            case MAX_DEST_RD_ATOMIC -> maxDestRdAtomic;
            case MIN_RNR_TIMER -> minRnrTimer;
            case TIMEOUT -> timeout;
            case RETRY_COUNT -> retryCount;
            case RNR_RETRY -> rnrRetry;
            case SEND_PSN -> hex(sendPsn);
            case MAX_RD_ATOMIC -> maxRdAtomic;
            case DRAINED_NOTIFICATION -> drainedNotification;
            case ALTERNATE_PATH -> alternatePath.addressVector().destination() + " from port " + alternatePath.port();
            case PATH_MIGRATION_STATE -> pathMigrationState;
            case KEEP_ALIVE -> keepAliveNs + " ns";
        };
    }

    private static String hex(int value) {
        return "0x" + Integer.toHexString(value);
    }

    @Override
    public String toString() {
        return state + present.stream().map(attribute -> ", " + attribute + " " + value(attribute)).collect(Collectors.joining());
    }

    /** Used by the NIC: copies the state, and every attribute set in {@code other}. */
    public void merge(QueuePairAttributes other) {
        state = other.state;
        for (QueuePairAttribute attribute : other.present) {
            present.add(attribute);
            take(attribute, other);
        }
        if (other.has(QueuePairAttribute.RETRY_COUNT)) {
            rxeRetryCompatibility = other.rxeRetryCompatibility;
        }
        if (other.has(QueuePairAttribute.SEND_PSN)) {
            endToEndCredits = other.endToEndCredits;
        }
    }

    /** Used by the NIC: the alternate path is the primary one from now on, and no other is loaded. */
    public void migrate() {
        addressVector = alternatePath.addressVector();
        port = alternatePath.port();
        timeout = alternatePath.timeout();
        partitionKeyIndex = alternatePath.partitionKeyIndex();
        forgetAlternatePath();
    }

    /** Used by the NIC: no alternate path is loaded, and none was. */
    public void forgetAlternatePath() {
        alternatePath = null;
        present.remove(QueuePairAttribute.ALTERNATE_PATH);
        pathMigrationState(PathMigrationState.MIGRATED);
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
            case ALTERNATE_PATH -> alternatePath = other.alternatePath;
            case PATH_MIGRATION_STATE -> pathMigrationState = other.pathMigrationState;
            case KEEP_ALIVE -> keepAliveNs = other.keepAliveNs;
        }
    }
}
