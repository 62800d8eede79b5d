package io.rxe.tools.perftest.flow;

import java.io.IOException;

/** The order of handshake messages, measurements and output after the preface. */
interface PerftestFlow {
    /** Runs one side of a test to its end. */
    void run(PerftestSession session) throws IOException;
}
