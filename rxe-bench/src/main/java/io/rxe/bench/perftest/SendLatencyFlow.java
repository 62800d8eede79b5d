package io.rxe.bench.perftest;

import java.io.IOException;

/**
 * Latency of SEND.
 *
 * <pre>
 *   keys, connect, meet, keys
 *   for each size: post receives, meet, [test]
 *   close
 * </pre>
 */
final class SendLatencyFlow implements PerftestFlow {
    @Override
    public void run(PerftestSession session) throws IOException {
        PerftestPlan plan = session.plan();
        session.connect();
        session.meet();
        session.showAddresses();
        session.printer().latencyColumns(plan.amount().isTimed());
        for (int sizeBytes : plan.amount().sizes()) {
            SendLatencyLoop loop = new SendLatencyLoop(plan, session.endpoint(), session.handshake(), sizeBytes);
            loop.postFirst();
            session.meet();
            loop.run();
            LatencyMeasurement.show(session, sizeBytes, loop);
        }
        session.printer().line();
        session.close();
    }
}
