package io.rxe.wire;

/**
 * When a packet left, by the clock of its host, which peers that know each other tell in ten reserved bits of the {@link Bth} (rule G10):
 * in units of 32,768 ns, modulo 1024 of them. What is less than {@link #MODULO_NS} apart can be told apart.
 */
public final class SendTime {
    /** After so long the codes begin anew. */
    public static final long MODULO_NS = 1 << 25;
    private static final int UNIT_BITS = 15;

    private SendTime() {
    }

    /** {@return the code of a time, 0 to 1023} */
    public static int of(long ns) {
        return (int) ((ns & MODULO_NS - 1) >> UNIT_BITS);
    }

    /** {@return the time of a code, 0 to {@link #MODULO_NS}, exclusive} */
    public static long ns(int code) {
        return (long) code << UNIT_BITS;
    }
}
