package io.rxe.verbs;

/**
 * Posts requests that the caller writes where the queue keeps them, without a copy: what a list of {@code ibv_send_wr} or
 * {@code ibv_recv_wr} is for. Made by {@link QueuePair#beginSends}, {@link QueuePair#beginReceives} and
 * {@link SharedReceiveQueue#beginReceives}.
 *
 * <p>Owned by the thread that began it, until {@link #close}; other calls of that thread that post to the queue, and those of another
 * thread to the batch, throw IllegalStateException. Other threads that post to the queue spin so long: fill in and post requests meanwhile,
 * wait for nothing, and call no verb.
 *
 * @param <R> {@link WorkRequest} or {@link ReceiveRequest}.
 */
public interface RequestBatch<R> extends AutoCloseable {
    /** Returns the request to fill in, cleared. It belongs to the queue from {@link #post} or {@link #close} on. */
    R next();

    /**
     * Posts what {@link #next} returned, which leaves when the batch is closed. When this throws, nothing is posted and the batch goes on.
     *
     * @return false when the queue is full.
     * @throws IllegalArgumentException as {@link QueuePair#postSend} and {@link QueuePair#postReceive}.
     * @throws IllegalStateException    as they do.
     */
    boolean post();

    /**
     * Takes back all that the batch has posted so far: nothing of it has left. The batch goes on.
     *
     * @throws IllegalStateException for a batch that is closed or another thread's.
     */
    void withdraw();

    /** Ends the batch and rings the doorbell for what it posted. A batch that has ended stays so. */
    @Override
    void close();
}
