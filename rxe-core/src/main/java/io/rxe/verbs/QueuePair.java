package io.rxe.verbs;

import io.rxe.wire.Gid;

/**
 * A queue pair. Made by {@link ProtectionDomain#createQueuePair}, brought to RTS with {@link #modify}.
 *
 * <p>One thread at a time posts sends, one posts receives; the rest is callable from any thread.
 */
public interface QueuePair extends AutoCloseable {
    /** Its number, 24 bits, random. */
    int number();

    QueuePairType type();

    /** The state now; another thread or the peer may change it at any time. */
    QueuePairState state();

    /**
     * Changes state and attributes, all or nothing.
     *
     * @param attributes which state to go to and what to set.
     * @throws IllegalArgumentException when the transition does not exist, lacks an attribute, has one too many, or one is out of
     *                                  range: the message names it, its value and the limit.
     */
    void modify(QueuePairAttributes attributes);

    /** Attributes as they are now. */
    QueuePairAttributes query();

    /**
     * Posts a request to the send queue and rings the doorbell.
     *
     * @param request copied; may be used again at once.
     * @return false when the queue is full: poll the completion queue and try again.
     * @throws IllegalArgumentException when the request breaks a limit of this queue pair.
     * @throws IllegalStateException    in RESET, INIT and RTR.
     */
    boolean postSend(WorkRequest request);

    /**
     * Posts without ringing the doorbell; {@link #ringDoorbell} does. For batches. An engine that looks for another reason may find
     * the request, and complete it, before the doorbell is rung.
     *
     * @param request copied; may be used again at once.
     * @return false when the queue is full.
     */
    boolean postSendQuietly(WorkRequest request);

    /** Tells the engine of everything posted quietly. */
    void ringDoorbell();

    /**
     * Posts a request to the receive queue.
     *
     * @param request copied; may be used again at once.
     * @return false when the queue is full.
     * @throws IllegalArgumentException when the request breaks a limit of this queue pair.
     * @throws IllegalStateException    in RESET.
     */
    boolean postReceive(ReceiveRequest request);

    /**
     * Joins a multicast group (UD): datagrams to the group arrive here too.
     *
     * @param group an IPv4 multicast address mapped into a GID, or an IPv6 one.
     * @throws IllegalArgumentException on other transports, and for an address that is no group.
     */
    void attachMulticast(Gid group);

    /** Leaves a group; harmless when not in it. */
    void detachMulticast(Gid group);

    /** Sends posted and not yet completed. */
    int outstandingSends();

    /** Destroys it: packets for it are dropped from now on, nothing more completes. May be called twice. */
    @Override
    void close();
}
