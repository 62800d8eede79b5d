package io.rxe.tools;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Shows on a terminal that a command which takes longer than two seconds is at work, and how far it is. Elsewhere it does nothing. */
final class LongRun {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long STEP_NS = TimeUnit.SECONDS.toNanos(1);

    private LongRun() {
    }

    /**
     * Begins to watch; until the process ends.
     *
     * @param err  standard error; only that of {@link Main} on a terminal has a line to show anything on.
     * @param name of the command.
     * @param done how far it is, asked from another thread.
     */
    static void begin(PrintWriter err, String name, Supplier<String> done) {
        if (err instanceof TerminalWriter terminal) {
            long beginNs = System.nanoTime();
            Thread thread = new Thread(() -> watch(terminal.line(), name, done, beginNs), "rxe-progress");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static void watch(StatusLine line, String name, Supplier<String> done, long beginNs) {
        try {
            TimeUnit.NANOSECONDS.sleep(PATIENCE_NS);
            while (true) {
                line.show(text(name, System.nanoTime() - beginNs, done.get()));
                TimeUnit.NANOSECONDS.sleep(STEP_NS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What is shown. */
    static String text(String name, long elapsedNs, String done) {
        return String.format(Locale.ROOT, "%s: %d s, %s", name, TimeUnit.NANOSECONDS.toSeconds(elapsedNs), done);
    }

    /** Packets of a NIC, in words. */
    static String packets(long sent, long received) {
        return String.format(Locale.ROOT, "%,d packets sent, %,d received", sent, received);
    }
}
