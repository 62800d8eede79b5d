package io.rxe.tools.terminal;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The last line of a terminal, whose text changes while a command runs. All other output erases it first, so it never remains on the
 * screen. Any thread.
 */
public final class StatusLine {
    private static final int COLUMNS = 79;
    private static final byte[] ERASE = "\r\u001b[K".getBytes(StandardCharsets.UTF_8);

    private final OutputStream terminal;
    private boolean shown;
    private boolean closed;

    /** @param terminal the terminal that shows the line. */
    public StatusLine(OutputStream terminal) {
        this.terminal = terminal;
    }

    /** Whether standard error is a terminal. */
    public static boolean isTerminal() {
        return isTerminal(2);
    }

    /** Whether standard output is a terminal. */
    public static boolean isScreen() {
        return isTerminal(1);
    }

    /** Java 17 cannot ask; what the descriptor leads to says it, also where this container has no file of the terminal. */
    private static boolean isTerminal(int descriptor) {
        try {
            return isTerminal(Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString());
        } catch (IOException e) {
            return false;
        }
    }

    static boolean isTerminal(String target) {
        return target.matches("/dev/(pts/|tty|console).*");
    }

    /** Replaces the text; does nothing once the line is closed. */
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
            // The terminal is gone.
            closed = true;
        }
    }

    /** Erases the line for good. */
    public synchronized void close() {
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

    /** Returns a stream that erases the line before it writes to another. */
    public OutputStream over(OutputStream out) {
        return new Printed(out);
    }

    /** Permanent output on the terminal that shows the line. */
    private final class Printed extends FilterOutputStream {
        Printed(OutputStream out) {
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
