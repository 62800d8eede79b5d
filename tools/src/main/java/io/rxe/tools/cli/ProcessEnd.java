package io.rxe.tools.cli;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Whether the process is ending because of a signal: what fails from then on fails because of that, and nobody needs to read about it. */
public final class ProcessEnd {
    private static final CompletableFuture<Void> FINISHED = new CompletableFuture<>();
    private static volatile boolean begun;

    private ProcessEnd() {
    }

    /** Begins to watch; once, before anything that may fail. The NICs end their connections themselves. */
    public static void watch() {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> begun = true, "rxe-process-end"));
    }

    /** Gives the command a second to end by itself after a signal: Ctrl-C ends the program that writes its input, too. */
    public static void finishFirst() {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> FINISHED.completeOnTimeout(null, 1, TimeUnit.SECONDS).join(), "rxe-finish"));
    }

    /** Ends the process, whose command has ended. */
    public static void exit(int status) {
        FINISHED.complete(null);
        System.exit(status);
    }

    /** Whether the end has begun. */
    public static boolean hasBegun() {
        return begun;
    }
}
