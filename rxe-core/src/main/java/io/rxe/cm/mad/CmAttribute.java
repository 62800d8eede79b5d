package io.rxe.cm.mad;

/** The messages of connection management, by attribute ID (IBTA chapter 12). */
public enum CmAttribute {
    /** Request for communication. */
    REQ(0x10),
    /** Message receipt acknowledgement: the reply takes longer. */
    MRA(0x11),
    /** Reject. */
    REJ(0x12),
    /** Reply to a REQ: accepted. */
    REP(0x13),
    /** Ready to use. */
    RTU(0x14),
    /** Disconnect request. */
    DREQ(0x15),
    /** Disconnect reply. */
    DREP(0x16),
    /** Service ID resolution request: which queue pair receives the datagrams of a service? */
    SIDR_REQ(0x17),
    /** Service ID resolution response. */
    SIDR_REP(0x18),
    /** Load alternate path. Linux drops it on RoCE. */
    LAP(0x19),
    /** Alternate path response: the reply to a LAP. */
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

    /** The attribute with an ID, or null. */
    public static CmAttribute of(int code) {
        int index = code - FIRST_CODE;
        return index >= 0 && index < BY_CODE.length ? BY_CODE[index] : null;
    }
}
