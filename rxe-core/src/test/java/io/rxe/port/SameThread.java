package io.rxe.port;

/** The engine's thread is the one that calls: commands run at once, and whoever drives the engine polls it without being woken. */
public final class SameThread implements EngineThread {
    /** Has no state, so all engines may share it. */
    public static final EngineThread INLINE = new SameThread();

    private SameThread() {
    }

    @Override
    public void call(Runnable command) {
        command.run();
    }

    @Override
    public boolean isCurrent() {
        return true;
    }

    @Override
    public void wake() {
        // The test polls.
    }
}
