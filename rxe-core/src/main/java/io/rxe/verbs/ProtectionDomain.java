package io.rxe.verbs;

import java.nio.ByteBuffer;

/**
 * Groups queue pairs with the memory they may use; {@code ibv_pd}. A request with a key of another domain fails. Created by
 * {@link Device#allocateProtectionDomain}.
 *
 * <p>Any thread may call.
 */
public interface ProtectionDomain extends AutoCloseable {
    /** Base address that stands for the address of the first buffer in this process. */
    long OWN_ADDRESS = -1;

    /**
     * Registers a direct buffer under its address in this process; {@code ibv_reg_mr}. Close the region before memory is freed by hand
     * ({@code Unsafe.invokeCleaner}, a released Netty buffer): a packet for freed memory crashes the JVM.
     *
     * @param buffer direct or mapped; from position to limit. The region keeps it reachable until the region is closed.
     * @param access {@link AccessFlags}, combined with {@code |}.
     * @throws IllegalArgumentException for a heap buffer, a buffer of an arena that can be closed (JDK 22 and later), a read-only one with
     *                                  LOCAL_WRITE, and flags that do not fit together.
     * @throws IllegalStateException    when the domain is closed.
     */
    default MemoryRegion register(ByteBuffer buffer, int access) {
        return register(access, OWN_ADDRESS, buffer);
    }

    /**
     * Registers one or more direct buffers as one region of consecutive addresses. A region of several buffers may be longer than a
     * single buffer can be.
     *
     * @param access      {@link AccessFlags}, combined with {@code |}.
     * @param baseAddress address of the first byte, used by peers and in scatter/gather lists: 0 for a zero-based region, any other
     *                    value, or {@link #OWN_ADDRESS}.
     * @param buffers     at least one; direct or mapped, each from position to limit. Reachable until the region is closed.
     * @throws IllegalArgumentException for a heap buffer, a buffer of an arena that can be closed (JDK 22 and later), a read-only one with
     *                                  LOCAL_WRITE, flags that do not fit together, and, with REMOTE_ATOMIC, buffers that are not
     *                                  aligned to 8 bytes as their addresses in the region are.
     * @throws IllegalStateException    when the domain is closed.
     */
    MemoryRegion register(int access, long baseAddress, ByteBuffer... buffers);

    /**
     * Registers memory of a native program by its address, for those who run a NIC inside one. It need not be there: nothing is pinned, and
     * a request that meets a page that is unmapped or protected fails alone. The region has no {@link MemoryRegion#buffer}.
     *
     * @param access      {@link AccessFlags}, combined with {@code |}.
     * @param baseAddress as above.
     * @throws IllegalArgumentException for flags that do not fit together, and, with REMOTE_ATOMIC, memory that is not aligned to 8 bytes
     *                                  as its addresses in the region are.
     * @throws IllegalStateException    when the domain is closed.
     */
    default MemoryRegion register(int access, long baseAddress, ProcessMemory memory) {
        throw new UnsupportedOperationException("this device registers buffers only");
    }

    /**
     * Allocates a region for fast registration, in state free; {@code ib_alloc_mr} of the kernel verbs.
     *
     * @param maxBuffers most buffers of a registration, 1 to 512.
     * @throws IllegalArgumentException for a value out of range.
     * @throws IllegalStateException    when the domain is closed.
     */
    AllocatedRegion allocateRegion(int maxBuffers);

    /**
     * Allocates a memory window, in state free; {@code ibv_alloc_mw}.
     *
     * @throws IllegalStateException when the domain is closed.
     */
    MemoryWindow allocateWindow(MemoryWindowType type);

    /**
     * Creates a queue pair in state RESET; {@code ibv_create_qp}. Waits for the engine.
     *
     * @throws IllegalArgumentException for an XRC_RECV queue pair, which {@link XrcDomain#createQueuePair} creates, and when a completion
     *                                  queue belongs to another device, or the shared receive queue to another domain.
     * @throws IllegalStateException    when the domain or a queue is closed.
     */
    QueuePair createQueuePair(QueuePairConfig config);

    /**
     * Creates a receive queue for several queue pairs; {@code ibv_create_srq}. All queue pairs that use it run on the same engine.
     *
     * @param minimumCapacity requests it must hold, 1 to 32768; rounded up to a power of two.
     * @param maxElements     most scatter/gather elements of a request, 1 to 32.
     * @throws IllegalArgumentException for a value out of range.
     * @throws IllegalStateException    when the domain is closed.
     */
    SharedReceiveQueue createSharedReceiveQueue(int minimumCapacity, int maxElements);

    /**
     * Creates a receive queue for the XRC_RECV queue pairs of an XRC domain; {@code ibv_create_srq_ex} with {@code IBV_SRQT_XRC}.
     * Waits for the engine.
     *
     * @param completionQueue gets the completions of all its receives; they carry the number of the XRC_RECV queue pair.
     * @param minimumCapacity requests it must hold, 1 to 32768; rounded up to a power of two.
     * @param maxElements     most scatter/gather elements of a request, 1 to 32.
     * @throws IllegalArgumentException for a value out of range, and an XRC domain or completion queue of another device.
     * @throws IllegalStateException    when a domain or the completion queue is closed.
     */
    SharedReceiveQueue createSharedReceiveQueue(XrcDomain xrcDomain, CompletionQueue completionQueue, int minimumCapacity,
                                                int maxElements);

    /**
     * Creates an address handle for datagrams; {@code ibv_create_ah}.
     *
     * @throws IllegalArgumentException when the peer's address is IPv4 and the port's IPv6, or the other way round.
     * @throws IllegalStateException    when the domain is closed.
     */
    AddressHandle createAddressHandle(AddressVector vector);

    /** Closes the domain with its queue pairs, shared receive queues, windows and regions. Waits for the engines. Idempotent. */
    @Override
    void close();
}
