package io.rxe.bench;

/** One side of the application of a measurement. One thread at a time calls it. */
interface ApplicationSide {
    /** Takes completions and posts; whether there was something to do. */
    boolean poll();

    /** Requests a notification for the next completion; only where engines run the application. */
    void arm();
}
