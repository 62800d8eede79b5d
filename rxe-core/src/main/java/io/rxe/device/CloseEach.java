package io.rxe.device;

import java.util.List;
import java.util.function.Consumer;

/** Closes objects, each of them also where closing another has thrown: what is left open may have threads that wait for it. */
public final class CloseEach {
    /** Frames required before an object counts as closed: more than its commands require, which would not run otherwise. */
    static final int FRAMES = 192;

    private CloseEach() {
    }

    /** Runs each step; throws as {@link #of}. */
    static void step(Runnable... steps) {
        of(List.of(steps), Runnable::run);
    }

    /** Closes each; throws the first of what they threw when all were tried. The objects may remove themselves meanwhile. */
    public static <T> void of(Iterable<T> objects, Consumer<T> close) {
        RuntimeException exception = null;
        Error error = null;
        for (T object : objects) {
            try {
                close.accept(object);
            } catch (RuntimeException e) {
                exception = exception == null ? e : exception;
            } catch (Error e) {
                error = error == null ? e : error;
            }
        }
        if (error != null) {
            throw error;
        }
        if (exception != null) {
            throw exception;
        }
    }
}
