package io.rxe.tools.terminal;

import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** Standard error on a terminal, with its status line. */
public final class TerminalWriter extends PrintWriter {
    private final StatusLine line;

    public TerminalWriter(StatusLine line, OutputStream err) {
        super(line.over(err), true, StandardCharsets.UTF_8);
        this.line = line;
    }

    StatusLine line() {
        return line;
    }
}
