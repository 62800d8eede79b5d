package io.rxe.qp.completer;

import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.send.SendState;
import io.rxe.wire.Aeth;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Syndrome;

/**
 * End-to-end credits: how many more messages the peer has receive requests for (rule Q15).
 *
 * <p>Owned by the engine thread.
 */
final class Credits {
    private static final int UNLIMITED = 31;

    private final SendState send;
    private long creditedMessages;

    Credits(SendState send) {
        this.send = send;
    }

    /** A new connection. */
    void start() {
        creditedMessages = 0;
    }

    /** Takes MSN and credit code from a positive AETH, unless a later message was credited already. Ignores every other packet. */
    void onResponse(InboundPacket packet) {
        Opcode opcode = packet.opcode();
        if (!opcode.hasAeth()) {
            return;
        }
        int at = packet.at(opcode.aethOffset());
        int syndrome = Aeth.syndrome(packet.buffer(), at);
        long begun = send.messages();
        long executed = begun + Psn.subtract(Aeth.messageSequenceNumber(packet.buffer(), at), (int) begun & Psn.MASK);
        if (!Syndrome.isAck(syndrome) || executed < creditedMessages) {
            return;
        }
        creditedMessages = executed;
        int code = Syndrome.creditCode(syndrome);
        send.creditLimit(code == Syndrome.ACK_UNLIMITED ? Long.MAX_VALUE : executed + ofCode(code));
    }

    /** Credits of a code 0 to 30: 0, 1, 2, 3, 4, 6, 8, 12, 16, ... 32768. */
    static int ofCode(int code) {
        if (code < 0 || code >= UNLIMITED) {
            throw new IllegalArgumentException("credit code " + code + " is not in 0..30");
        }
        if (code < 2) {
            return code;
        }
        int power = 1 << code / 2;
        return code % 2 == 0 ? power : power + power / 2;
    }
}
