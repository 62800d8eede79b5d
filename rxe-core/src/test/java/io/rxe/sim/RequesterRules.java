package io.rxe.sim;

import io.rxe.wire.Aeth;
import io.rxe.wire.Opcode;
import io.rxe.wire.RnrTimer;
import io.rxe.wire.Syndrome;
import org.agrona.concurrent.UnsafeBuffer;

/** Derives from the rules alone what a response means to a requester: what it acknowledges, and whether an RNR wait begins. */
final class RequesterRules {
    private RequesterRules() {
    }

    /** A response between the acknowledged edge and the next new PSN arrives. */
    static void onResponse(ProtocolMonitor monitor, Opcode opcode, long seq, UnsafeBuffer buffer, long nowNs) {
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
            acknowledged(monitor, seq);
            return;
        }
        boolean old = monitor.isExecuted(seq);
        monitor.executedTo(seq);
        monitor.advance();
        if (Syndrome.isRnr(syndrome) && !old) {
            monitor.receiverNotReady(seq, RnrTimer.toNs(Syndrome.rnrTimerCode(syndrome)), nowNs);
        } else if (syndrome == Syndrome.PSN_SEQUENCE_ERROR && seq > monitor.ackedSeq()) {
            monitor.retries().laterLossReported();
        }
    }

    /** A response to the next new PSN arrives. */
    static void onResponseAhead(ProtocolMonitor monitor, Opcode opcode, long seq, UnsafeBuffer buffer) {
        if (opcode.isAck() && Aeth.syndrome(buffer, opcode.aethOffset()) == Syndrome.PSN_SEQUENCE_ERROR && seq > monitor.ackedSeq()) {
            acknowledged(monitor, seq - 1);
        }
    }

    private static void acknowledged(ProtocolMonitor monitor, long seq) {
        WireMessage message = monitor.packet(seq).message;
        monitor.executedTo(message.isReadOrAtomic() ? message.firstSeq : seq + 1);
        monitor.advance();
    }
}
