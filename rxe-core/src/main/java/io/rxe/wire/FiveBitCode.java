package io.rxe.wire;

/**
 * What peers that know each other tell in 5 reserved bits of the {@link Bth}. Code 0 is less than a unit; each further code is 2, 3, 4, 6,
 * 8, ... units, two to an octave, up to 65,536.
 */
public enum FiveBitCode {
    /** How long a host may have delayed a packet (rule G8), or it waited (G10), in ns: the unit is 8 us, the largest code 524 ms. */
    HOST_DELAY(13),
    /** Payload bytes a second that READ responses may bring (rule G9): the unit is 0.5 Mbit/s, the largest code 34 Gbit/s. */
    READ_RATE(16);

    /** The largest. */
    public static final int MAX = 31;

    private final int unitBits;

    FiveBitCode(int unitBits) {
        this.unitBits = unitBits;
    }

    /** The least code whose value is not smaller, 0 for less than a unit, or the largest. */
    public int of(long value) {
        if (value < 1L << unitBits) {
            return 0;
        }
        int code = Math.max(1, 2 * (62 - unitBits - Long.numberOfLeadingZeros(value)) - 1);
        while (code < MAX && value(code) < value) {
            code++;
        }
        return Math.min(MAX, code);
    }

    /** The largest code whose value is not larger. */
    public int atMost(long value) {
        int code = of(value);
        return value(code) > value ? code - 1 : code;
    }

    /** What a code stands for, 0 to 31. */
    public long value(int code) {
        return code == 0 ? 0 : (2L + (code - 1 & 1)) << (code - 1 >> 1) + unitBits;
    }
}
