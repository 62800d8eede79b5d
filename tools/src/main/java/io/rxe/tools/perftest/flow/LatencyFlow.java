package io.rxe.tools.perftest.flow;

import io.rxe.tools.perftest.measure.LatencyLoop;
import io.rxe.tools.perftest.measure.RequestLatencyLoop;
import io.rxe.tools.perftest.measure.WriteLatencyLoop;
import io.rxe.tools.perftest.plan.PerftestPlan;
import io.rxe.tools.perftest.plan.PerftestVerb;
import java.io.IOException;

/**
 * Latency of WRITE, READ and atomics.
 *
 * <pre>
 *   synchronize, keys, connect, keys, synchronize
 *   WRITE:          [test of both sides], no close
 *   READ, atomic:   [client's test], close
 * </pre>
 */
final class LatencyFlow implements PerftestFlow {
    @Override
    public void run(PerftestSession session) throws IOException {
        PerftestPlan plan = session.plan();
        session.synchronize();
        session.connect();
        session.showAddresses();
        session.synchronize();
        if (!plan.sends()) {
            session.close();
            session.printer().line();
            return;
        }
        session.printer().latencyColumns(plan.amount().isTimed());
        for (int sizeBytes : plan.amount().sizes()) {
            LatencyLoop loop = plan.verb() == PerftestVerb.WRITE
                ? new WriteLatencyLoop(plan, session.endpoint(), session.handshake(), sizeBytes)
                : new RequestLatencyLoop(plan, session.endpoint(), session.handshake(), sizeBytes);
            loop.run();
            LatencyStep.show(session, sizeBytes, loop);
        }
        if (plan.verb() != PerftestVerb.WRITE) {
            session.close();
        }
        session.printer().line();
    }
}
