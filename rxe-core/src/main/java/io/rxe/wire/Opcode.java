package io.rxe.wire;

import static io.rxe.wire.ExtensionHeader.AETH;
import static io.rxe.wire.ExtensionHeader.ATOMIC_ACK_ETH;
import static io.rxe.wire.ExtensionHeader.ATOMIC_ETH;
import static io.rxe.wire.ExtensionHeader.CNP_RESERVED;
import static io.rxe.wire.ExtensionHeader.DETH;
import static io.rxe.wire.ExtensionHeader.FETH;
import static io.rxe.wire.ExtensionHeader.IETH;
import static io.rxe.wire.ExtensionHeader.IMM_DT;
import static io.rxe.wire.ExtensionHeader.RETH;
import static io.rxe.wire.ExtensionHeader.XRC_ETH;
import static io.rxe.wire.Transport.RC;
import static io.rxe.wire.Transport.UC;
import static io.rxe.wire.Transport.UD;
import static io.rxe.wire.Transport.XRC;

import java.util.Arrays;

/**
 * The opcode table: the meaning of each opcode byte, the headers that follow the BTH, and their offsets.
 *
 * <p>No other class interprets the bits of an opcode byte. Operations of a single packet (READ request, atomics, acknowledgements)
 * count as ONLY. Values: IBTA volume 1, table "OpCode field"; checked against captures of a kernel peer.
 */
public enum Opcode {
    RC_SEND_FIRST(0x00, RC, Kind.SEND, Position.FIRST),
    RC_SEND_MIDDLE(0x01, RC, Kind.SEND, Position.MIDDLE),
    RC_SEND_LAST(0x02, RC, Kind.SEND, Position.LAST),
    RC_SEND_LAST_WITH_IMMEDIATE(0x03, RC, Kind.SEND, Position.LAST, IMM_DT),
    RC_SEND_ONLY(0x04, RC, Kind.SEND, Position.ONLY),
    RC_SEND_ONLY_WITH_IMMEDIATE(0x05, RC, Kind.SEND, Position.ONLY, IMM_DT),
    RC_RDMA_WRITE_FIRST(0x06, RC, Kind.WRITE, Position.FIRST, RETH),
    RC_RDMA_WRITE_MIDDLE(0x07, RC, Kind.WRITE, Position.MIDDLE),
    RC_RDMA_WRITE_LAST(0x08, RC, Kind.WRITE, Position.LAST),
    RC_RDMA_WRITE_LAST_WITH_IMMEDIATE(0x09, RC, Kind.WRITE, Position.LAST, IMM_DT),
    RC_RDMA_WRITE_ONLY(0x0A, RC, Kind.WRITE, Position.ONLY, RETH),
    RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE(0x0B, RC, Kind.WRITE, Position.ONLY, RETH, IMM_DT),
    RC_RDMA_READ_REQUEST(0x0C, RC, Kind.READ_REQUEST, Position.ONLY, RETH),
    RC_RDMA_READ_RESPONSE_FIRST(0x0D, RC, Kind.READ_RESPONSE, Position.FIRST, AETH),
    RC_RDMA_READ_RESPONSE_MIDDLE(0x0E, RC, Kind.READ_RESPONSE, Position.MIDDLE),
    RC_RDMA_READ_RESPONSE_LAST(0x0F, RC, Kind.READ_RESPONSE, Position.LAST, AETH),
    RC_RDMA_READ_RESPONSE_ONLY(0x10, RC, Kind.READ_RESPONSE, Position.ONLY, AETH),
    RC_ACKNOWLEDGE(0x11, RC, Kind.ACKNOWLEDGE, Position.ONLY, AETH),
    RC_ATOMIC_ACKNOWLEDGE(0x12, RC, Kind.ATOMIC_ACKNOWLEDGE, Position.ONLY, AETH, ATOMIC_ACK_ETH),
    RC_COMPARE_SWAP(0x13, RC, Kind.ATOMIC, Position.ONLY, ATOMIC_ETH),
    RC_FETCH_ADD(0x14, RC, Kind.ATOMIC, Position.ONLY, ATOMIC_ETH),
    RC_SEND_LAST_WITH_INVALIDATE(0x16, RC, Kind.SEND, Position.LAST, IETH),
    RC_SEND_ONLY_WITH_INVALIDATE(0x17, RC, Kind.SEND, Position.ONLY, IETH),
    /** rdma_rxe lets the ICRC of a FLUSH cover the headers twice ({@link Icrc#coverTwice}); it has no XRC. */
    RC_FLUSH(0x1C, RC, Kind.FLUSH, Position.ONLY, FETH, RETH),
    RC_ATOMIC_WRITE(0x1D, RC, Kind.ATOMIC_WRITE, Position.ONLY, RETH),

