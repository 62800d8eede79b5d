package io.rxe.tools;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The last line of a terminal, for what changes while something takes longer. Whatever is printed for good erases it first, so it never
 * stays. May be used by several threads.
 */
public final class StatusLine {
    private static final int COLUMNS = 79;
    private static final byte[] ERASE = "\r\u001b[K".getBytes(StandardCharsets.UTF_8);

    private final OutputStream terminal;
    private boolean shown;
    private boolean closed;

    /** @param terminal what the line is shown on. */
    public StatusLine(OutputStream terminal) {
        this.terminal = terminal;
    }

    /** Whether standard error is a terminal. The launcher knows; Java 17 cannot tell. */
    public static boolean isTerminal() {
        return Boolean.getBoolean("rxe.terminal");
    }

    /** Whether standard output is a terminal. */
    public static boolean isScreen() {
        return Boolean.getBoolean("rxe.screen");
    }

    /** Shows a text instead of the last one; nothing once the line is closed. */
    synchronized void show(String text) {
        if (closed) {
            return;
        }
        try {
            terminal.write(ERASE);
            terminal.write((text.length() <= COLUMNS ? text : text.substring(0, COLUMNS)).getBytes(StandardCharsets.UTF_8));
            terminal.flush();
            shown = true;
        } catch (IOException e) {
            // The terminal has gone.
            closed = true;
        }
    }

    /** Takes the line away, for good. */
    synchronized void close() {
        try {
            erase();
        } catch (IOException e) {
            shown = false;
        }
        closed = true;
    }

    private void erase() throws IOException {
        if (shown) {
            terminal.write(ERASE);
            terminal.flush();
            shown = false;
        }
    }

    /** A stream that takes the line away before it writes to another. */
    Printed over(OutputStream out) {
        return new Printed(out);
    }

    /** What is printed for good on the terminal that has the line. */
    final class Printed extends FilterOutputStream {
        private Printed(OutputStream out) {
            super(out);
        }

        @Override
        public void write(int value) throws IOException {
            synchronized (StatusLine.this) {
                erase();
                out.write(value);
            }
        }

        @Override
        public void write(byte[] bytes, int offset, int lengthBytes) throws IOException {
            synchronized (StatusLine.this) {
                erase();
                out.write(bytes, offset, lengthBytes);
            }
        }
    }
}
