package io.rxe.wire;

/**
 * Arithmetic on packet sequence numbers: 24 bits, circular. The same arithmetic serves message sequence numbers.
 *
 * <p>Arguments are sequence numbers in [0, 2^24); higher bits are ignored. Order holds between numbers less than 2^23 apart:
 *
 * <pre>
 *   FFFFFE  FFFFFF  000000  000001      FFFFFE is before 000001, distance 3
 * </pre>
 */
public final class Psn {
    /** All 24 bits. */
    public static final int MASK = 0x00FF_FFFF;

    private Psn() {
    }

    /** {@return the sequence number n after psn; n may be negative} */
    public static int add(int psn, int n) {
        return psn + n & MASK;
    }

    /** {@return the sequence number after psn} */
    public static int next(int psn) {
        return psn + 1 & MASK;
    }

    /** {@return the sequence number before psn} */
    public static int previous(int psn) {
        return psn - 1 & MASK;
    }

    /** {@return the signed distance a - b, in [-2^23, 2^23); negative when a comes before b} */
    public static int subtract(int a, int b) {
        return a - b << 8 >> 8;
    }

    /** {@return six lower-case hex digits} */
    public static String toString(int psn) {
        String digits = Integer.toHexString(psn & MASK);
        return "000000".substring(digits.length()) + digits;
    }
}
