package io.rxe.device;

import io.rxe.port.SameThread;
import java.util.ArrayList;
import java.util.List;

/** The test's thread drives the engine, and what the engine reports is kept instead of thrown. */
final class Reporting extends SameThread {
    private final List<String> sentences = new ArrayList<>();

    /** What was reported, one sentence each. */
    List<String> sentences() {
        return sentences;
    }

    @Override
    public void report(String where, Throwable fault) {
        sentences.add(where + ": " + fault);
    }
}
