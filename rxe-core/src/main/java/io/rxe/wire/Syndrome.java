package io.rxe.wire;

/**
 * The syndrome byte of an AETH.
 *
 * <pre>
 *  0   1 2   3 4 5 6 7
 * +-+-----+-----------+
 * |0| kind |  value   |   kind 0 ACK (value: credits), 1 RNR NAK (value: timer code), 2 reserved, 3 NAK (value: error)
 * +-+-----+-----------+   first bit 1: reserved
 * </pre>
 */
public final class Syndrome {
    /** Positive acknowledgement without flow control: the only kind of ACK rdma_rxe sends. */
    public static final int ACK_UNLIMITED = 0x1F;
    /** NAK: a packet is missing; the PSN of the NAK is the first missing one. */
    public static final int PSN_SEQUENCE_ERROR = 0x60;
    /** NAK: the request is malformed or not allowed on this queue pair. */
    public static final int INVALID_REQUEST = 0x61;
    /** NAK: key, range or permission of the remote memory is wrong. */
    public static final int REMOTE_ACCESS_ERROR = 0x62;
    /** NAK: the responder failed on its own side. */
    public static final int REMOTE_OPERATIONAL_ERROR = 0x63;

    private static final int KIND_MASK = 0xE0;
    private static final int ACK = 0x00;
    private static final int RNR = 0x20;
    private static final int NAK = 0x60;
    private static final int VALUE_MASK = 0x1F;
    private static final int LAST_DEFINED_NAK = 0x64;
    private static final int MAX_CREDIT_CODE = 30;
    private static final int MAX_CREDITS = 1 << 15;

    private Syndrome() {
    }

    /**
     * Returns the syndrome of a positive acknowledgement with end-to-end credits (IBTA table "End-to-End Flow Control Credit
     * Codes").
     *
     * @param messages messages the receiver has receive requests for, 0 or more; rounded down to the next number that has a code.
     */
    public static int ackWithCredits(long messages) {
        if (messages < 2) {
            return (int) messages;
        }
        if (messages >= MAX_CREDITS) {
            return MAX_CREDIT_CODE;
        }
        int log = Long.SIZE - 1 - Long.numberOfLeadingZeros(messages);
        return 2 * log + (messages >= 3L << log - 1 ? 1 : 0);
    }

    /**
     * Returns the number of messages of a credit code: 0, 1, 2, 3, 4, 6, 8, 12, 16, ... 32768.
     *
     * @param code 0 to 30; 31 means no flow control and has no number.
     */
    public static int credits(int code) {
        if (code < 0 || code > MAX_CREDIT_CODE) {
            throw new IllegalArgumentException("credit code " + code + " is not in 0..30");
        }
        if (code < 2) {
            return code;
        }
        int power = 1 << code / 2;
        return code % 2 == 0 ? power : power + power / 2;
    }

    /** {@return the syndrome of an RNR NAK with a timer code, 0 to 31} */
    public static int rnr(int timerCode) {
        return RNR | timerCode & VALUE_MASK;
    }

    /** {@return whether it is a positive acknowledgement} */
    public static boolean isAck(int syndrome) {
        return (syndrome & KIND_MASK) == ACK;
    }

    /** {@return whether it is an RNR NAK} */
    public static boolean isRnr(int syndrome) {
        return (syndrome & KIND_MASK) == RNR;
    }

    /** {@return whether it is a NAK, whatever its error code} */
    public static boolean isNak(int syndrome) {
        return (syndrome & KIND_MASK) == NAK;
    }

    /** {@return whether its kind is not defined; such a packet must be ignored} */
    public static boolean isReserved(int syndrome) {
        return !isAck(syndrome) && !isRnr(syndrome) && !isNak(syndrome);
    }

    /** {@return credit code of an ACK, 0 to 31; 31 = unlimited} */
    public static int creditCode(int syndrome) {
        return syndrome & VALUE_MASK;
    }

    /** {@return timer code of an RNR NAK, 0 to 31; {@link RnrTimer} has the delays} */
    public static int rnrTimerCode(int syndrome) {
        return syndrome & VALUE_MASK;
    }

    /** {@return the syndrome in words} */
    public static String describe(int syndrome) {
        if (isAck(syndrome)) {
            return creditCode(syndrome) == VALUE_MASK ? "ACK" : "ACK credits " + credits(creditCode(syndrome));
        }
        if (isRnr(syndrome)) {
            return "RNR NAK timer " + rnrTimerCode(syndrome);
        }
        if (isReserved(syndrome)) {
            return "reserved syndrome " + hex(syndrome);
        }
        switch (syndrome & 0xFF) {
            case PSN_SEQUENCE_ERROR:
                return "NAK PSN sequence error";
            case INVALID_REQUEST:
                return "NAK invalid request";
            case REMOTE_ACCESS_ERROR:
                return "NAK remote access error";
            case REMOTE_OPERATIONAL_ERROR:
                return "NAK remote operational error";
            case LAST_DEFINED_NAK:
                return "NAK invalid RD request";
            default:
                return "NAK reserved code " + hex(syndrome);
        }
    }

    private static String hex(int syndrome) {
        return "0x" + Integer.toHexString(syndrome & 0xFF);
    }
}
