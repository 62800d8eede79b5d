package io.rxe.counters;

import io.rxe.wire.DropReason;
import java.util.stream.Stream;

/** Packets that an engine has dropped. */
public final class Drops {
    private Drops() {
    }

    /** For any reason. */
    public static long of(EngineCounters counters) {
        return Stream.of(DropReason.values()).mapToLong(counters::get).sum();
    }
}
