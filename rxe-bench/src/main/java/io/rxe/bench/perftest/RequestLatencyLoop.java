package io.rxe.bench.perftest;

/** READs or atomics of the client, one at a time; the server's NIC answers them by itself. */
final class RequestLatencyLoop extends LatencyLoop {
    RequestLatencyLoop(PerftestPlan plan, TestEndpoint endpoint, PerftestHandshake agreed, int sizeBytes) {
        super(plan, endpoint, agreed, sizeBytes, true, 1);
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
    boolean isAnswered() {
        return false;
    }
}
