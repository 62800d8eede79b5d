package io.rxe.sim;

import io.rxe.device.NicInspection;
import io.rxe.verbs.QueuePair;
import io.rxe.wire.Aeth;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Syndrome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.agrona.concurrent.UnsafeBuffer;

/** Checks end-to-end credits of one direction: the responder gives what is posted (R19), the requester takes what it got (Q15). */
final class CreditRules {
    private static final long INITIAL = 16;

    private final ProtocolMonitor monitor;
    private final LongSupplier receivesPosted;
    /** By message number: how many of the messages up to it take a receive request. */
    private final List<Long> taken = new ArrayList<>(List.of(0L));
    private boolean known;
    private long limit = INITIAL;
    /** Whether connection management said so; if not, no credits that arrive may hold a message back. */
    private final boolean given;

    /** @param receivesPosted receive requests that the responder's application has posted for this connection. */
    CreditRules(ProtocolMonitor monitor, LongSupplier receivesPosted) {
        this.monitor = monitor;
        this.receivesPosted = receivesPosted;
        this.given = monitor.settings.peerGivesCredits;
        if (!given) {
            lift();
        }
    }

    /** A message begins on the wire. Returns its number, from 1. */
    long begin(Request request, boolean isOutstanding) {
        taken.add(taken.get(taken.size() - 1) + (request.takesReceive() ? 1 : 0));
        long number = messages();
        if (request.takesReceive() && number > limit && isOutstanding) {
            throw monitor.failure(request + " is message " + number + ", but the peer gave credits up to " + limit
                + " and something is outstanding (rule Q15)");
        }
        return number;
    }

    /** Messages begun so far. */
    long messages() {
        return taken.size() - 1;
    }

    /** A response reaches the requester. */
    void onDelivered(Opcode opcode, UnsafeBuffer buffer) {
        int syndrome = opcode.hasAeth() ? Aeth.syndrome(buffer, opcode.aethOffset()) : Syndrome.PSN_SEQUENCE_ERROR;
        if (!Syndrome.isAck(syndrome)) {
            return;
        }
        long told = syndrome == Syndrome.ACK_UNLIMITED ? Long.MAX_VALUE
            : number(opcode, buffer) + Syndrome.credits(Syndrome.creditCode(syndrome));
        limit = known || !given ? Math.max(limit, told) : told;
        known = true;
    }

    /** A forged response, or one of an older connection, reached the requester: it may believe any credits, which costs RNR NAKs only. */
    void lift() {
        known = true;
        limit = Long.MAX_VALUE;
    }

    /** Rule Q15: a requester does not wait for credits of a peer that gives none. */
    void checkNotAwaited(QueuePair queuePair) {
        if (!given && NicInspection.waitsForCredits(queuePair)) {
            throw monitor.failure("waits for credits of a peer that gives none (rule Q15)");
        }
    }

    /** The responder sends a positive AETH: no credit without a posted receive request. */
    void checkGiven(Opcode opcode, UnsafeBuffer buffer, int syndrome) {
        if (syndrome == Syndrome.ACK_UNLIMITED) {
            return;
        }
        long message = number(opcode, buffer);
        long left = receivesPosted.getAsLong() - taken.get((int) message);
        int credits = Syndrome.credits(Syndrome.creditCode(syndrome));
        if (credits > left) {
            throw monitor.failure(opcode + " gives " + credits + " credits behind message " + message + ", but only " + left
                + " receive requests are left (rule R19)");
        }
    }

    /** Number of the message that an MSN counts up to. */
    private long number(Opcode opcode, UnsafeBuffer buffer) {
        int msn = Aeth.messageSequenceNumber(buffer, opcode.aethOffset());
        return messages() + Psn.subtract(msn, (int) messages() & Psn.MASK);
    }
}
