package io.rxe.tools.perftest.flow;

import io.rxe.tools.perftest.handshake.BandwidthReport;
import io.rxe.tools.perftest.plan.PerftestPlan;
import java.io.IOException;

/**
 * Bandwidth of SEND: both sides count, and each prints its own report.
 *
 * <pre>
 *   keys, connect, synchronize, keys
 *   for each size: post receives, synchronize, [test], (both directions and not timed: reports), (with -a: synchronize)
 *   close
 * </pre>
 */
final class SendBandwidthFlow implements PerftestFlow {
    private final boolean showsBoth;

    /** @param showsBoth whether to print each direction separately as well. */
    SendBandwidthFlow(boolean showsBoth) {
        this.showsBoth = showsBoth;
    }

    @Override
    public void run(PerftestSession session) throws IOException {
        session.connect();
        session.synchronize();
        session.showAddresses();
        session.printer().bandwidthColumns();
        for (int sizeBytes : session.plan().amount().sizes()) {
            boolean complete = measure(session, sizeBytes);
            if (session.plan().amount().allSizes()) {
                session.synchronizeAfterTest();
            }
            if (!complete) {
                session.printer().remark(" Some messages were lost: none arrived for " + session.plan().stallNs() / 1_000_000_000L
                    + " s. The results count those that arrived.");
                break;
            }
        }
        session.printer().line();
        session.close();
    }

    private boolean measure(PerftestSession session, int sizeBytes) throws IOException {
        PerftestPlan plan = session.plan();
        BandwidthStep measurement = new BandwidthStep(session, sizeBytes);
        session.synchronize();
        BandwidthReport own = measurement.run();
        if (plan.isBidirectional() && !plan.amount().isTimed()) {
            BandwidthReport remote = session.handshake().report(own);
            BandwidthStep.show(session, own.plus(remote));
            if (showsBoth) {
                session.printer().bothDirections(own, remote);
            }
        } else {
            BandwidthStep.show(session, own);
        }
        return !measurement.isIncomplete();
    }
}
