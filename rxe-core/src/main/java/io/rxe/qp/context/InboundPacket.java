package io.rxe.qp.context;

import io.rxe.port.Flow;
import io.rxe.wire.Bth;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Opcode;
import org.agrona.DirectBuffer;

/**
 * A received packet that passed {@link HeaderValidator}: where each part lies. One object per engine, used again for every packet, and
 * valid until the call that gets it returns.
 */
public final class InboundPacket {
    private DirectBuffer buffer;
    private int offset;
    private int length;
    private Opcode opcode;
    private int psn;
    private int destinationQpn;
    private int payloadOffset;
    private int payloadLength;
    private Flow flow;

    /** Points it at a packet that passed {@link HeaderValidator#check}. */
    public void wrap(DirectBuffer newBuffer, int newOffset, int newLength, Flow newFlow) {
        buffer = newBuffer;
        offset = newOffset;
        length = newLength;
        flow = newFlow;
        opcode = Opcode.of(Bth.opcode(newBuffer, newOffset));
        psn = Bth.psn(newBuffer, newOffset);
        destinationQpn = Bth.destinationQpn(newBuffer, newOffset);
        payloadOffset = newOffset + opcode.headerLength();
        payloadLength = HeaderValidator.payloadLength(newBuffer, newOffset, newLength, opcode);
    }

    public DirectBuffer buffer() {
        return buffer;
    }

    /** Where the BTH begins. */
    public int offset() {
        return offset;
    }

    /** Bytes from BTH to ICRC. */
    public int length() {
        return length;
    }

    public Opcode opcode() {
        return opcode;
    }

    public int psn() {
        return psn;
    }

    public int destinationQpn() {
        return destinationQpn;
    }

    public boolean isAckRequested() {
        return Bth.isAckRequested(buffer, offset);
    }

    public boolean isSolicited() {
        return Bth.isSolicited(buffer, offset);
    }

    public int payloadOffset() {
        return payloadOffset;
    }

    /** Bytes of payload, without pad. */
    public int payloadLength() {
        return payloadLength;
    }

    public Flow flow() {
        return flow;
    }

    /** Where a header lies whose offset in the packet the opcode table gives. */
    public int at(int headerOffset) {
        return offset + headerOffset;
    }
}
