package io.rxe.tools.flow;

import io.rxe.wire.Bth;
import io.rxe.wire.Opcode;
import org.agrona.DirectBuffer;

/** Finds the MAD in a packet: what a datagram to queue pair 1 carries. */
public final class ManagementPacket {
    private static final int MANAGEMENT_QPN = 1;

    private ManagementPacket() {
    }

    /**
     * Start of the MAD in the buffer, or -1 if the packet carries none.
     *
     * @param offset      of the BTH.
     * @param lengthBytes from BTH to ICRC, as far as it was captured.
     */
    public static int offset(DirectBuffer buffer, int offset, int lengthBytes) {
        if (lengthBytes < Bth.LENGTH || Bth.destinationQpn(buffer, offset) != MANAGEMENT_QPN) {
            return -1;
        }
        Opcode opcode = Opcode.of(Bth.opcode(buffer, offset));
        return opcode != null && opcode.hasDeth() && lengthBytes >= opcode.headerLength() ? offset + opcode.headerLength() : -1;
    }
}
