package io.rxe.verbs;

import io.rxe.wire.Gid;

/**
 * One software NIC with one port.
 *
 * <p>Callable from any thread.
 */
public interface Device extends AutoCloseable {
    /** Address of the port: the source of every packet. */
    Gid gid();

    /** Name of the adapter, as connection management tells it to peers. Follows from the address. */
    default long guid() {
        return gid().adapterGuid();
    }

    /** UDP port it is bound to. */
    int udpPort();

    /** Largest path MTU the interface can carry. */
    PathMtu portMtu();

    /** What the device can do. */
    DeviceAttributes attributes();

    ProtectionDomain allocateProtectionDomain();

    /**
     * Makes a completion queue.
     *
     * @param minimumCapacity completions it must hold, 1 to 4194304.
     */
    default CompletionQueue createCompletionQueue(int minimumCapacity) {
        return createCompletionQueue(minimumCapacity, null);
    }

    /**
     * Makes a completion queue that can be armed.
     *
     * @param minimumCapacity completions it must hold, 1 to 4194304.
     * @param channel         where to report it, or null.
     */
    CompletionQueue createCompletionQueue(int minimumCapacity, CompletionChannel channel);

    /** Takes the oldest asynchronous event, or null. */
    AsyncEvent pollAsyncEvent();

    /** Closes every resource of the device. May be called twice. */
    @Override
    void close();
}
