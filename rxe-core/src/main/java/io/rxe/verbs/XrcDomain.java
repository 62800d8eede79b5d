package io.rxe.verbs;

/**
 * Groups XRC shared receive queues with the XRC_RECV queue pairs that receive for them; {@code ibv_xrcd}. Opened by
 * {@link Device#openXrcDomain}.
 *
 * <pre>{@code
 *   peer                                   this NIC
 *   XRC_SEND queue pair ---- requests ---> XRC_RECV queue pair ---> shared receive queue 1 ---> its completion queue
 *      each names a queue   <- responses -   of the XRC domain  \--> shared receive queue 2 ---> its completion queue
 * }</pre>
 *
 * <p>With RC, n processes that talk to n others need a queue pair for each pair of processes. Here one connection to a node serves all
 * queues of its XRC domain. All queue pairs and queues of an XRC domain run on one engine.
 *
 * <p>Any thread may call.
 */
public interface XrcDomain extends AutoCloseable {
    /** As {@link #createQueuePair(Object)}, without an attachment. */
    default QueuePair createQueuePair() {
        return createQueuePair(null);
    }

    /**
     * Creates an XRC_RECV queue pair in state RESET; {@code ibv_create_qp_ex}. Nothing can be posted to it. It belongs to no protection
     * domain: a request may use the memory of the domain of the shared receive queue it names. With a change to RTR it needs the
     * attributes of a responder, with one to RTS TIMEOUT and SEND_PSN. Waits for the engine.
     *
     * @param attachment any object of the application, to be found from completions and events; or null.
     * @throws IllegalStateException when the XRC domain is closed.
     */
    QueuePair createQueuePair(Object attachment);

    /** Closes the XRC domain with its queue pairs and shared receive queues. Waits for the engine. Idempotent. */
    @Override
    void close();
}
