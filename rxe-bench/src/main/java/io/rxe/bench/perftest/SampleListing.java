package io.rxe.bench.perftest;

/** Which single measurements of a latency test are printed. */
public enum SampleListing {
    /** None. */
    NONE,
    /** All but the slowest two, ascending. */
    SORTED,
    /** All, in the order they were measured. */
    UNSORTED
}
