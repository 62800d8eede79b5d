package io.rxe.tools;

/** How the process ends. */
public final class ExitStatus {
    /** Done, and verified where there was something to verify. */
    public static final int OK = 0;
    /** It was tried and went wrong: wrong data, an error completion, a timeout, an unreadable file. */
    public static final int FAILED = 1;
    /** The command line was wrong; nothing was tried. */
    public static final int USAGE = 2;

    private ExitStatus() {
    }
}
