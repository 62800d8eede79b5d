package io.rxe.device;

import io.rxe.port.SameThread;

/** The test's thread drives the engine; one command fails, as one does whose thread has no stack left. */
final class FailingThread extends SameThread {
    private int before = -1;

    /** The command after this many fails. */
    void failAfter(int commands) {
        before = commands;
    }

    @Override
    public void call(Runnable command) {
        if (before-- == 0) {
            throw new IllegalStateException("a planted failure");
        }
        super.call(command);
    }
}
