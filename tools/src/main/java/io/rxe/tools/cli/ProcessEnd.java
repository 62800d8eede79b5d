package io.rxe.tools.cli;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Whether the process is ending because of a signal: what fails from then on fails because of that, and nobody needs to read about it. */
public final class ProcessEnd {
    private static final CompletableFuture<Boolean> INPUT_ENDED = new CompletableFuture<>();
    private static final CompletableFuture<Void> FINISHED = new CompletableFuture<>();
    private static volatile boolean begun;
    private static volatile boolean isFinishing;

    private ProcessEnd() {
    }

    /** Begins to watch; once, before anything that may fail. The NICs end their connections themselves. */
    public static void watch() {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            begun = true;
            if (isFinishing && INPUT_ENDED.completeOnTimeout(false, 1, TimeUnit.SECONDS).join()) {
                FINISHED.join();
            }
        }, "rxe-process-end"));
    }

    /** Lets the command end by itself after a signal if its input ends within a second: Ctrl-C ends the program that writes it, too. */
    public static void finishFirst() {
        isFinishing = true;
    }

    public static void inputEnded() {
        INPUT_ENDED.complete(true);
    }

    /** Ends the process, whose command has ended. */
    public static void exit(int status) {
        inputEnded();
        FINISHED.complete(null);
        System.exit(status);
    }

    public static boolean hasBegun() {
        return begun;
    }
}
