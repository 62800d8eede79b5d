package io.rxe.ibverbs;

/** A verb that fails with a certain errno. */
final class VerbException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int errno;

    VerbException(int errno, String message) {
        super(message);
        this.errno = errno;
    }

    int errno() {
        return errno;
    }
}
