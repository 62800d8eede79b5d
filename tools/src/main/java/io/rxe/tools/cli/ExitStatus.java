package io.rxe.tools.cli;

/** Exit status of the process. */
public final class ExitStatus {
    /** Success; data was verified where the command verifies. */
    public static final int OK = 0;
    /** The command failed: wrong data, an error completion, a timeout, an unreadable file. */
    public static final int FAILED = 1;
    /** The command line is wrong; nothing was done. */
    public static final int USAGE = 2;

    private ExitStatus() {
    }
}