    UC_SEND_FIRST(0x20, UC, Kind.SEND, Position.FIRST),
    UC_SEND_MIDDLE(0x21, UC, Kind.SEND, Position.MIDDLE),
    UC_SEND_LAST(0x22, UC, Kind.SEND, Position.LAST),
    UC_SEND_LAST_WITH_IMMEDIATE(0x23, UC, Kind.SEND, Position.LAST, IMM_DT),
    UC_SEND_ONLY(0x24, UC, Kind.SEND, Position.ONLY),
    UC_SEND_ONLY_WITH_IMMEDIATE(0x25, UC, Kind.SEND, Position.ONLY, IMM_DT),
    UC_RDMA_WRITE_FIRST(0x26, UC, Kind.WRITE, Position.FIRST, RETH),
    UC_RDMA_WRITE_MIDDLE(0x27, UC, Kind.WRITE, Position.MIDDLE),
    UC_RDMA_WRITE_LAST(0x28, UC, Kind.WRITE, Position.LAST),
    UC_RDMA_WRITE_LAST_WITH_IMMEDIATE(0x29, UC, Kind.WRITE, Position.LAST, IMM_DT),
    UC_RDMA_WRITE_ONLY(0x2A, UC, Kind.WRITE, Position.ONLY, RETH),
    UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE(0x2B, UC, Kind.WRITE, Position.ONLY, RETH, IMM_DT),

    UD_SEND_ONLY(0x64, UD, Kind.SEND, Position.ONLY, DETH),
    UD_SEND_ONLY_WITH_IMMEDIATE(0x65, UD, Kind.SEND, Position.ONLY, DETH, IMM_DT),

    XRC_SEND_FIRST(0xA0, XRC, Kind.SEND, Position.FIRST, XRC_ETH),
    XRC_SEND_MIDDLE(0xA1, XRC, Kind.SEND, Position.MIDDLE, XRC_ETH),
    XRC_SEND_LAST(0xA2, XRC, Kind.SEND, Position.LAST, XRC_ETH),
    XRC_SEND_LAST_WITH_IMMEDIATE(0xA3, XRC, Kind.SEND, Position.LAST, XRC_ETH, IMM_DT),
    XRC_SEND_ONLY(0xA4, XRC, Kind.SEND, Position.ONLY, XRC_ETH),
    XRC_SEND_ONLY_WITH_IMMEDIATE(0xA5, XRC, Kind.SEND, Position.ONLY, XRC_ETH, IMM_DT),
    XRC_RDMA_WRITE_FIRST(0xA6, XRC, Kind.WRITE, Position.FIRST, XRC_ETH, RETH),
    XRC_RDMA_WRITE_MIDDLE(0xA7, XRC, Kind.WRITE, Position.MIDDLE, XRC_ETH),
    XRC_RDMA_WRITE_LAST(0xA8, XRC, Kind.WRITE, Position.LAST, XRC_ETH),
    XRC_RDMA_WRITE_LAST_WITH_IMMEDIATE(0xA9, XRC, Kind.WRITE, Position.LAST, XRC_ETH, IMM_DT),
    XRC_RDMA_WRITE_ONLY(0xAA, XRC, Kind.WRITE, Position.ONLY, XRC_ETH, RETH),
    XRC_RDMA_WRITE_ONLY_WITH_IMMEDIATE(0xAB, XRC, Kind.WRITE, Position.ONLY, XRC_ETH, RETH, IMM_DT),
    XRC_RDMA_READ_REQUEST(0xAC, XRC, Kind.READ_REQUEST, Position.ONLY, XRC_ETH, RETH),
    XRC_RDMA_READ_RESPONSE_FIRST(0xAD, XRC, Kind.READ_RESPONSE, Position.FIRST, AETH),
    XRC_RDMA_READ_RESPONSE_MIDDLE(0xAE, XRC, Kind.READ_RESPONSE, Position.MIDDLE),
    XRC_RDMA_READ_RESPONSE_LAST(0xAF, XRC, Kind.READ_RESPONSE, Position.LAST, AETH),
    XRC_RDMA_READ_RESPONSE_ONLY(0xB0, XRC, Kind.READ_RESPONSE, Position.ONLY, AETH),
    XRC_ACKNOWLEDGE(0xB1, XRC, Kind.ACKNOWLEDGE, Position.ONLY, AETH),
    XRC_ATOMIC_ACKNOWLEDGE(0xB2, XRC, Kind.ATOMIC_ACKNOWLEDGE, Position.ONLY, AETH, ATOMIC_ACK_ETH),
    XRC_COMPARE_SWAP(0xB3, XRC, Kind.ATOMIC, Position.ONLY, XRC_ETH, ATOMIC_ETH),
    XRC_FETCH_ADD(0xB4, XRC, Kind.ATOMIC, Position.ONLY, XRC_ETH, ATOMIC_ETH),
    XRC_SEND_LAST_WITH_INVALIDATE(0xB6, XRC, Kind.SEND, Position.LAST, XRC_ETH, IETH),
    XRC_SEND_ONLY_WITH_INVALIDATE(0xB7, XRC, Kind.SEND, Position.ONLY, XRC_ETH, IETH),
    XRC_FLUSH(0xBC, XRC, Kind.FLUSH, Position.ONLY, XRC_ETH, FETH, RETH),
    XRC_ATOMIC_WRITE(0xBD, XRC, Kind.ATOMIC_WRITE, Position.ONLY, XRC_ETH, RETH),

