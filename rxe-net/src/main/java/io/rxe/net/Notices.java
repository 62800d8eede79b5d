package io.rxe.net;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/** Where sentences for the user go, each only once for its kind. Callable from any thread. */
final class Notices {
    private final Consumer<String> out;
    private final Set<String> said = new HashSet<>();

    Notices(Consumer<String> out) {
        this.out = out;
    }

    /** Says a sentence, unless one of this kind has been said. */
    synchronized void once(String kind, String sentence) {
        if (said.add(kind)) {
            out.accept(sentence);
        }
    }

    /** To the logger io.rxe.net, as warnings. */
    static Consumer<String> toSystemLogger() {
        return sentence -> System.getLogger("io.rxe.net").log(System.Logger.Level.WARNING, sentence);
    }
}
