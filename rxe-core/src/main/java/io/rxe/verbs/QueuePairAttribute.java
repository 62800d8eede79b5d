package io.rxe.verbs;

/** Names of the attributes {@link QueuePair#modify} can set; those of {@code ibv_qp_attr_mask}. */
public enum QueuePairAttribute {
    /** {@link AccessFlags} the peer gets on this queue pair. */
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
    DRAINED_NOTIFICATION
}
