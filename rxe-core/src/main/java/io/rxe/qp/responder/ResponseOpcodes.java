package io.rxe.qp.responder;

import io.rxe.wire.Opcode;
import io.rxe.wire.Transport;

/** The opcodes of a transport's responses: RC and XRC have the same, but for the transport bits. Immutable. */
final class ResponseOpcodes {
    private final Opcode acknowledge;
    private final Opcode atomicAcknowledge;
    private final Opcode readFirst;
    private final Opcode readMiddle;
    private final Opcode readLast;
    private final Opcode readOnly;

    ResponseOpcodes(Transport transport) {
        acknowledge = of(transport, Opcode.RC_ACKNOWLEDGE);
        atomicAcknowledge = of(transport, Opcode.RC_ATOMIC_ACKNOWLEDGE);
        readFirst = of(transport, Opcode.RC_RDMA_READ_RESPONSE_FIRST);
        readMiddle = of(transport, Opcode.RC_RDMA_READ_RESPONSE_MIDDLE);
        readLast = of(transport, Opcode.RC_RDMA_READ_RESPONSE_LAST);
        readOnly = of(transport, Opcode.RC_RDMA_READ_RESPONSE_ONLY);
    }

    private static Opcode of(Transport transport, Opcode opcode) {
        return Opcode.of(opcode.code() | transport.opcodeBits());
    }

    Opcode acknowledge() {
        return acknowledge;
    }

    Opcode atomicAcknowledge() {
        return atomicAcknowledge;
    }

    /** The READ response at a place in its run. */
    Opcode read(boolean isFirst, boolean isLast) {
        return isFirst ? isLast ? readOnly : readFirst : isLast ? readLast : readMiddle;
    }
}
