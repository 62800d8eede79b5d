package io.rxe.ibverbs;

/** What the C half does for connection management; {@code downcalls.c} binds the methods. None blocks. Any thread. */
final class CmDowncalls {
    private CmDowncalls() {
    }

    /**
     * Makes the {@code rdma_cm_id} of a request, with context, port space and channel of its listener.
     *
     * @param listener address of the listening {@code rdma_cm_id}.
     * @param handle   of its {@link ConnectionId}.
     * @return its address; 0 without memory.
     */
    static native long request(long listener, int handle);

    /**
     * Adds an event to the channel of an id.
     *
     * @param id       address of the {@code rdma_cm_id} it is of; for a request the new one.
     * @param listener for a request the address of the listening {@code rdma_cm_id}, else 0.
     * @param type     of {@code rdma_cm_event_type}.
     * @param status   as in {@code rdma_cm_event}.
     * @param param    address of its parameters, and behind them the private data.
     */
    static native void event(long id, long listener, int type, int status, long param);
}
