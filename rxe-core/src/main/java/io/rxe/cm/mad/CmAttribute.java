package io.rxe.cm.mad;

/** What a MAD of connection management is: its attribute ID. */
public enum CmAttribute {
    /** Request for a connection. */
    REQ(0x10),
    /** Message receipt acknowledged: the answer takes longer. */
    MRA(0x11),
    /** Rejection. */
    REJ(0x12),
    /** Reply to a request: accepted. */
    REP(0x13),
    /** Ready to use. */
    RTU(0x14),
    /** Request to disconnect. */
    DREQ(0x15),
    /** Reply to a request to disconnect. */
    DREP(0x16),
    /** Asks which queue pair serves datagrams of a service. */
    SIDR_REQ(0x17),
    /** Answers that. */
    SIDR_REP(0x18),
    /** Load alternate path; Linux ignores it on RoCE, and so do we. */
    LAP(0x19),
    /** Answer to an alternate path; ignored as LAP is. */
    APR(0x1A);

    private static final CmAttribute[] BY_CODE = values();
    private static final int FIRST_CODE = 0x10;

    private final int code;

    CmAttribute(int code) {
        this.code = code;
    }

    /** The attribute ID on the wire. */
    public int code() {
        return code;
    }

    /** The attribute of an ID, or null. */
    public static CmAttribute of(int code) {
        int index = code - FIRST_CODE;
        return index >= 0 && index < BY_CODE.length ? BY_CODE[index] : null;
    }
}
