package io.rxe.net.process;

import io.rxe.net.port.Warnings;
import java.util.function.Supplier;

/** What goes to the program's standard error: failures that nothing else explains, and more with {@code RXE_VERBOSE=1}. Any thread. */
public final class Sentences {
    private static final boolean VERBOSE = ProcessSettings.ofProcess().isVerbose();
    private static final Repetition REPETITION = new Repetition();

    private Sentences() {
    }

    /** Where the warnings of a NIC go: the advice among them to those who ask for it. */
    static final class Warned implements Warnings.Sorted {
        @Override
        public void undone(String sentence) {
            say(sentence);
        }

        @Override
        public void accept(String sentence) {
            verbose(() -> sentence);
        }
    }

    public static boolean isVerbose() {
        return VERBOSE;
    }

    /** Says a sentence; of one that repeats itself without end what {@link Repetition} leaves. */
    public static void say(String sentence) {
        String said = REPETITION.toSay(sentence);
        if (said != null) {
            System.err.println("rxe: " + said);
        }
    }

    /** Says a sentence if the program asked for it. */
    public static void verbose(Supplier<String> sentence) {
        if (VERBOSE) {
            say(sentence.get());
        }
    }
}
