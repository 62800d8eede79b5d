package io.rxe.qp.completer;

import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.send.SendCredits;
import io.rxe.qp.send.SendState;
import io.rxe.wire.Aeth;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Syndrome;

/**
 * Takes end-to-end credits from responses: how many more messages the peer has receive requests for (rule Q15). A credit once
 * given is never taken back, so the limit only grows: a later count may be lower because it was rounded down, or because the
 * acknowledgement is an old one.
 *
 * <p>Owned by the engine thread.
 */
final class CreditUpdates {
    private final SendState send;
    private final SendCredits credits;
    private long creditedMessages;
    /** Whether the peer has advertised credits. */
    private boolean known;
    /** Whether the peer gives credits, as far as connection management knows: one that gives none is never waited for. */
    private boolean given;

    CreditUpdates(SendState send, SendCredits credits) {
        this.send = send;
        this.credits = credits;
    }

    /** A new connection. */
    void start(boolean isGiven) {
        creditedMessages = 0;
        known = false;
        given = isGiven;
        if (!isGiven) {
            credits.limit(Long.MAX_VALUE);
        }
    }

    /**
     * Takes MSN and credit code from a positive AETH, unless a later message was credited already. Ignores every other packet.
     *
     * @return whether the peer gave more than before.
     */
    boolean onResponse(InboundPacket packet) {
        Opcode opcode = packet.opcode();
        if (!given || !opcode.hasAeth()) {
            return false;
        }
        int at = packet.at(opcode.aethOffset());
        int syndrome = Aeth.syndrome(packet.buffer(), at);
        long begun = send.messages();
        long executed = begun + Psn.subtract(Aeth.messageSequenceNumber(packet.buffer(), at), (int) begun & Psn.MASK);
        if (!Syndrome.isAck(syndrome) || executed < creditedMessages) {
            return false;
        }
        creditedMessages = executed;
        long before = known ? credits.limit() : 0;
        known = true;
        if (syndrome == Syndrome.ACK_UNLIMITED) {
            credits.limit(Long.MAX_VALUE);
        } else {
            long limit = executed + Syndrome.credits(Syndrome.creditCode(syndrome));
            credits.limit(before == Long.MAX_VALUE ? limit : Math.max(before, limit));
        }
        return credits.limit() > before;
    }
}
