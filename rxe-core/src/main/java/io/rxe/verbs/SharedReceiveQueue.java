package io.rxe.verbs;

/**
 * A receive queue that several queue pairs take from. Made by {@link ProtectionDomain#createSharedReceiveQueue}.
 *
 * <p>Callable from any thread.
 */
public interface SharedReceiveQueue extends AutoCloseable {
    /** Requests it can hold: a power of two. */
    int capacity();

    /**
     * Posts a request; any of the queue pairs may take it.
     *
     * @param request copied; may be used again at once.
     * @return false when the queue is full.
     * @throws IllegalArgumentException when its scatter/gather list is longer than the queue was made for.
     */
    boolean postReceive(ReceiveRequest request);

    /**
     * Arms the limit: when a message leaves fewer requests than this behind, SRQ_LIMIT_REACHED is raised once and the limit is gone.
     *
     * @param requests 1 to the capacity, or 0 to disarm.
     */
    void armLimit(int requests);

    /** The limit that is armed, or 0. */
    int limit();

    /**
     * Changes the capacity; requests that are queued stay.
     *
     * @param minimumCapacity at least what is queued now; rounded up to a power of two.
     */
    void resize(int minimumCapacity);

    /** Requests queued now. */
    int size();

    /** Queue pairs that still use it find it empty. May be called twice. */
    @Override
    void close();
}
