package io.rxe.port;

/** Who drives the engines of a NIC. Part of the public API, unlike its package. */
public enum Progress {
    /** A thread of each engine, and nobody else. */
    THREAD,
    /**
     * A thread that polls an empty completion queue drives the engine itself, so that no message changes threads on its way. While no
     * thread polls, the thread of the engine does.
     */
    POLLING,
    /** The NIC has no thread: the application's drive it, when they poll an empty completion queue, wait for events or ask for progress. */
    MANUAL
}
