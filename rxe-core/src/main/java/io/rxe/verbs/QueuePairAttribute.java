package io.rxe.verbs;

/** Attributes that {@link QueuePair#modify} can set; those of {@code ibv_qp_attr_mask}. Values: {@link QueuePairAttributes}. */
public enum QueuePairAttribute {
    /** Access rights of the peer on this queue pair: {@link AccessFlags}. */
    ACCESS_FLAGS,
    PARTITION_KEY_INDEX,
    PORT,
    QUEUE_KEY,
    ADDRESS_VECTOR,
    PATH_MTU,
    DESTINATION_QPN,
    RECEIVE_PSN,
    MAX_DEST_RD_ATOMIC,
    MIN_RNR_TIMER,
    TIMEOUT,
    RETRY_COUNT,
    RNR_RETRY,
    SEND_PSN,
    MAX_RD_ATOMIC,
    DRAINED_NOTIFICATION,
    ALTERNATE_PATH,
    PATH_MIGRATION_STATE,
    /** No attribute of libibverbs: see {@link QueuePairAttributes#keepAliveNs(long)}. */
    KEEP_ALIVE
}
