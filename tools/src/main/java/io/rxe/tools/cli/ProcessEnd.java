package io.rxe.tools.cli;

/** Whether the process is ending because of a signal: what fails from then on fails because of that, and nobody needs to read about it. */
public final class ProcessEnd {
    private static volatile boolean begun;

    private ProcessEnd() {
    }

    /** Begins to watch; once, before anything that may fail. The NICs end their connections themselves. */
    public static void watch() {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> begun = true, "rxe-process-end"));
    }

    /** Whether the end has begun. */
    public static boolean hasBegun() {
        return begun;
    }
}
