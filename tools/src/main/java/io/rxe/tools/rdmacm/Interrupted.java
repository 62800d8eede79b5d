package io.rxe.tools.rdmacm;

import io.rxe.tools.ToolFailure;

/** Somebody wants the program to end. */
final class Interrupted extends ToolFailure {
    private static final long serialVersionUID = 1L;

    Interrupted(InterruptedException cause) {
        super("interrupted", cause);
    }
}
