package io.rxe.tools.cli;

/** Ends a command with status 1 and one line: what failed, with which peer, after what time, and what to check. */
public class ToolFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param message the line, without the name of the command. */
    public ToolFailure(String message) {
        super(message);
    }

    /**
     * @param message the line, without the name of the command.
     * @param cause   shown with {@code -v}.
     */
    public ToolFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
