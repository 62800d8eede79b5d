package io.rxe.cm.exchange;

/** Time codes of connection management: code n stands for 4.096 us x 2^n (IBTA chapter 12). */
final class CmTimes {
    /** The largest code of a field of five bits. */
    static final int MAX_CODE = 31;
    /** Service timeout of our MRAs, and the longest one we grant: 2^24 x 4.096 us = 69 s, as in rdma_cm. */
    static final int SERVICE_TIMEOUT_CODE = 24;
    /**
     * The longest transport timer taken from a message: 2^21 x 4.096 us = 8.6 s. rdma_cm has 19 or 20. A peer that names a longer one, or
     * none (code 0), gets this one; it only receives retransmissions sooner than it asked for.
     */
    static final int MAX_ACK_TIMEOUT_CODE = 21;
    /** The transport timer of rdma_cm on RoCE: twice the packet life time of code 18, and a short ACK delay. */
    static final int RDMA_CM_ACK_TIMEOUT_CODE = 19;
    /** The longest ACK delay taken from a REP, 4.3 s: more than the transport timer above can hold. */
    static final int MAX_ACK_DELAY_CODE = 20;
    /** The longest CM response timeout taken from a message: 8.6 s. rdma_cm has 20. */
    static final int MAX_RESPONSE_CODE = 21;
    /** The shortest one, 1.07 s: a forged request must not make us retransmit its reply faster. */
    static final int MIN_RESPONSE_CODE = 18;
    private static final long NS_PER_MS = 1_000_000;
    /** Linux takes 2^8 x 4.096 us for a millisecond. */
    private static final int MILLISECOND_CODE = 8;

    /**
     * The longest an exchange waits for a peer that may be gone, whatever times and retries the peer named, MRAs included: for the
     * decision on a request the peer has not repeated, for the RTU and for the DREP. rdma_cm gives up within 98 s.
     */
    static final long PEER_LIMIT_NS = 128_000 * NS_PER_MS;
    /** Until the DREQ of a NIC that is closed is sent again: its owner waits for the answers. */
    static final long CLOSING_INTERVAL_NS = 50 * NS_PER_MS;
    /** The longest a refused request is kept to reply to a duplicate: until after the next REQ of rdma_cm, which comes after 6.1 s. */
    static final long REFUSED_LIMIT_NS = 8_192 * NS_PER_MS;

    private CmTimes() {
    }

    /**
     * The time to wait for a code, in nanoseconds. Linux rounds 4.096 us x 2^8 = 1.049 ms down to one millisecond
     * ({@code cm_convert_to_ms}); the same here, so that both ends agree.
     */
    static long timeoutNs(int code) {
        return NS_PER_MS << Math.max(0, code - MILLISECOND_CODE);
    }

    /** A transport timer as a REQ names it, between 1 and {@link #MAX_ACK_TIMEOUT_CODE}. */
    static int limitedAckTimeoutCode(int code) {
        return code == 0 ? MAX_ACK_TIMEOUT_CODE : Math.min(code, MAX_ACK_TIMEOUT_CODE);
    }

    /** A CM response timeout as a REQ names it, between {@link #MIN_RESPONSE_CODE} and {@link #MAX_RESPONSE_CODE}. */
    static int limitedResponseCode(int code) {
        return Math.max(MIN_RESPONSE_CODE, Math.min(code, MAX_RESPONSE_CODE));
    }

    /** The service timeout of an MRA, limited to {@link #SERVICE_TIMEOUT_CODE}, in nanoseconds. */
    static long serviceTimeoutNs(int code) {
        return timeoutNs(Math.min(code, SERVICE_TIMEOUT_CODE));
    }

    /**
     * Time code of the transport timer: twice the packet life time plus the responder's ACK delay (rule T10), rounded to the nearest
     * power of two, halves upwards.
     *
     * @param packetLifeTimeCode longest time a packet takes to the peer, 0 to 30.
     * @param ackDelayCode       longest time the responder takes to acknowledge, 0 to 31.
     */
    static int ackTimeoutCode(int packetLifeTimeCode, int ackDelayCode) {
        long sum = (1L << packetLifeTimeCode + 1) + (1L << ackDelayCode);
        int floor = 63 - Long.numberOfLeadingZeros(sum);
        boolean upperHalf = 2 * sum >= 3L << floor;
        return Math.min(MAX_CODE, upperHalf ? floor + 1 : floor);
    }

    /**
     * The time between two transmissions of a REQ, on both sides: two packet life times, and the time the peer has for its reply. A
     * transport timer below that of rdma_cm is for the data and makes no REQ come sooner.
     */
    static long requestIntervalNs(int ackTimeoutCode, int responseTimeoutCode) {
        return 2 * timeoutNs(packetLifeTimeCode(Math.max(ackTimeoutCode, RDMA_CM_ACK_TIMEOUT_CODE))) + timeoutNs(responseTimeoutCode);
    }

    /** The packet life time a transport timer was derived from, if the ACK delay was 0; Linux assumes the same. */
    static int packetLifeTimeCode(int ackTimeoutCode) {
        return Math.max(0, ackTimeoutCode - 1);
    }

    /** Seconds with one decimal. */
    static String seconds(long ns) {
        long tenths = (ns + 50 * NS_PER_MS) / (100 * NS_PER_MS);
        return tenths / 10 + "." + tenths % 10 + " s";
    }
}
