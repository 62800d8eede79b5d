package io.rxe.bench;

import io.rxe.verbs.WorkCompletion;

/**
 * A transfer failed: wrong data, an error completion, or a stall. The message says which and where.
 */
public final class TransferFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param message the attempt, the result, and what to check. */
    public TransferFailure(String message) {
        super(message);
    }

    /** The error of a completion, for messages: {@code RETRY_EXC_ERR (its meaning); explanation}. */
    public static String describe(WorkCompletion completion) {
        String status = completion.status() + " (" + completion.status().sentence() + ')';
        return completion.explanation().isEmpty() ? status : status + "; " + completion.explanation();
    }
}
