package io.rxe.port;

/** For tests that drive the engine on their own thread: commands run at once, and no wake is needed. */
public class SameThread implements EngineThread {
    /** Has no state, so all engines may share it. */
    public static final EngineThread INLINE = new SameThread();

    protected SameThread() {
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
    public void report(String where, Throwable fault) {
        throw new AssertionError(where, fault);
    }

    @Override
    public void wake() {
        // The test polls.
    }
}
