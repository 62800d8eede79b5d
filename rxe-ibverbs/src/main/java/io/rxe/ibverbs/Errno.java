package io.rxe.ibverbs;

import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.net.process.Sentences;
import java.io.IOException;
import java.net.BindException;

/** Which error number of Linux a failure of this NIC is. */
final class Errno {
    private Errno() {
    }

    /** Loads what {@link #of} needs while there is memory: it is called when there may be none. */
    static void load() {
        Sentences.isVerbose();
        VerbError.ENOMEM.number();
    }

    /**
     * Returns the positive error number for what was thrown; says why on standard error when {@code RXE_VERBOSE} asks for it. Throws
     * nothing: where the heap is used up, it prints nothing.
     */
    static int of(Throwable failure) {
        try {
            if (Sentences.isVerbose()) {
                Sentences.say(sentence(failure));
            }
        } catch (Throwable noSentence) {
            // The errno says it alone.
        }
        if (failure instanceof VerbFailure made) {
            return made.error().number();
        }
        if (failure instanceof IllegalArgumentException || failure instanceof IllegalStateException) {
            return VerbError.EINVAL.number();
        }
        if (failure instanceof OutOfMemoryError) {
            return VerbError.ENOMEM.number();
        }
        return (failure instanceof BindException ? VerbError.EADDRNOTAVAIL : VerbError.EIO).number();
    }

    /** What this NIC refuses has a sentence of its own; what it did not expect has more to say with its class. */
    private static String sentence(Throwable failure) {
        boolean isRefused = failure instanceof IOException || failure instanceof IllegalArgumentException
            || failure instanceof IllegalStateException;
        return isRefused && failure.getMessage() != null ? failure.getMessage() : failure.toString();
    }

    /** Says a failure to open the NIC, which no errno explains. */
    static int ofOpening(Throwable failure) {
        Sentences.say(sentence(failure));
        VerbError error = failure instanceof BindException ? VerbError.EADDRNOTAVAIL
            : failure instanceof IllegalArgumentException ? VerbError.EINVAL
            : failure instanceof OutOfMemoryError ? VerbError.ENOMEM : VerbError.EIO;
        return error.number();
    }
}
