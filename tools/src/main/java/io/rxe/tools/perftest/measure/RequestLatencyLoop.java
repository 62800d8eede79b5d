package io.rxe.tools.perftest.measure;

import io.rxe.tools.perftest.handshake.PerftestHandshake;
import io.rxe.tools.perftest.plan.PerftestPlan;

/** READs or atomics of the client, one at a time; the server's NIC answers without its application. */
public final class RequestLatencyLoop extends LatencyLoop {
    public RequestLatencyLoop(PerftestPlan plan, PerftestEndpoint endpoint, PerftestHandshake handshake, int sizeBytes) {
        super(plan, endpoint, handshake, sizeBytes, true, 1);
    }

    @Override
    int receive() {
        return 0;
    }

    @Override
    long received() {
        return 0;
    }

    @Override
    boolean isPingPong() {
        return false;
    }
}
