package io.rxe.disni;

import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import java.io.IOException;
import java.net.BindException;

/** Errors as libdisni reports them: which call failed, the system's text of an errno, and behind it what this NIC says. */
final class Failure {
    private Failure() {
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
    static IOException of(VerbError error, String call, String sentence) {
        return new IOException(call + ": " + error.text() + " (" + sentence + ")");
    }

    /** Runs a call; what it throws becomes an IOException that names it. */
    static <T> T named(String call, Call<T> body) throws IOException {
        try {
            return body.run();
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw refused(call, e);
        } catch (BindException e) {
            throw cause(of(VerbError.EADDRNOTAVAIL, call, e.getMessage()), e);
        } catch (IOException e) {
            throw cause(of(VerbError.EIO, call, e.getMessage()), e);
        } catch (OutOfMemoryError e) {
            throw cause(of(VerbError.ENOMEM, call, e.getMessage()), e);
        }
    }

    /** What the NIC or an adapter refuses: with its errno, else as invalid. */
    static IOException refused(String call, RuntimeException e) {
        return cause(of(e instanceof VerbFailure failure ? failure.error() : VerbError.EINVAL, call, e.getMessage()), e);
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
}
