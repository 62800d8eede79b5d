package io.rxe.tools.rdmacm;

import io.rxe.tools.cli.ToolFailure;

/** The thread was interrupted: the program must end. */
final class InterruptedFailure extends ToolFailure {
    private static final long serialVersionUID = 1L;

    InterruptedFailure(InterruptedException cause) {
        super("interrupted", cause);
    }
}
