package io.rxe.bench;

/** Who runs the application of a measurement: posts, polls completions, and answers. */
public enum Application {
    /** The calling thread, for both sides: polls, and sleeps for microseconds where nothing comes. */
    CALLER("another thread"),
    /** The engines, which call it for each batch of completions: no further thread needs a CPU, and none has to wake up. */
    ENGINES("the engines"),
    /**
     * A thread for each side that polls all the time, as programs do that spin in {@code ibv_poll_cq}. Where the polling threads drive the
     * engines, no message changes threads on its way.
     */
    THREADS("two threads that poll");

    private final String words;

    Application(String words) {
        this.words = words;
    }

    /** Who it is, for reports. */
    @Override
    public String toString() {
        return words;
    }
}