    /** Congestion notification packet, with BECN in its BTH. Source: InfiniBand, annex on RoCEv2. */
    CNP(0x81, Transport.CNP, Kind.NOTIFICATION, Position.ONLY, CNP_RESERVED);

    private static final Opcode[] BY_CODE = new Opcode[256];

    static {
        for (Opcode opcode : values()) {
            BY_CODE[opcode.code] = opcode;
        }
    }

    private final int code;
    private final Transport transport;
    private final Kind kind;
    private final Position position;
    private final boolean response;
    private final boolean payload;
    private final int headerLength;
    private final int[] offsets;
    private final int rethOffset;
    private final int aethOffset;
    private final int immDtOffset;
    private final int dethOffset;

    Opcode(int code, Transport transport, Kind kind, Position position, ExtensionHeader... headers) {
        this.code = code;
        this.transport = transport;
        this.kind = kind;
        this.position = position;
        this.response = kind == Kind.READ_RESPONSE || kind == Kind.ACKNOWLEDGE || kind == Kind.ATOMIC_ACKNOWLEDGE
            || kind == Kind.NOTIFICATION;
        this.payload = kind == Kind.SEND || kind == Kind.WRITE || kind == Kind.READ_RESPONSE || kind == Kind.ATOMIC_WRITE;
        this.offsets = new int[ExtensionHeader.values().length];
        Arrays.fill(offsets, -1);
        int end = Bth.LENGTH;
        for (ExtensionHeader header : headers) {
            offsets[header.ordinal()] = end;
            end += header.lengthBytes;
        }
        this.headerLength = end;
        this.rethOffset = offsets[RETH.ordinal()];
        this.aethOffset = offsets[AETH.ordinal()];
        this.immDtOffset = offsets[IMM_DT.ordinal()];
        this.dethOffset = offsets[DETH.ordinal()];
    }

    /**
     * Looks up an opcode byte.
     *
     * @param code the byte; only the low 8 bits count.
     * @return the opcode, or null when the byte is not defined.
     */
    public static Opcode of(int code) {
        return BY_CODE[code & 0xFF];
    }

    /** {@return the opcode byte, 0 to 255} */
    public int code() {
        return code;
    }

    /** {@return the transport service this opcode belongs to} */
    public Transport transport() {
        return transport;
    }

    /** {@return whether the responder handles it; the others are acknowledgements, READ responses and CNPs} */
    public boolean isRequest() {
        return !response;
    }

    /** {@return whether it carries part of a SEND, with or without immediate data or invalidation} */
    public boolean isSend() {
        return kind == Kind.SEND;
    }

    /** {@return whether it carries part of an RDMA WRITE; ATOMIC_WRITE is not one} */
    public boolean isWrite() {
        return kind == Kind.WRITE;
    }

    /** {@return whether it is an RDMA READ request} */
    public boolean isReadRequest() {
        return kind == Kind.READ_REQUEST;
    }

    /** {@return whether it carries data of an RDMA READ} */
    public boolean isReadResponse() {
        return kind == Kind.READ_RESPONSE;
    }

    /** {@return whether it is a COMPARE_SWAP or FETCH_ADD request} */
    public boolean isAtomic() {
        return kind == Kind.ATOMIC;
    }

    /** {@return whether it is a FETCH_ADD request} */
    public boolean isFetchAdd() {
        return this == RC_FETCH_ADD || this == XRC_FETCH_ADD;
    }

    /** {@return whether it writes eight bytes at once; an empty READ response acknowledges it} */
    public boolean isAtomicWrite() {
        return kind == Kind.ATOMIC_WRITE;
    }

    /** {@return whether it makes earlier WRITEs visible or persistent; an empty READ response acknowledges it} */
    public boolean isFlush() {
        return kind == Kind.FLUSH;
    }

    /** {@return whether its response is more than an ACK: READ, atomics, ATOMIC_WRITE, FLUSH} */
    public boolean isReadOrAtomic() {
        return kind == Kind.READ_REQUEST || kind == Kind.ATOMIC || kind == Kind.ATOMIC_WRITE || kind == Kind.FLUSH;
    }

