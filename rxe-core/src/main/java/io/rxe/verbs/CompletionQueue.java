package io.rxe.verbs;

/**
 * Where completions arrive.
 *
 * <p>One thread at a time polls; any thread may arm.
 */
public interface CompletionQueue extends AutoCloseable {
    /** Completions it can hold: the power of two at or above what was asked for. */
    int capacity();

    /**
     * Takes completions, oldest first.
     *
     * @param completions filled from index 0; no entry may be null.
     * @return how many were filled; 0 when there are none.
     */
    int poll(WorkCompletion[] completions);

    /**
     * Takes one completion.
     *
     * @return false when there is none.
     */
    boolean poll(WorkCompletion completion);

    /**
     * Arms the queue: the next completion puts it on its channel, once. Completions that are already there do not count, so arm, then
     * poll, then wait.
     *
     * @param solicitedOnly only a receive whose sender asked for a solicited event, or an error, counts.
     * @throws IllegalStateException when the queue was made without a channel.
     */
    void requestNotification(boolean solicitedOnly);

    /** Whether completions were lost because the queue was full (rule R17). */
    boolean isOverrun();

    /** Queue pairs that still use it lose their completions, as after an overrun. May be called twice. */
    @Override
    void close();
}
