package io.rxe.tools;

import java.io.PrintWriter;

/**
 * Tells on standard error what is going on: one line that changes, when that is a terminal; otherwise silent, or one
 * line for each step when asked to be verbose.
 */
final class Progress implements AutoCloseable {
    private static final String ERASE_LINE = "\r\u001b[K";

    private final PrintWriter err;
    private final boolean terminal;
    private final boolean verbose;
    private boolean dirty;

    Progress(PrintWriter err, boolean terminal, boolean verbose) {
        this.err = err;
        this.terminal = terminal;
        this.verbose = verbose;
    }

    /** The next step begins. */
    void step(String text) {
        if (verbose) {
            err.println(text);
        } else if (terminal) {
            err.print(ERASE_LINE + text + " ...");
            err.flush();
            dirty = true;
        }
    }

    /** Clears the line. */
    @Override
    public void close() {
        if (dirty) {
            err.print(ERASE_LINE);
            err.flush();
            dirty = false;
        }
    }
}
