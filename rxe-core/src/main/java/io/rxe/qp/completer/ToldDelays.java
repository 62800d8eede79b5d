package io.rxe.qp.completer;

import io.rxe.qp.context.InboundPacket;
import io.rxe.wire.Bth;
import io.rxe.wire.FiveBitCode;

/**
 * What the present response of a peer that is known tells of the request: how long the host of the peer may have delayed it (rule G8), and,
 * of a READ, how long it waited on its way (rule G10).
 *
 * <p>Owned by the engine thread.
 */
final class ToldDelays {
    private long hostNs;
    private long requestWaitNs;

    void onResponse(InboundPacket response) {
        boolean isKnown = Bth.isMarked(response.buffer(), response.offset());
        hostNs = isKnown ? FiveBitCode.HOST_DELAY.value(Bth.hostDelay(response.buffer(), response.offset())) : 0;
        boolean isRead = isKnown && response.opcode().isReadResponse();
        requestWaitNs = isRead ? FiveBitCode.HOST_DELAY.value(Bth.requestWait(response.buffer(), response.offset())) : 0;
    }

    long hostNs() {
        return hostNs;
    }

    long requestWaitNs() {
        return requestWaitNs;
    }
}
