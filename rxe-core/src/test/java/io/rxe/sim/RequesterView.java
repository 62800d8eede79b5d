package io.rxe.sim;

import io.rxe.wire.Aeth;
import io.rxe.wire.Opcode;
import io.rxe.wire.RnrTimer;
import io.rxe.wire.Syndrome;
import org.agrona.concurrent.UnsafeBuffer;

/** What an answer tells a requester, worked out from the rules alone: which packets it acknowledges, and whether it has to wait. */
final class RequesterView {
    private RequesterView() {
    }

    /** An answer between the acknowledged edge and the next new PSN arrives. */
    static void onResponse(ExchangeMonitor monitor, Opcode opcode, long seq, UnsafeBuffer buffer, long nowNs) {
        WireMessage message = monitor.packet(seq).message;
        if (opcode.isReadResponse() || opcode.isAtomicAck()) {
            if (message.isReadOrAtomic()) {
                message.arrived((int) (seq - message.firstSeq));
                monitor.executedTo(message.firstSeq);
            }
            monitor.advance();
            return;
        }
        int syndrome = Aeth.syndrome(buffer, opcode.aethOffset());
        if (Syndrome.isAck(syndrome)) {
            monitor.executedTo(message.isReadOrAtomic() ? message.firstSeq : seq + 1);
            monitor.advance();
            return;
        }
        boolean old = monitor.isExecuted(seq);
        monitor.executedTo(seq);
        monitor.advance();
        if (Syndrome.isRnr(syndrome) && !old) {
            monitor.receiverNotReady(seq, RnrTimer.toNs(Syndrome.rnrTimerCode(syndrome)), nowNs);
        } else if (syndrome == Syndrome.PSN_SEQUENCE_ERROR && seq > monitor.ackedSeq()) {
            monitor.laterLossReported();
        }
    }
}
