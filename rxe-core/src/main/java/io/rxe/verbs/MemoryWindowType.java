package io.rxe.verbs;

/** The type of a memory window; {@code ibv_mw_type}. Type 2A of the specification, which queue pair numbers bind, does not exist here. */
public enum MemoryWindowType {
    /** Bound by a verb, {@link QueuePair#bindWindow}. Any queue pair of the domain serves it. Only a new binding ends the old one. */
    TYPE_1,
    /**
     * Type 2B: bound by a work request, {@link WorkRequest#bindWindow(MemoryWindow, int, MemoryBinding)}, while it is not bound. Only the
     * queue pair that bound it serves it. {@link WorkRequest#localInvalidate} and a SEND_WITH_INVALIDATE of the peer end the binding.
     */
    TYPE_2
}
