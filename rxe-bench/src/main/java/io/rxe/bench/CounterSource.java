package io.rxe.bench;

import java.util.Map;

/** Reads the counters of the NICs under test; supplied by the code that opened them. */
@FunctionalInterface
public interface CounterSource {
    /** A source without counters. */
    CounterSource NONE = Map::of;

    /**
     * Reads every counter now.
     *
     * @return counts by name, summed over the NICs, in the order to print.
     */
    Map<String, Long> read();
}
