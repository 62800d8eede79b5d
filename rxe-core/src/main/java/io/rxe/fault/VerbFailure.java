package io.rxe.fault;

import java.io.Serial;

/**
 * What a verb throws that was made to fail, and what adapters of foreign interfaces throw where they refuse a call. A Java program sees
 * the IllegalArgumentException of an EINVAL, or the IllegalStateException of everything else; interfaces with error numbers ask for
 * {@link #error}.
 */
public interface VerbFailure {
    /** The error number asked for. */
    VerbError error();

    /**
     * Makes the exception.
     *
     * @param sentence names the verb and the rule.
     */
    static RuntimeException of(VerbError error, String sentence) {
        return error == VerbError.EINVAL ? new Invalid(error, sentence) : new Failed(error, sentence);
    }

    /** The arguments count as wrong. */
    final class Invalid extends IllegalArgumentException implements VerbFailure {
        @Serial
        private static final long serialVersionUID = 1L;

        private final VerbError error;

        private Invalid(VerbError error, String sentence) {
            super(sentence);
            this.error = error;
        }

        @Override
        public VerbError error() {
            return error;
        }
    }

    /** Everything else. */
    final class Failed extends IllegalStateException implements VerbFailure {
        @Serial
        private static final long serialVersionUID = 1L;

        private final VerbError error;

        private Failed(VerbError error, String sentence) {
            super(sentence);
            this.error = error;
        }

        @Override
        public VerbError error() {
            return error;
        }
    }
}
