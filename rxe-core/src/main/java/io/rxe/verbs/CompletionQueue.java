package io.rxe.verbs;

/**
 * A queue of completions; {@code ibv_cq}. Created by {@link Device#createCompletionQueue}.
 *
 * <p>Any thread may call any method, and several may poll at the same time, as in libibverbs: each completion is taken once.
 *
 * <p>Where the NIC was opened so ({@code RxeNicOptions.withProgress}), a thread that polls an empty queue drives the engines for one
 * bounded iteration, and listeners may run within the poll. They never make the poll throw.
 */
public interface CompletionQueue extends AutoCloseable {
    /** Completions it can hold, for each engine of the device: the requested number rounded up to a power of two. */
    int capacity();

    /**
     * Changes the capacity; {@code ibv_resize_cq}. Safe while completions arrive and while another thread polls: none is lost or comes out
     * of order. Those that wait are kept beside the new capacity until they are polled. Waits for the engines. If it throws, nothing has
     * changed.
     *
     * @param minimumCapacity completions it must hold, 1 to 4194304; rounded up to a power of two.
     * @throws IllegalArgumentException for a capacity out of range, and for one that is too small for the completions that wait now.
     * @throws IllegalStateException    when the queue is closed.
     */
    void resize(int minimumCapacity);

    /**
     * Takes completions. Those of one queue pair come in order, oldest first; never blocks.
     *
     * @param completions filled from index 0 to the first null; the entry at index 0 must not be null.
     * @return number of completions filled in; 0 when there are none.
     * @throws IllegalStateException when there are none and never will be: the queue or its NIC is closed, or the NIC failed.
     */
    int poll(WorkCompletion[] completions);

    /**
     * Takes one completion; never blocks.
     *
     * @return false when there is none; {@code completion} is then unchanged.
     * @throws IllegalStateException when there is none and never will be: the queue or its NIC is closed, or the NIC failed.
     */
    boolean poll(WorkCompletion completion);

    /**
     * Arms the queue; {@code ibv_req_notify_cq}. The next completion notifies the channel, once. Completions already in the queue do
     * not, so arm, then poll, then wait.
     *
     * @param solicitedOnly whether only errors and receives with the solicited event bit notify the channel.
     * @throws IllegalStateException when the queue has no channel, or is closed.
     */
    void requestNotification(boolean solicitedOnly);

    /** Whether a completion was lost because the queue was full (rule R17). */
    boolean isOverrun();

    /**
     * Closes the queue; what is in it can still be polled. Queue pairs that still use it go to ERROR, with QP_FATAL, and their further
     * completions are lost. Where {@code ibv_destroy_cq} returns EBUSY, this works, so that resources can be closed in any order.
     * Waits for the engines of those queue pairs. Idempotent.
     */
    @Override
    void close();
}
