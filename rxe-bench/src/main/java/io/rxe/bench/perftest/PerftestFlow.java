package io.rxe.bench.perftest;

import java.io.IOException;

/** Who says what when, once the preface is over. */
interface PerftestFlow {
    /** Plays one side of a test to its end. */
    void run(PerftestSession session) throws IOException;
}