    /** {@return whether it is the response to an atomic} */
    public boolean isAtomicAck() {
        return kind == Kind.ATOMIC_ACKNOWLEDGE;
    }

    /** {@return whether it is the plain ACKNOWLEDGE, which also carries NAK and RNR NAK} */
    public boolean isAck() {
        return kind == Kind.ACKNOWLEDGE;
    }

    /** {@return whether it notifies the sender of congestion} */
    public boolean isNotification() {
        return kind == Kind.NOTIFICATION;
    }

    /** {@return whether it starts a message: FIRST or ONLY} */
    public boolean isStart() {
        return position == Position.FIRST || position == Position.ONLY;
    }

    /** {@return whether it ends a message: LAST or ONLY} */
    public boolean isEnd() {
        return position == Position.LAST || position == Position.ONLY;
    }

    /** {@return whether it is the first of several packets} */
    public boolean isFirst() {
        return position == Position.FIRST;
    }

    /** {@return whether packets of the same message precede and follow it} */
    public boolean isMiddle() {
        return position == Position.MIDDLE;
    }

    /** {@return whether it is the last of several packets} */
    public boolean isLast() {
        return position == Position.LAST;
    }

    /** {@return whether it is the only packet of its message} */
    public boolean isOnly() {
        return position == Position.ONLY;
    }

    /** {@return whether an RDMA extended transport header follows} */
    public boolean hasReth() {
        return rethOffset >= 0;
    }

    /** {@return whether an ACK extended transport header follows} */
    public boolean hasAeth() {
        return aethOffset >= 0;
    }

    /** {@return whether an atomic extended transport header follows} */
    public boolean hasAtomicEth() {
        return atomicEthOffset() >= 0;
    }

    /** {@return whether an atomic ACK extended transport header follows} */
    public boolean hasAtomicAckEth() {
        return atomicAckEthOffset() >= 0;
    }

    /** {@return whether immediate data follows} */
    public boolean hasImmDt() {
        return immDtOffset >= 0;
    }

    /** {@return whether an invalidate extended transport header follows} */
    public boolean hasIeth() {
        return iethOffset() >= 0;
    }

    /** {@return whether a datagram extended transport header follows} */
    public boolean hasDeth() {
        return dethOffset >= 0;
    }

    /** {@return whether a flush extended transport header follows} */
    public boolean hasFeth() {
        return fethOffset() >= 0;
    }

    /** {@return whether an XRC extended transport header follows} */
    public boolean hasXrcEth() {
        return xrcEthOffset() >= 0;
    }

    /** {@return whether payload may follow the headers; it may be empty} */
    public boolean hasPayload() {
        return payload;
    }

    /** {@return length of BTH and extension headers in bytes: the payload's offset from the start of the BTH} */
    public int headerLength() {
        return headerLength;
    }

    /** {@return offset of the RETH from the start of the BTH, or -1} */
    public int rethOffset() {
        return rethOffset;
    }

    /** {@return offset of the AETH from the start of the BTH, or -1} */
    public int aethOffset() {
        return aethOffset;
    }

    /** {@return offset of the AtomicETH from the start of the BTH, or -1} */
    public int atomicEthOffset() {
        return offsets[ATOMIC_ETH.ordinal()];
    }

    /** {@return offset of the AtomicAckETH from the start of the BTH, or -1} */
    public int atomicAckEthOffset() {
        return offsets[ATOMIC_ACK_ETH.ordinal()];
    }

    /** {@return offset of the immediate data from the start of the BTH, or -1} */
    public int immDtOffset() {
        return immDtOffset;
    }

    /** {@return offset of the IETH from the start of the BTH, or -1} */
    public int iethOffset() {
        return offsets[IETH.ordinal()];
    }

    /** {@return offset of the DETH from the start of the BTH, or -1} */
    public int dethOffset() {
        return dethOffset;
    }

    /** {@return offset of the FETH from the start of the BTH, or -1} */
    public int fethOffset() {
        return offsets[FETH.ordinal()];
    }

    /** {@return offset of the XRCETH from the start of the BTH, or -1} */
    public int xrcEthOffset() {
        return offsets[XRC_ETH.ordinal()];
    }

    /** The function of a packet. */
    private enum Kind {
        SEND, WRITE, READ_REQUEST, READ_RESPONSE, ACKNOWLEDGE, ATOMIC_ACKNOWLEDGE, ATOMIC, FLUSH, ATOMIC_WRITE,
        NOTIFICATION
    }

    /** The position of a packet in its message. */
    private enum Position {
        FIRST, MIDDLE, LAST, ONLY
    }
}
