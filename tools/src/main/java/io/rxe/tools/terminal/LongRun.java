package io.rxe.tools.terminal;

import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Shows the progress of a command, on a terminal only: each step, or the time of one that runs for more than two seconds. */
public final class LongRun {
    private static final long DELAY_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long STEP_NS = TimeUnit.SECONDS.toNanos(1);

    private LongRun() {
    }

    /**
     * Starts the display; it runs until the process ends.
     *
     * @param err  standard error; nothing is shown unless it is a {@link TerminalWriter}.
     * @param name of the command.
     * @param done describes the progress; called from another thread.
     */
    public static void begin(PrintWriter err, String name, Supplier<String> done) {
        if (err instanceof TerminalWriter terminal) {
            long beginNs = System.nanoTime();
            Thread thread = new Thread(() -> watch(terminal.line(), name, done, beginNs), "rxe-progress");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /**
     * Shows the current step of a command.
     *
     * @param err standard error; nothing is shown unless it is a {@link TerminalWriter}.
     */
    public static void step(PrintWriter err, String text) {
        if (err instanceof TerminalWriter terminal) {
            terminal.line().show(text + " ...");
        }
    }

    private static void watch(StatusLine line, String name, Supplier<String> done, long beginNs) {
        try {
            TimeUnit.NANOSECONDS.sleep(DELAY_NS);
            while (true) {
                line.show(text(name, System.nanoTime() - beginNs, done.get()));
                TimeUnit.NANOSECONDS.sleep(STEP_NS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The line shown. */
    static String text(String name, long elapsedNs, String done) {
        return String.format("%s: %d s, %s", name, TimeUnit.NANOSECONDS.toSeconds(elapsedNs), done);
    }

    /** The packets of a NIC as text. */
    public static String packets(long sent, long received) {
        return String.format("%,d packets sent, %,d received", sent, received);
    }
}
