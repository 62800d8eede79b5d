package io.rxe.tools;

import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** Standard error when it is a terminal: it has a line that changes. */
final class TerminalWriter extends PrintWriter {
    private final StatusLine line;

    TerminalWriter(StatusLine line, OutputStream err) {
        super(line.over(err), true, StandardCharsets.UTF_8);
        this.line = line;
    }

    StatusLine line() {
        return line;
    }
}
