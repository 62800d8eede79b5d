package io.rxe.bench.perftest;

import java.io.IOException;

/**
 * Bandwidth of SEND: both sides count, each prints its own.
 *
 * <pre>
 *   keys, connect, meet, keys
 *   for each size: post receives, meet, [test], (both directions and not timed: reports), (with -a: meet)
 *   close
 * </pre>
 */
final class SendBandwidthFlow implements PerftestFlow {
    private final boolean showsBoth;

    /** @param showsBoth prints each direction by itself as well. */
    SendBandwidthFlow(boolean showsBoth) {
        this.showsBoth = showsBoth;
    }

    @Override
    public void run(PerftestSession session) throws IOException {
        session.connect();
        session.meet();
        session.showAddresses();
        session.printer().bandwidthColumns();
        for (int sizeBytes : session.plan().amount().sizes()) {
            boolean complete = measure(session, sizeBytes);
            if (session.plan().amount().allSizes()) {
                session.meetAfterTest();
            }
            if (!complete) {
                session.printer().remark(" Some messages were lost: no more came for " + session.plan().stallNs() / 1_000_000_000L
                    + " s. The numbers are of those that came.");
                break;
            }
        }
        session.printer().line();
        session.close();
    }

    private boolean measure(PerftestSession session, int sizeBytes) throws IOException {
        PerftestPlan plan = session.plan();
        BandwidthMeasurement measurement = new BandwidthMeasurement(session, sizeBytes);
        session.meet();
        BandwidthReport own = measurement.run();
        if (plan.isBidirectional() && !plan.amount().isTimed()) {
            BandwidthReport remote = session.handshake().report(own);
            BandwidthMeasurement.show(session, own.plus(remote));
            if (showsBoth) {
                session.printer().bothDirections(own, remote);
            }
        } else {
            BandwidthMeasurement.show(session, own);
        }
        return !measurement.isIncomplete();
    }
}
