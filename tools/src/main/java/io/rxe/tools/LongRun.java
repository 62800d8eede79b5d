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
    static void begin(final PrintWriter err, final String name, final Supplier<String> done) {
        if (err instanceof TerminalWriter terminal) {
            final long beginNs = System.nanoTime();
            final Thread thread = new Thread(() -> watch(terminal.line(), name, done, beginNs), "rxe-progress");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static void watch(final StatusLine line, final String name, final Supplier<String> done, final long beginNs) {
        try {
            TimeUnit.NANOSECONDS.sleep(PATIENCE_NS);
            while (true) {
                line.show(text(name, System.nanoTime() - beginNs, done.get()));
                TimeUnit.NANOSECONDS.sleep(STEP_NS);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What is shown. */
    static String text(final String name, final long elapsedNs, final String done) {
        return String.format(Locale.ROOT, "%s: %d s, %s", name, TimeUnit.NANOSECONDS.toSeconds(elapsedNs), done);
    }

    /** Packets of a NIC, in words. */
    static String packets(final long sent, final long received) {
        return String.format(Locale.ROOT, "%,d packets sent, %,d received", sent, received);
    }
}
