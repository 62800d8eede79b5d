package io.rxe.fuzz;

import java.util.List;

/** One entry point under fuzzing. One thread; an input must behave the same whatever ran before it. */
public interface FuzzTarget {
    /**
     * Feeds an input to the entry point.
     *
     * @param input any bytes.
     * @throws AssertionError when an invariant is broken.
     * @throws Exception      whatever else escapes is a finding as well.
     */
    void run(byte[] input) throws Exception;

    /** Inputs to start from: traffic of real peers. */
    List<byte[]> seeds();
}
