package io.rxe.ibverbs;

import io.rxe.fault.VerbError;

/** A verb that fails with a certain errno. */
final class VerbException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int errno;

    VerbException(VerbError error, String message) {
        this(error.number(), message);
    }

    VerbException(int errno, String message) {
        super(message);
        this.errno = errno;
    }

    int errno() {
        return errno;
    }
}
