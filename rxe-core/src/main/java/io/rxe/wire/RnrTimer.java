package io.rxe.wire;

/** The 32 delays a responder can ask for in an RNR NAK. Rule T7; code 0 is the longest delay, not "none". */
public final class RnrTimer {
    /** Number of codes. */
    public static final int CODES = 32;

    /** The delays in units of 10 microseconds, by code. */
    private static final int[] TEN_MICROSECONDS = {
        65_536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1_024, 1_536, 2_048, 3_072, 4_096,
        6_144, 8_192, 12_288, 16_384, 24_576, 32_768, 49_152
    };
    private static final long TEN_MICROSECONDS_NS = 10_000;

    private RnrTimer() {
    }

    /**
     * Looks a delay up.
     *
     * @param code timer code; only the low 5 bits count, as on the wire.
     * @return the delay in ns.
     */
    public static long toNs(int code) {
        return TEN_MICROSECONDS[code & CODES - 1] * TEN_MICROSECONDS_NS;
    }

    /**
     * Finds the code of the shortest delay that is at least as long as asked.
     *
     * @param ns wanted delay in ns, 0 to 655,360,000.
     * @return timer code, 0 to 31.
     * @throws IllegalArgumentException when no code waits that long, or ns is negative.
     */
    public static int codeFor(long ns) {
        if (ns < 0 || ns > toNs(0)) {
            throw new IllegalArgumentException("RNR delay " + ns + " ns is outside 0 to " + toNs(0)
                + " ns: ask for at most 655.36 ms");
        }
        for (int code = 1; code < CODES; code++) {
            if (toNs(code) >= ns) {
                return code;
            }
        }
        return 0;
    }
}
