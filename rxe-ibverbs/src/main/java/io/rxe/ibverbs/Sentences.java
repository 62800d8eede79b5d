package io.rxe.ibverbs;

import java.util.function.Supplier;

/** What the library says on the program's standard error: failures that no errno explains, and more with {@code RXE_VERBOSE=1}. */
final class Sentences {
    private static final boolean VERBOSE = isOn(System.getenv("RXE_VERBOSE"));

    private Sentences() {
    }

    private static boolean isOn(String value) {
        return value != null && !value.isEmpty() && !value.equals("0");
    }

    static boolean isVerbose() {
        return VERBOSE;
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
