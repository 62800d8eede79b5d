package io.rxe.verbs;

/**
 * A queue of completions; {@code ibv_cq}. Created by {@link Device#createCompletionQueue}.
 *
 * <p>One thread at a time polls. Any thread may call the other methods.
 */
public interface CompletionQueue extends AutoCloseable {
    /** Completions it can hold, for each engine of the device: the requested number rounded up to a power of two. */
    int capacity();

    /**
     * Takes completions. Those of one queue pair come in order, oldest first; never blocks.
     *
     * @param completions filled from index 0; no entry may be null.
     * @return number of completions filled in; 0 when there are none.
     */
    int poll(WorkCompletion[] completions);

    /**
     * Takes one completion; never blocks.
     *
     * @return false when there is none; {@code completion} is then unchanged.
     */
    boolean poll(WorkCompletion completion);

    /**
     * Arms the queue; {@code ibv_req_notify_cq}. The next completion notifies the channel, once. Completions already in the queue do
     * not, so arm, then poll, then wait.
     *
     * @param solicitedOnly whether only errors and receives with the solicited event bit notify the channel.
     * @throws IllegalStateException when the queue has no channel.
     */
    void requestNotification(boolean solicitedOnly);

    /** Whether a completion was lost because the queue was full (rule R17). */
    boolean isOverrun();

    /** Closes the queue. Queue pairs that still use it lose their completions, as after an overrun. Idempotent. */
    @Override
    void close();
}
