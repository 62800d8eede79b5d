package io.rxe.disni;

import java.io.IOException;
import java.net.BindException;

/** Errors as libdisni reports them: which call failed, the system's text of an errno, and behind it what this NIC says. */
enum Failure {
    BUSY("Device or resource busy", 16),
    INVALID("Invalid argument", 22),
    NO_MEMORY("Cannot allocate memory", 12),
    NOT_SUPPORTED("Operation not supported", 95),
    ADDRESS_IN_USE("Address already in use", 98),
    ADDRESS_NOT_AVAILABLE("Cannot assign requested address", 99),
    INPUT_OUTPUT("Input/output error", 5);

    private final String text;
    private final int errno;

    Failure(String text, int errno) {
        this.text = text;
        this.errno = errno;
    }

    /** The errno of Linux, for calls that return it. */
    int errno() {
        return errno;
    }

    /** A call that can fail. */
    interface Call<T> {
        T run() throws IOException;
    }

    /** A call without a result. */
    interface Step {
        void run() throws IOException;
    }

    /**
     * Makes the exception of a call.
     *
     * @param call     as libdisni names it, for example {@code j2c::listen: rdma_listen failed}.
     * @param sentence what happened and the remedy.
     */
    IOException of(String call, String sentence) {
        return new IOException(call + ": " + text + " (" + sentence + ")");
    }

    /** Runs a call; what it throws becomes an IOException that names it. */
    static <T> T named(String call, Call<T> body) throws IOException {
        try {
            return body.run();
        } catch (VerbFailure e) {
            throw e.kind().of(call, e.getMessage());
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw refused(call, e);
        } catch (BindException e) {
            throw cause(ADDRESS_NOT_AVAILABLE.of(call, e.getMessage()), e);
        } catch (IOException e) {
            throw cause(INPUT_OUTPUT.of(call, e.getMessage()), e);
        } catch (OutOfMemoryError e) {
            throw cause(NO_MEMORY.of(call, e.getMessage()), e);
        }
    }

    /** What the NIC refuses: with the errno of a fault that is made on purpose, else as invalid. */
    static IOException refused(String call, RuntimeException e) {
        String words = e instanceof io.rxe.fault.VerbFailure made ? made.error().text() : INVALID.text;
        return cause(new IOException(call + ": " + words + " (" + e.getMessage() + ")"), e);
    }

    /** As {@link #named}. */
    static void step(String call, Step body) throws IOException {
        named(call, () -> {
            body.run();
            return null;
        });
    }

    private static IOException cause(IOException failure, Throwable cause) {
        failure.initCause(cause);
        return failure;
    }

    /** Refuses the use of something closed, in the words of DiSNI. */
    static void requireOpen(boolean open, String otherwise) throws IOException {
        if (!open) {
            throw new IOException(otherwise);
        }
    }

    /** A call that fails with a certain errno. */
    static final class VerbFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final Failure kind;

        VerbFailure(Failure kind, String sentence) {
            super(sentence, null, false, false);
            this.kind = kind;
        }

        Failure kind() {
            return kind;
        }
    }
}
