package io.rxe.verbs;

import io.rxe.wire.Gid;

/**
 * A queue pair; {@code ibv_qp}. Created by {@link ProtectionDomain#createQueuePair} and brought to RTS with {@link #modify}.
 *
 * <p>Any thread may call any method, and several may post at the same time, as in libibverbs: each request is queued once, those of one
 * thread in its order. After {@link #close} every method but the getters throws {@code IllegalStateException}.
 */
public interface QueuePair extends AutoCloseable {
    /** Queue pair number: 24 bits, random, fixed for its lifetime. */
    int number();

    QueuePairType type();

    /** The application's own object: {@link QueuePairConfig#withAttachment}; null when there is none. */
    Object attachment();

    /** Current state. Another thread or an error may change it at any time. */
    QueuePairState state();

    /**
     * Changes state and attributes; {@code ibv_modify_qp}. If it throws, nothing has changed. Waits for the engine.
     *
     * @param attributes the new state and the attributes to set.
     * @throws IllegalArgumentException when the transition does not exist, or an attribute is missing, not allowed in the transition, or
     *                                  out of range. The message states attribute, value and limit.
     * @throws IllegalStateException    when the queue pair is closed, or a queue it uses.
     */
    void modify(QueuePairAttributes attributes);

    /**
     * Returns a copy of the current state and attributes; {@code ibv_query_qp}. Waits for the engine.
     *
     * @throws IllegalStateException when the queue pair is closed.
     */
    QueuePairAttributes query();

    /** Returns what was granted at its creation, with {@link #query} what {@code ibv_query_qp} returns. Works after it was closed too. */
    QueuePairCapabilities capabilities();

    /**
     * Posts a request to the send queue and rings the doorbell; {@code ibv_post_send}.
     *
     * @param request copied, so it may be reused at once.
     * @return false when the send queue is full: poll the completion queue and try again.
     * @throws IllegalArgumentException when the request exceeds a limit of this queue pair, its transport lacks the operation, or a memory
     *                                  region of its elements is closed, of another protection domain, or lacks LOCAL_WRITE. The message
     *                                  states the value, the limit and the remedy.
     * @throws IllegalStateException    in RESET, INIT and RTR, and when the queue pair or its NIC is closed or failed.
     */
    boolean postSend(WorkRequest request);

    /**
     * Posts a request without ringing the doorbell, for batches: call {@link #ringDoorbell} after the last one. The engine may also send
     * and complete the request earlier, when it polls the queue pair for another reason.
     *
     * @param request copied, so it may be reused at once.
     * @return false when the send queue is full.
     * @throws IllegalArgumentException as {@link #postSend}.
     * @throws IllegalStateException    as {@link #postSend}.
     */
    boolean postSendDeferred(WorkRequest request);

    /**
     * Begins to post a list of requests that the caller fills in where the send queue keeps them. Other threads cannot post until the batch
     * is closed, so close it soon, in a try statement.
     *
     * @throws IllegalStateException when the queue pair is closed; in other states each post says whether it is refused.
     */
    RequestBatch<WorkRequest> beginSends();

    /**
     * Binds a memory window of type 1; {@code ibv_bind_mw}. Posts a BIND_MW to the send queue and rings the doorbell. From then on
     * {@link MemoryWindow#rKey} is the new key, which peers may use when the request has completed; the old key grants nothing any more.
     * If the request fails or is flushed, the old binding stays in force.
     *
     * @param request made with {@link WorkRequest#bindWindow(MemoryWindow, MemoryBinding)}; copied.
     * @return false when the send queue is full; then nothing has changed.
     * @throws IllegalArgumentException for another operation, for a window of type 2 or of another device, for access flags that no window
     *                                  of type 1 can have, and on a UD queue pair.
     * @throws IllegalStateException    in RESET, INIT and RTR.
     */
    boolean bindWindow(WorkRequest request);

    /** Notifies the engine of requests posted with {@link #postSendDeferred}. */
    void ringDoorbell();

    /**
     * Posts a request to the receive queue; {@code ibv_post_recv}.
     *
     * @param request copied, so it may be reused at once.
     * @return false when the receive queue is full.
     * @throws IllegalArgumentException when the request exceeds a limit of this queue pair, or a memory region of its elements is closed,
     *                                  of another protection domain, or lacks LOCAL_WRITE.
     * @throws IllegalStateException    in RESET, when the queue pair has a shared receive queue, and when the queue pair or its NIC is
     *                                  closed or failed.
     */
    boolean postReceive(ReceiveRequest request);

    /**
     * As {@link #beginSends}, for the receive queue.
     *
     * @throws IllegalStateException when the queue pair has no receive queue of its own, or is closed.
     */
    RequestBatch<ReceiveRequest> beginReceives();

    /**
     * Joins a multicast group (UD only): the queue pair receives datagrams sent to the group; {@code ibv_attach_mcast}. Waits
     * for the engines.
     *
     * @param group 224.0.0.0/4 mapped into a GID, or ff00::/8; of the address family of the port.
     * @throws IllegalArgumentException for other transports, for a unicast address, and for the other address family.
     * @throws IllegalStateException    when the queue pair is closed.
     */
    void attachMulticast(Gid group);

    /**
     * Leaves a multicast group; no effect when not joined. Waits for the engines.
     *
     * @return whether it was joined.
     */
    boolean detachMulticast(Gid group);

    /** Number of requests posted to the send queue and not yet completed. */
    int outstandingSends();

    /**
     * Moves the queue pair to ERROR and completes everything outstanding with WR_FLUSH_ERR, as {@code ib_drain_qp} of Linux does. When it
     * returns, the completions are in the completion queues, as far as these have room: poll them until they are empty, then close. Waits
     * for the engine's thread, never for the peer. Does nothing in RESET.
     *
     * @throws IllegalStateException when the queue pair is closed.
     */
    void drain();

    /**
     * Destroys the queue pair: its packets are dropped, and its outstanding requests get no completion any more; {@link #drain} first where
     * they matter. What was posted in RTS begins to leave before, as far as windows and the socket have room; so it does before a
     * {@link #modify} to ERROR or RESET. Waits for the engine. Idempotent.
     */
    @Override
    void close();
}
