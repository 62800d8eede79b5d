package io.rxe.tools.rdmacm;

import java.io.PrintWriter;
import java.util.Locale;

/** Prints as rping does: pings with {@code -v}, every step with {@code -d}, errors on standard error. */
final class PingLog {
    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean verbose;
    private final boolean debug;

    PingLog(PrintWriter out, PrintWriter err, boolean verbose, boolean debug) {
        this.out = out;
        this.err = err;
        this.verbose = verbose;
        this.debug = debug;
    }

    /** With {@code -v}. */
    void ping(String line) {
        if (verbose) {
            print(line);
        }
    }

    /** With {@code -d}. */
    void debug(String format, Object... arguments) {
        if (debug) {
            print(String.format(Locale.ROOT, format, arguments));
        }
    }

    /** A note or an error. */
    void error(String line) {
        err.println(line);
    }

    // Flushes every line, so that a run that hangs shows how far it got.
    private void print(String line) {
        out.println(line);
        out.flush();
    }
}
