package io.rxe.bench;

import java.util.Map;

/** Where the counters of the NICs under test come from: whoever opened them knows. */
@FunctionalInterface
public interface CounterSource {
    /** A source that knows none. */
    CounterSource NONE = Map::of;

    /**
     * Reads every counter now.
     *
     * @return counts by name, summed over the NICs, in the order to print.
     */
    Map<String, Long> read();
}
