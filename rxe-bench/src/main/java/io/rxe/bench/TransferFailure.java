package io.rxe.bench;

/**
 * A transfer went wrong: wrong data, an error completion, or nothing at all for too long. The message says which and
 * where.
 */
public final class TransferFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param message what was tried, what came instead, and what to look at. */
    public TransferFailure(String message) {
        super(message);
    }
}
