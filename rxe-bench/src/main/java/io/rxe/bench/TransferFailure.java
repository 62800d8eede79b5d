package io.rxe.bench;

import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.WorkCompletion;

/** A transfer failed: wrong data, an error completion, or a stall. The message says which and where. */
public final class TransferFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final CompletionStatus status;

    /** @param message the attempt, the result, and what to check. */
    public TransferFailure(String message) {
        this(message, null);
    }

    /** @param status of the completion that failed. */
    public TransferFailure(String message, CompletionStatus status) {
        super(message);
        this.status = status;
    }

    /** Status of the completion that failed; null if none did. */
    public CompletionStatus status() {
        return status;
    }

    /** The error of a completion, for messages: {@code RETRY_EXC_ERR (its meaning); explanation}. */
    public static String describe(WorkCompletion completion) {
        String status = completion.status() + " (" + completion.status().sentence() + ')';
        return completion.explanation().isEmpty() ? status : status + "; " + completion.explanation();
    }
}
