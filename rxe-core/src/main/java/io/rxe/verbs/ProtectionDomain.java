package io.rxe.verbs;

import java.nio.ByteBuffer;

/**
 * Ties queue pairs to the memory they may use: a key of another domain is refused.
 *
 * <p>Callable from any thread.
 */
public interface ProtectionDomain extends AutoCloseable {
    /** Base address to pass for a region that starts at the address its buffer has in this process. */
    long OWN_ADDRESS = -1;

    /**
     * Registers a direct buffer, addressed as this process sees it.
     *
     * @param buffer direct or mapped; from position to limit. The region keeps it reachable until it is closed.
     * @param access {@link AccessFlags}, combined.
     * @throws IllegalArgumentException for a heap buffer, a read-only one with LOCAL_WRITE, or wrong flags.
     */
    default MemoryRegion register(ByteBuffer buffer, int access) {
        return register(access, OWN_ADDRESS, buffer);
    }

    /**
     * Registers one or more direct buffers as one region of consecutive addresses, so that it may be longer than a single buffer.
     *
     * @param access      {@link AccessFlags}, combined.
     * @param baseAddress address of the first byte as peers and scatter/gather lists name it: 0 for a zero-based region, or
     *                    {@link #OWN_ADDRESS}.
     * @param buffers     direct or mapped, each from position to limit.
     */
    MemoryRegion register(int access, long baseAddress, ByteBuffer... buffers);

    /**
     * Makes a queue pair in state RESET.
     *
     * @throws IllegalArgumentException for a capacity beyond the device's limits.
     */
    QueuePair createQueuePair(QueuePairConfig config);

    /**
     * Makes a receive queue for several queue pairs.
     *
     * @param minimumCapacity requests it must hold, 1 to 32768.
     * @param maxElements     longest scatter/gather list, 1 to 32.
     */
    SharedReceiveQueue createSharedReceiveQueue(int minimumCapacity, int maxElements);

    /**
     * Makes an address handle for datagrams.
     *
     * @throws IllegalArgumentException when the address is of another family than the port's.
     */
    AddressHandle createAddressHandle(AddressVector vector);

    /** Closes the domain with every queue pair and region still in it. May be called twice. */
    @Override
    void close();
}
