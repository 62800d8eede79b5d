package io.rxe.disni;

import java.util.function.Supplier;

/** What goes to the program's standard error: why verbs fail, where {@code RXE_VERBOSE} asks for it, and what nobody would notice. */
final class Sentences {
    private static final boolean VERBOSE = Settings.ofProcess().isVerbose();

    private Sentences() {
    }

    static void say(String sentence) {
        System.err.println("rxe: " + sentence);
    }

    static void verbose(Supplier<String> sentence) {
        if (VERBOSE) {
            say(sentence.get());
        }
    }
}
