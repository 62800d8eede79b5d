package io.rxe.connect;

/** Receives the result of one-sided operations. One object may serve for all of them, so that nothing is allocated per operation. */
@FunctionalInterface
public interface OneSidedCallback {
    /**
     * An operation has ended. Runs on the thread of the queue pair's engine, or on the connection thread when the connection has ended; it
     * must not block. It may start further operations.
     *
     * @param id    given by the application, to distinguish its operations.
     * @param value what the eight bytes were before an atomic; the length in bytes of a READ or WRITE.
     * @param error null on success, else a sentence: what failed, the peer, what to check. The connection ends then.
     */
    void onDone(long id, long value, String error);
}
