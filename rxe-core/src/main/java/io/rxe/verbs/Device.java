package io.rxe.verbs;

import io.rxe.wire.Gid;
import java.util.List;

/**
 * One software NIC with one port, or with several for automatic path migration; {@code ibv_context}.
 *
 * <p>Any thread may call. Methods that create, change or close a resource run on the engine's thread and return when it has run them. After
 * the device is closed or failed they throw {@code IllegalStateException} with the reason; getters and closing still work.
 */
public interface Device extends AutoCloseable {
    /** Address of port 1. Datagrams and connection management use this port. */
    Gid gid();

    /** The number of ports, each an address of this host. */
    default int ports() {
        return 1;
    }

    /**
     * Address of a port, the source address of its packets.
     *
     * @param port 1 to {@link #ports}.
     * @throws IllegalArgumentException when there is no such port.
     */
    default Gid gid(int port) {
        if (port != 1) {
            throw new IllegalArgumentException("port " + port + " is not in 1..1");
        }
        return gid();
    }

    /**
     * Whether the interface of a port is up, and the device has not failed. A change of the interface raises PORT_ERR or PORT_ACTIVE.
     *
     * @param number 1 to {@link #ports}.
     */
    default boolean isPortActive(int number) {
        return true;
    }

    /** EUI-64 of the adapter, which connection management sends to peers. Derived from the address. */
    default long guid() {
        return gid().adapterGuid();
    }

    /** UDP port of the sockets: 4791 except in tests. */
    int udpPort();

    /** Largest path MTU that fits the interface; with several ports, each of their interfaces. */
    PathMtu portMtu();

    /** Limits of the device; {@code ibv_query_device}. */
    DeviceAttributes attributes();

    /** The P_Key table of each port; {@code ibv_query_pkey}. It stays the same while the device is open. */
    default PartitionKeys partitionKeys() {
        return PartitionKeys.DEFAULT;
    }

    /** Packets that were dropped because of their P_Key since the device was opened, on all ports; {@code bad_pkey_cntr}. */
    default long badPartitionKeys() {
        return 0;
    }

    /**
     * A port with its GID and P_Key tables; {@code ibv_query_port}, {@code ibv_query_gid_table}, {@code ibv_query_pkey}.
     *
     * @param number 1 to {@link #ports}.
     * @throws IllegalArgumentException when there is no such port.
     */
    default PortAttributes port(int number) {
        Gid gid = gid(number);
        return new PortAttributes(number, isPortActive(number), List.of(gid, gid), PathMtu.MTU_4096, portMtu(),
            attributes().maxMessageBytes(), partitionKeys().keys(), badPartitionKeys());
    }

    /** Creates a protection domain; {@code ibv_alloc_pd}. */
    ProtectionDomain allocateProtectionDomain();

    /** Opens an XRC domain; {@code ibv_open_xrcd} without a file, since no other process shares it. */
    XrcDomain openXrcDomain();

    /**
     * Creates a completion queue that is only polled.
     *
     * @param minimumCapacity completions it must hold, 1 to 4194304; rounded up to a power of two.
     * @throws IllegalArgumentException for a capacity out of range.
     */
    default CompletionQueue createCompletionQueue(int minimumCapacity) {
        return createCompletionQueue(minimumCapacity, null);
    }

    /**
     * Creates a completion queue that can be armed; {@code ibv_create_cq}.
     *
     * @param minimumCapacity completions it must hold, 1 to 4194304; rounded up to a power of two.
     * @param channel         notified when the queue is armed and receives a completion; null for none.
     * @throws IllegalArgumentException for a capacity out of range.
     * @throws IllegalStateException    when the channel is closed.
     */
    default CompletionQueue createCompletionQueue(int minimumCapacity, CompletionChannel channel) {
        return createCompletionQueue(minimumCapacity, channel, false);
    }

    /**
     * Creates a completion queue with or without timestamps; {@code ibv_create_cq_ex}. A queue without them does nothing for them.
     *
     * @param minimumCapacity completions it must hold, 1 to 4194304; rounded up to a power of two.
     * @param channel         notified when the queue is armed and receives a completion; null for none.
     * @param timestamps      whether completions have {@link WorkCompletion#timestampNs} and {@link WorkCompletion#wallClockNs}.
     * @throws IllegalArgumentException for a capacity out of range.
     * @throws IllegalStateException    when the channel is closed.
     */
    CompletionQueue createCompletionQueue(int minimumCapacity, CompletionChannel channel, boolean timestamps);

    /** Takes the oldest asynchronous event; null when there is none. The device keeps 4096 events and discards later ones. */
    AsyncEvent pollAsyncEvent();

    /** Closes all resources of the device. Waits for the engines. Idempotent. */
    @Override
    void close();
}
