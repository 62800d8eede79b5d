package io.rxe.bench.perftest;

/** Ping-pong with SENDs; the client opens. */
final class SendLatencyLoop extends LatencyLoop {
    private final ReceivingSide receiver;

    SendLatencyLoop(PerftestPlan plan, TestEndpoint endpoint, PerftestHandshake agreed, int sizeBytes) {
        super(plan, endpoint, agreed, sizeBytes, plan.isClient(), 2);
        receiver = new ReceivingSide(plan, endpoint, agreed.peer(), sizeBytes);
    }

    /** Posts the first receives: to be done before the peer learns that it may send. */
    void postFirst() {
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
    boolean isAnswered() {
        return true;
    }
}
