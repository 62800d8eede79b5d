package io.rxe.cm;

/** Time codes of connection management: a code n stands for 4.096 us x 2^n. */
final class CmTimes {
    /** The largest code of a field of five bits. */
    static final int MAX_CODE = 31;
    private static final long NS_PER_MS = 1_000_000;
    /** 2^8 x 4.096 us is the millisecond Linux counts in. */
    private static final int MILLISECOND_CODE = 8;

    private CmTimes() {
    }

    /**
     * How long a timeout code lets us wait. Linux rounds 4.096 us x 2^8 = 1.049 ms to one millisecond and so waits 2 % less; the same
     * here, so that both ends agree (Linux: cm_convert_to_ms).
     */
    static long timeoutNs(int code) {
        return NS_PER_MS << Math.max(0, code - MILLISECOND_CODE);
    }

    /**
     * Time code of the transport timer: twice the packet life time plus the responder's ACK delay (rule T10), rounded to the nearest
     * power of two, halves upwards.
     *
     * @param packetLifeTimeCode one way through the network.
     * @param ackDelayCode       longest time the responder takes to acknowledge.
     */
    static int ackTimeoutCode(int packetLifeTimeCode, int ackDelayCode) {
        long sum = (1L << packetLifeTimeCode + 1) + (1L << ackDelayCode);
        int floor = 63 - Long.numberOfLeadingZeros(sum);
        boolean upperHalf = 2 * sum >= 3L << floor;
        return Math.min(MAX_CODE, upperHalf ? floor + 1 : floor);
    }

    /** The packet life time a transport timer was made from, the ACK delay left out of account (Linux does so too). */
    static int packetLifeTimeCode(int ackTimeoutCode) {
        return Math.max(0, ackTimeoutCode - 1);
    }

    /** Seconds with one digit after the point. */
    static String seconds(long ns) {
        long tenths = (ns + 50 * NS_PER_MS) / (100 * NS_PER_MS);
        return tenths / 10 + "." + tenths % 10 + " s";
    }
}
