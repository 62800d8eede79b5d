package io.rxe.qp.context;

/** Carries out what would make the engine's thread wait for the file system. Engine thread; no call waits for the work. */
public interface Offload {
    /** Runs work on another thread, or at once where there is none, and has the queue pair polled when it is done. */
    void run(Runnable work);
}
