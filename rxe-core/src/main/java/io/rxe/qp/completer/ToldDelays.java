package io.rxe.qp.completer;

import io.rxe.qp.context.InboundPacket;
import io.rxe.wire.Bth;
import io.rxe.wire.FiveBitCode;
import io.rxe.wire.SendTime;
import org.agrona.DirectBuffer;

/**
 * What the present response of a peer that is known tells of the request: how long the host of the peer may have delayed it (rule G8), and,
 * of a READ, how long it waited on its way (rule G10).
 *
 * <p>Owned by the engine thread.
 */
final class ToldDelays {
    private boolean timed;
    private long sentNs;
    private long hostNs;
    private int requestWaitCode;

    void onResponse(InboundPacket response) {
        DirectBuffer buffer = response.buffer();
        int offset = response.offset();
        boolean isKnown = Bth.isMarked(buffer, offset);
        boolean isRead = isKnown && response.opcode().isReadResponse();
        timed = isRead && Bth.isTimed(buffer, offset);
        sentNs = timed ? SendTime.ns(Bth.sendTime(buffer, offset)) : 0;
        hostNs = isKnown && !timed ? FiveBitCode.HOST_DELAY.value(Bth.hostDelay(buffer, offset)) : 0;
        requestWaitCode = isRead && !timed ? Bth.requestWait(buffer, offset) : 0;
    }

    /** Whether it tells instead when it left. */
    boolean isTimed() {
        return timed;
    }

    /** When it left, by the clock of the peer, modulo {@link SendTime#MODULO_NS}. */
    long sentNs() {
        return sentNs;
    }

    long hostNs() {
        return hostNs;
    }

    long leastRequestWaitNs() {
        return FiveBitCode.HOST_DELAY.value(requestWaitCode);
    }

    /** The wait is shorter than that of the next code. With code 0, or without a code, there was none. */
    long mostRequestWaitNs() {
        return requestWaitCode == 0 ? 0 : FiveBitCode.HOST_DELAY.value(Math.min(FiveBitCode.MAX, requestWaitCode + 1));
    }
}
