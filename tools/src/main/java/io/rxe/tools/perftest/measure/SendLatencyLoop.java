package io.rxe.tools.perftest.measure;

import io.rxe.tools.perftest.handshake.PerftestHandshake;
import io.rxe.tools.perftest.plan.PerftestPlan;

/** Ping-pong with SENDs; the client sends first. */
public final class SendLatencyLoop extends LatencyLoop {
    private final ReceivingSide receiver;

    public SendLatencyLoop(PerftestPlan plan, PerftestEndpoint endpoint, PerftestHandshake handshake, int sizeBytes) {
        super(plan, endpoint, handshake, sizeBytes, plan.isClient(), 2);
        receiver = new ReceivingSide(plan, endpoint, handshake.peer(), sizeBytes);
    }

    /** Posts the first receives; call before the peer learns that it may send. */
    public void postFirst() {
        receiver.postFirst();
    }

    @Override
    int receive() {
        return receiver.step();
    }

    @Override
    long received() {
        return receiver.received();
    }

    @Override
    boolean isPingPong() {
        return true;
    }
}
