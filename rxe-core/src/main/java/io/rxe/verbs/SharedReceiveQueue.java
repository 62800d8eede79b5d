package io.rxe.verbs;

/**
 * A receive queue shared by several queue pairs; {@code ibv_srq}. Created by {@link ProtectionDomain#createSharedReceiveQueue}.
 *
 * <p>Any thread may call, and several may post at the same time.
 */
public interface SharedReceiveQueue extends AutoCloseable {
    /** Number by which XRC requests name it, 1 to 0xFFFFFF, {@code ibv_get_srq_num}; 0 for a queue without an XRC domain. */
    int number();

    /** Number of requests it can hold: a power of two. */
    int capacity();

    /**
     * Posts a request, which any of the queue pairs may use; {@code ibv_post_srq_recv}.
     *
     * @param request copied, so it may be reused at once.
     * @return false when the queue is full.
     * @throws IllegalArgumentException when the request has more scatter/gather elements than the queue was created for, or a memory region
     *                                  of its elements is closed, of another protection domain, or lacks LOCAL_WRITE.
     * @throws IllegalStateException    when the queue or its NIC is closed, or the NIC failed.
     */
    boolean postReceive(ReceiveRequest request);

    /**
     * Begins to post a list of requests that the caller fills in where the queue keeps them, as {@link QueuePair#beginReceives}.
     *
     * @throws IllegalStateException when the queue is closed.
     */
    RequestBatch<ReceiveRequest> beginReceives();

    /**
     * Arms the limit ({@code srq_limit}). When fewer requests than the limit are left, SRQ_LIMIT_REACHED is raised once and the limit is
     * disarmed.
     *
     * @param requests 1 to the capacity; 0 disarms.
     * @throws IllegalArgumentException for a value out of range.
     * @throws IllegalStateException    when the queue is closed.
     */
    void armLimit(int requests);

    /** The armed limit; 0 = none. */
    int limit();

    /**
     * Changes the capacity; queued requests stay queued. Waits for the engine.
     *
     * @param minimumCapacity 1 to 32768, and at least the number of queued requests and the armed limit; rounded up to a power of two.
     * @throws IllegalArgumentException for a value out of range.
     * @throws IllegalStateException    when the queue is closed.
     */
    void resize(int minimumCapacity);

    /** Returns size, elements and limit as they are now; {@code ibv_query_srq}. Works after it was closed too. */
    SharedReceiveQueueAttributes query();

    /** Number of requests queued. */
    int size();

    /**
     * Closes the queue and discards its requests. Queue pairs that still use it go to ERROR, with QP_FATAL. Where {@code ibv_destroy_srq}
     * returns EBUSY, this works, so that resources can be closed in any order. Waits for the engine. Idempotent.
     */
    @Override
    void close();
}
