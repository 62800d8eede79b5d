package io.rxe.net.fault;

import java.math.BigDecimal;
import java.util.Locale;

/**
 * When a fault happens.
 *
 * @param kind  of what is counted.
 * @param value a number of calls, nanoseconds or bytes; for a share, millionths of a percent.
 */
record Trigger(Kind kind, long value) {
    static final Trigger ALWAYS = new Trigger(Kind.ALWAYS, 0);
    /** A share of 1. */
    static final long WHOLE = 100_000_000;

    /** What is counted. */
    enum Kind {
        /** Each call; of what happens by itself, once and at once. */
        ALWAYS,
        /** One call. */
        NTH,
        /** One call in so many. */
        EVERY,
        /** Each call with a probability. */
        SHARE,
        /** Each call from a time on; of what happens by itself, once at that time. */
        AFTER_TIME,
        /** Each call after so many bytes; of what happens by itself, once when that many were posted to send queues. */
        AFTER_BYTES,
        /** The one call that reaches so many bytes. */
        AT_BYTES
    }

    @Override
    public String toString() {
        return switch (kind) {
            case ALWAYS -> "";
            case NTH, EVERY -> " " + kind.name().toLowerCase(Locale.ROOT) + " " + value;
            case SHARE -> " " + BigDecimal.valueOf(value, 6).stripTrailingZeros().toPlainString() + "%";
            case AFTER_TIME -> " after " + value + "ns";
            case AFTER_BYTES, AT_BYTES -> " after " + value + "B";
        };
    }
}
