package io.rxe.port;

/**
 * The way from an application thread to the one thread that drives an engine.
 *
 * <p>Work requests travel through rings and need only {@link #wake}. Control commands (create, modify, destroy) are rare and travel
 * through {@link #call}. In a simulation both ends are the same thread: {@code call} runs the command at once and {@code wake} does
 * nothing.
 */
public interface EngineThread {
    /**
     * Runs a command on the engine's thread and returns when it has run; an exception it throws comes out here. Called on that
     * thread itself it runs at once. After the engine has stopped it runs on the caller, which then is the only thread left.
     */
    void call(Runnable command);

    /** Whether the caller is on the engine's thread: then there is nobody to tell through a ring. */
    boolean isCurrent();

    /** Makes an engine that sleeps poll soon. Cheap, callable from any thread, coalesced. */
    void wake();
}
