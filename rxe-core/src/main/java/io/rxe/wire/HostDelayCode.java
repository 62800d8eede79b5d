package io.rxe.wire;

/**
 * How long a host may have delayed a packet, in 5 bits (rule G8). Code 0 is less than 8 us; each further code is 16, 24, 32, 48, 64,
 * ... us, two to an octave, up to 524 ms.
 */
public final class HostDelayCode {
    /** The largest. */
    public static final int MAX = 31;
    private static final int UNIT_BITS = 13; // 8.2 us
    private static final long LEAST_NS = 1L << UNIT_BITS;

    private HostDelayCode() {
    }

    /** The least code whose delay is not shorter, 0 for less than 8 us, or the largest. */
    public static int of(long ns) {
        if (ns < LEAST_NS) {
            return 0;
        }
        int code = Math.max(1, 2 * (62 - UNIT_BITS - Long.numberOfLeadingZeros(ns)) - 1);
        while (code < MAX && ns(code) < ns) {
            code++;
        }
        return Math.min(MAX, code);
    }

    /** Nanoseconds of a code, 0 to 31. */
    public static long ns(int code) {
        return code == 0 ? 0 : (2L + (code - 1 & 1)) << (code - 1 >> 1) + UNIT_BITS;
    }
}
