package io.rxe.capture;

import java.math.BigInteger;

/**
 * The unit of the time stamps of a pcapng interface.
 *
 * @param resolution value of the if_tsresol option: n for 10^-n s, 0x80 | n for 2^-n s.
 * @param offsetSeconds added to every time stamp.
 */
record TimeScale(int resolution, long offsetSeconds) {
    private static final long SECOND_NS = 1_000_000_000;
    private static final int NANOSECONDS = 9;
    private static final int BINARY = 0x80;

    /** {@return ns since 1970} */
    long toNs(long timestamp) {
        return offsetSeconds * SECOND_NS + scale(timestamp);
    }

    private long scale(long timestamp) {
        if (resolution == NANOSECONDS) {
            return timestamp;
        }
        boolean binary = (resolution & BINARY) != 0;
        BigInteger unitsPerSecond = binary ? BigInteger.ONE.shiftLeft(resolution & ~BINARY) : BigInteger.TEN.pow(resolution);
        BigInteger units = new BigInteger(Long.toUnsignedString(timestamp));
        return units.multiply(BigInteger.valueOf(SECOND_NS)).divide(unitsPerSecond).longValue();
    }
}
