package io.rxe.qp;

import io.rxe.port.SameThread;
import java.util.ArrayDeque;
import java.util.Deque;

/** The engine's thread of a test in which work for the file system waits until the test does it. */
final class HeldFileWrites extends SameThread {
    private final Deque<Runnable> held = new ArrayDeque<>();

    int count() {
        return held.size();
    }

    /** Does the oldest work. */
    void finishOne() {
        held.remove().run();
    }

    @Override
    public void offload(Runnable work) {
        held.add(work);
    }
}
