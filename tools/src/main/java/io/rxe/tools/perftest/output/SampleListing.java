package io.rxe.tools.perftest.output;

/** Which single measurements of a latency test to print. */
public enum SampleListing {
    /** None. */
    NONE,
    /** All but the slowest two, ascending. */
    SORTED,
    /** All, in the order of measurement. */
    UNSORTED
}
