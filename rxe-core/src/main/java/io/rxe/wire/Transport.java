package io.rxe.wire;

/** The transport service an opcode belongs to: the three high bits of the opcode byte. */
public enum Transport {
    /** Reliable connection: acknowledged, in order, one peer. */
    RC(0x00),
    /** Unreliable connection: one peer, no acknowledgement. */
    UC(0x20),
    /** Unreliable datagram: many peers, one packet per message. */
    UD(0x60),
    /** Extended reliable connection: as RC, and each request names the shared receive queue it is for. */
    XRC(0xA0),
    /** None: congestion notification of a connection's peer, whatever its transport. */
    CNP(0x80);

    /** The bits of an opcode that name its transport. */
    public static final int MASK = 0xE0;

    private final int opcodeBits;

    Transport(int opcodeBits) {
        this.opcodeBits = opcodeBits;
    }

    /** {@return the opcode bits under {@link #MASK} that name this transport} */
    public int opcodeBits() {
        return opcodeBits;
    }
}
