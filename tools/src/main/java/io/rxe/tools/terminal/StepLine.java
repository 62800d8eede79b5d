package io.rxe.tools.terminal;

import java.io.PrintWriter;

/**
 * Shows the current step on standard error: one line that changes if it is a terminal; one line for each step with {@code -v};
 * otherwise nothing.
 */
public final class StepLine implements AutoCloseable {
    private static final String ERASE_LINE = "\r\u001b[K";

    private final PrintWriter err;
    private final boolean terminal;
    private final boolean verbose;
    private boolean dirty;

    public StepLine(PrintWriter err, boolean terminal, boolean verbose) {
        this.err = err;
        this.terminal = terminal;
        this.verbose = verbose;
    }

    /** Shows the next step. */
    public void step(String text) {
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
