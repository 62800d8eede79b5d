package io.rxe.verbs;

/**
 * Something that happened to a resource and belongs to no work request.
 *
 * @param type        what happened.
 * @param queuePair   the queue pair concerned, or null.
 * @param completionQueue the completion queue concerned, or null.
 * @param sharedReceiveQueue the shared receive queue concerned, or null.
 * @param explanation what led to it, in a sentence; empty when the type says all.
 */
public record AsyncEvent(Type type, QueuePair queuePair, CompletionQueue completionQueue, SharedReceiveQueue sharedReceiveQueue,
                         String explanation) {
    /** Kinds of events; names of {@code ibv_event_type}. */
    public enum Type {
        /** A completion queue was full when a completion had to be added. */
        CQ_ERR,
        /** A queue pair failed on its own side; what failed is in a completion, or could not be reported in one. */
        QP_FATAL,
        /** The peer sent a malformed or forbidden request while no receive request was in use. */
        QP_REQ_ERR,
        /** The peer sent a request with wrong rights, or too many READs and atomics, while no receive request was in use. */
        QP_ACCESS_ERR,
        /** The first packet arrived on a queue pair in RTR. */
        COMM_EST,
        /** A queue pair in SQD has nothing outstanding any more. */
        SQ_DRAINED,
        /** The alternate path took over. */
        PATH_MIG,
        /** The alternate path could not take over. */
        PATH_MIG_ERR,
        /** A queue pair with a shared receive queue went to ERROR and took its last request. */
        QP_LAST_WQE_REACHED,
        /** A shared receive queue failed. */
        SRQ_ERR,
        /** A shared receive queue fell below its limit. */
        SRQ_LIMIT_REACHED,
        /** The port can be used. */
        PORT_ACTIVE,
        /** The port cannot be used any more. */
        PORT_ERR,
        /** The device failed. */
        DEVICE_FATAL
    }
}
