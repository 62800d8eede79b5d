package io.rxe.verbs;

/**
 * A key of its own for a part of a memory region; {@code ibv_mw}. Binding gives a peer access to the part, and takes it away, with a
 * request in the send queue instead of a registration. Created by {@link ProtectionDomain#allocateWindow}.
 *
 * <p>States: free (grants nothing) when allocated and after an invalidation, bound after a binding. A window of type 2 whose queue pair
 * was closed stays bound but serves nobody: close it. Any thread may call.
 */
public interface MemoryWindow extends AutoCloseable {
    MemoryWindowType type();

    /**
     * Remote key: while bindings wait, that of the latest one posted, else that of the binding in force. It is of use when that request
     * has completed, or in a SEND posted behind it. Its low 8 bits change with each binding.
     */
    int rKey();

    /** The next key in a row, for a new binding of a window of type 2; {@code ibv_inc_rkey}. Differs in the low 8 bits only. */
    default int nextRKey() {
        return rKey() & ~0xFF | rKey() + 1 & 0xFF;
    }

    /**
     * Deallocates the window, bound or not; {@code ibv_dealloc_mw}. From then on requests with its key fail with an access error, and a
     * binding posted before fails with MW_BIND_ERR. Waits until no engine uses its memory any more. Idempotent.
     */
    @Override
    void close();
}
