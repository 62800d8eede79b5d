package io.rxe.tools.perftest.flow;

import io.rxe.tools.perftest.measure.SendLatencyLoop;
import io.rxe.tools.perftest.plan.PerftestPlan;
import java.io.IOException;

/**
 * Latency of SEND.
 *
 * <pre>
 *   keys, connect, synchronize, keys
 *   for each size: post receives, synchronize, [test]
 *   close
 * </pre>
 */
final class SendLatencyFlow implements PerftestFlow {
    @Override
    public void run(PerftestSession session) throws IOException {
        PerftestPlan plan = session.plan();
        session.connect();
        session.synchronize();
        session.showAddresses();
        session.printer().latencyColumns(plan.amount().isTimed());
        for (int sizeBytes : plan.amount().sizes()) {
            SendLatencyLoop loop = new SendLatencyLoop(plan, session.endpoint(), session.handshake(), sizeBytes);
            loop.postFirst();
            session.synchronize();
            loop.run();
            LatencyStep.show(session, sizeBytes, loop);
        }
        session.printer().line();
        session.close();
    }
}
