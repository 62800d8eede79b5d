package io.rxe.verbs;

/**
 * An event of a resource that no completion reports; {@code ibv_async_event}. Received with {@link Device#pollAsyncEvent}.
 *
 * @param type        what happened.
 * @param queuePair   the affected queue pair, or null.
 * @param completionQueue the affected completion queue, or null.
 * @param sharedReceiveQueue the affected shared receive queue, or null.
 * @param explanation the cause, in a sentence; empty when the type says it all.
 */
public record AsyncEvent(Type type, QueuePair queuePair, CompletionQueue completionQueue, SharedReceiveQueue sharedReceiveQueue,
                         String explanation) {
    /** Kinds of events; names of {@code ibv_event_type}. */
    public enum Type {
        /** A completion queue was full when a completion had to be added; the queue pairs that use it fail (rule R17). */
        CQ_ERR,
        /** A queue pair failed because of an error on this side that no completion reports. */
        QP_FATAL,
        /**
         * The peer sent a malformed or forbidden request while no receive request was in use; or two different requests claimed one PSN, so
         * that one of them is forged.
         */
        QP_REQ_ERR,
        /** The peer sent a request with wrong rights, or too many READs and atomics, while no receive request was in use. */
        QP_ACCESS_ERR,
        /** The first packet arrived on a queue pair in RTR. */
        COMM_EST,
        /** A queue pair in SQD has no request outstanding any more. */
        SQ_DRAINED,
        /** The queue pair migrated: its alternate path is the primary one now, and none is loaded (rule M1). */
        PATH_MIG,
        /** The peer migrated to a path that is not the alternate path of this queue pair, which stays where it is (rule M1). */
        PATH_MIG_ERR,
        /** A queue pair with a shared receive queue is in ERROR and takes no further receive request. */
        QP_LAST_WQE_REACHED,
        /** A shared receive queue failed. */
        SRQ_ERR,
        /** A shared receive queue fell below its limit. */
        SRQ_LIMIT_REACHED,
        /** A port is active again: its interface came up. */
        PORT_ACTIVE,
        /** A port is down: its interface went down, or is gone. Queue pairs stay as they are; what they send is lost meanwhile. */
        PORT_ERR,
        /** The LID of a port changed. RoCE has none: only a fault made on purpose raises it, as those that follow. */
        LID_CHANGE,
        /** The P_Key table of a port changed. */
        PKEY_CHANGE,
        /** A port has another subnet manager. */
        SM_CHANGE,
        /** The subnet manager asks the clients of a port to register again. */
        CLIENT_REREGISTER,
        /** The GID table of a port changed. */
        GID_CHANGE,
        /** The device failed. */
        DEVICE_FATAL
    }
}
