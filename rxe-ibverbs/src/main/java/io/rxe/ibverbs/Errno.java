package io.rxe.ibverbs;

import io.rxe.fault.VerbFailure;
import io.rxe.net.process.Sentences;
import java.io.IOException;
import java.net.BindException;

/** Error numbers of Linux, and which of them a failure of this NIC is. */
final class Errno {
    static final int EPERM = 1;
    static final int ENOENT = 2;
    static final int EIO = 5;
    static final int ENOMEM = 12;
    static final int EFAULT = 14;
    static final int EBUSY = 16;
    static final int EINVAL = 22;
    static final int EOPNOTSUPP = 95;
    static final int EAFNOSUPPORT = 97;
    static final int EADDRINUSE = 98;
    static final int EADDRNOTAVAIL = 99;

    private Errno() {
    }

    /** Loads what {@link #of} needs while there is memory: it is called when there may be none. */
    static void load() {
        Sentences.isVerbose();
    }

    /**
     * Returns the positive error number for what was thrown; says why on standard error when {@code RXE_VERBOSE} asks for it. Throws
     * nothing: where the heap is used up, it prints nothing.
     */
    static int of(Throwable failure) {
        try {
            if (Sentences.isVerbose()) {
                Sentences.say(failure instanceof VerbException || failure instanceof VerbFailure
                    || failure instanceof IllegalArgumentException ? failure.getMessage() : failure.toString());
            }
        } catch (Throwable noSentence) {
            // The errno says it alone.
        }
        if (failure instanceof VerbException verb) {
            return verb.errno();
        }
        if (failure instanceof VerbFailure made) {
            return made.error().number();
        }
        if (failure instanceof IllegalArgumentException || failure instanceof IllegalStateException) {
            return EINVAL;
        }
        if (failure instanceof OutOfMemoryError) {
            return ENOMEM;
        }
        return failure instanceof BindException ? EADDRNOTAVAIL : EIO;
    }

    /** Says a failure to open the NIC, which no errno explains. */
    static int ofOpening(Throwable failure) {
        Sentences.say(failure instanceof IOException || failure instanceof IllegalArgumentException ? failure.getMessage()
            : failure.toString());
        return failure instanceof BindException ? EADDRNOTAVAIL : failure instanceof IllegalArgumentException ? EINVAL
            : failure instanceof OutOfMemoryError ? ENOMEM : EIO;
    }
}
