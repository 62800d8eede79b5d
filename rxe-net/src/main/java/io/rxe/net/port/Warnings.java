package io.rxe.net.port;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/** Passes warnings to the user, one of each kind unless it is wanted again. Callable from any thread. */
public final class Warnings {
    /** A consumer that tells apart what a user must see: all other warnings, which are advice, {@link #accept} gets. */
    public interface Sorted extends Consumer<String> {
        /** Something was not done as it was asked for, or broke. */
        void undone(String sentence);

        /** A file that was asked for is incomplete. */
        default void incomplete(String sentence) {
            undone(sentence);
        }

        /**
         * Passes all warnings to one consumer.
         *
         * @param whenIncomplete called when a file is incomplete.
         */
        static Sorted noting(Consumer<String> all, Runnable whenIncomplete) {
            return new Sorted() {
                @Override
                public void accept(String sentence) {
                    all.accept(sentence);
                }

                @Override
                public void undone(String sentence) {
                    all.accept(sentence);
                }

                @Override
                public void incomplete(String sentence) {
                    whenIncomplete.run();
                    all.accept(sentence);
                }
            };
        }
    }

    private final Consumer<String> out;
    private final Set<String> kinds = new HashSet<>();

    /** @param out gets each warning, on the thread that raises it. */
    public Warnings(Consumer<String> out) {
        this.out = out;
    }

    /** Whether no warning of this kind was passed on yet; for callers whose sentence is expensive. */
    public synchronized boolean isNew(String kind) {
        return !kinds.contains(kind);
    }

    /** Passes a warning on, unless one of this kind was passed on before. */
    public void once(String kind, String sentence) {
        once(kind, sentence, out);
    }

    /** As {@link #once}, for what was not done as it was asked for, or broke. */
    public void undone(String kind, String sentence) {
        once(kind, sentence, out instanceof Sorted sorted ? sorted::undone : out);
    }

    /** As {@link #once}, for a file that is incomplete. */
    public void incomplete(String kind, String sentence) {
        once(kind, sentence, out instanceof Sorted sorted ? sorted::incomplete : out);
    }

    private synchronized void once(String kind, String sentence, Consumer<String> to) {
        if (isNew(kind)) {
            to.accept(sentence);
            // After it: where printing throws, the next attempt is not the second of its kind.
            kinds.add(kind);
        }
    }

    /** Passes a warning on, also when there was one like it. */
    public synchronized void pass(String sentence) {
        out.accept(sentence);
    }

    /** Logs warnings with the system logger {@code io.rxe.net}. */
    public static Consumer<String> toSystemLogger() {
        return sentence -> System.getLogger("io.rxe.net").log(System.Logger.Level.WARNING, sentence);
    }
}
