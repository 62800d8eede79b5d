package io.rxe.device;

import io.rxe.port.EngineThread;
import java.util.ArrayList;
import java.util.List;

/** The test's thread drives the engine, and what the engine reports is kept instead of thrown. */
final class Reporting implements EngineThread {
    private final List<String> sentences = new ArrayList<>();

    /** What was reported, one sentence each. */
    List<String> sentences() {
        return sentences;
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
        sentences.add(where + ": " + fault);
    }

    @Override
    public void wake() {
        // The test polls.
    }
}
