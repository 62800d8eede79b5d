package io.rxe.bench.perftest;

import java.io.IOException;

/**
 * Bandwidth of WRITE, READ and atomics. In one direction the server only waits; its own report is of no meaning, and it prints the
 * client's.
 *
 * <pre>
 *   keys, connect, keys, meet
 *   one direction:   [client's test]  meet, reports
 *   both:            for each size: meet, [test], (meet with -a), reports
 *   close
 * </pre>
 */
final class BandwidthFlow implements PerftestFlow {
    private static final BandwidthReport NOTHING = new BandwidthReport(0, 0, 0, 0, 0);

    private final boolean showsBoth;

    /** @param showsBoth prints each direction by itself as well. */
    BandwidthFlow(boolean showsBoth) {
        this.showsBoth = showsBoth;
    }

    @Override
    public void run(PerftestSession session) throws IOException {
        PerftestPlan plan = session.plan();
        session.connect();
        session.showAddresses();
        session.meet();
        session.printer().bandwidthColumns();
        if (plan.sends()) {
            BandwidthReport last = NOTHING;
            for (int sizeBytes : plan.amount().sizes()) {
                last = measure(session, sizeBytes);
            }
            session.printer().line();
            if (!plan.isBidirectional()) {
                session.meetAfterTest();
                session.handshake().report(last);
            }
            session.close();
        } else {
            session.meetAfterTest();
            BandwidthMeasurement.show(session, session.handshake().report(NOTHING));
            session.close();
            session.printer().line();
        }
    }

    private BandwidthReport measure(PerftestSession session, int sizeBytes) throws IOException {
        PerftestPlan plan = session.plan();
        BandwidthMeasurement measurement = new BandwidthMeasurement(session, sizeBytes);
        if (plan.isBidirectional()) {
            session.meet();
        }
        BandwidthReport own = measurement.run();
        if (!plan.isBidirectional()) {
            BandwidthMeasurement.show(session, own);
            return own;
        }
        if (plan.amount().allSizes()) {
            session.meetAfterTest();
        }
        BandwidthReport remote = session.handshake().report(own);
        BandwidthMeasurement.show(session, own.plus(remote));
        if (showsBoth) {
            session.printer().bothDirections(own, remote);
        }
        return own;
    }
}
