package io.rxe.tools.perftest.flow;

import io.rxe.tools.perftest.handshake.BandwidthReport;
import io.rxe.tools.perftest.plan.PerftestPlan;
import java.io.IOException;

/**
 * Bandwidth of WRITE, READ and atomics. In a test of one direction the server only waits: it sends an empty report and prints the
 * client's.
 *
 * <pre>
 *   keys, connect, keys, synchronize
 *   one direction:   [client's test]  synchronize, reports
 *   both:            for each size: synchronize, [test], (synchronize with -a), reports
 *   close
 * </pre>
 */
final class BandwidthFlow implements PerftestFlow {
    private static final BandwidthReport NOTHING = new BandwidthReport(0, 0, 0, 0, 0);

    private final boolean showsBoth;

    /** @param showsBoth whether to print each direction separately as well. */
    BandwidthFlow(boolean showsBoth) {
        this.showsBoth = showsBoth;
    }

    @Override
    public void run(PerftestSession session) throws IOException {
        PerftestPlan plan = session.plan();
        session.connect();
        session.showAddresses();
        session.synchronize();
        session.printer().bandwidthColumns();
        if (plan.sends()) {
            BandwidthReport last = NOTHING;
            for (int sizeBytes : plan.amount().sizes()) {
                last = measure(session, sizeBytes);
            }
            session.printer().line();
            if (!plan.isBidirectional()) {
                session.synchronizeAfterTest();
                session.handshake().report(last);
            }
            session.close();
        } else {
            session.synchronizeAfterTest();
            BandwidthStep.show(session, session.handshake().report(NOTHING));
            session.close();
            session.printer().line();
        }
    }

    private BandwidthReport measure(PerftestSession session, int sizeBytes) throws IOException {
        PerftestPlan plan = session.plan();
        BandwidthStep measurement = new BandwidthStep(session, sizeBytes);
        if (plan.isBidirectional()) {
            session.synchronize();
        }
        BandwidthReport own = measurement.run();
        if (!plan.isBidirectional()) {
            BandwidthStep.show(session, own);
            return own;
        }
        if (plan.amount().allSizes()) {
            session.synchronizeAfterTest();
        }
        BandwidthReport remote = session.handshake().report(own);
        BandwidthStep.show(session, own.plus(remote));
        if (showsBoth) {
            session.printer().bothDirections(own, remote);
        }
        return own;
    }
}
