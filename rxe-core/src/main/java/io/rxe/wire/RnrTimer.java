package io.rxe.wire;

/** The 32 delays that an RNR NAK can ask for (rule T7). Code 0 is the longest delay, not "none". */
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
     * Looks up a delay.
     *
     * @param code timer code; only the low 5 bits count, as on the wire.
     * @return the delay in ns.
     */
    public static long toNs(int code) {
        return TEN_MICROSECONDS[code & CODES - 1] * TEN_MICROSECONDS_NS;
    }
}
