package io.rxe.bench.perftest;

import java.io.IOException;

/**
 * Latency of WRITE, READ and atomics.
 *
 * <pre>
 *   meet, keys, connect, keys, meet
 *   WRITE:          [test of both sides], the end without a word
 *   READ, atomic:   [client's test], close
 * </pre>
 */
final class LatencyFlow implements PerftestFlow {
    @Override
    public void run(PerftestSession session) throws IOException {
        PerftestPlan plan = session.plan();
        session.meet();
        session.connect();
        session.showAddresses();
        session.meet();
        if (!plan.sends()) {
            session.close();
            session.printer().line();
            return;
        }
        session.printer().latencyColumns(plan.amount().isTimed());
        for (int sizeBytes : plan.amount().sizes()) {
            LatencyLoop loop = plan.verb() == TestVerb.WRITE
                ? new WriteLatencyLoop(plan, session.endpoint(), session.handshake(), sizeBytes)
                : new RequestLatencyLoop(plan, session.endpoint(), session.handshake(), sizeBytes);
            loop.run();
            LatencyMeasurement.show(session, sizeBytes, loop);
        }
        if (plan.verb() != TestVerb.WRITE) {
            session.close();
        }
        session.printer().line();
    }
}
