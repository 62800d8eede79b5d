package io.rxe.tools.perftest.flow;

import io.rxe.tools.perftest.handshake.BandwidthReport;
import io.rxe.tools.perftest.measure.BandwidthLoop;
import io.rxe.tools.perftest.measure.PeakFinder;
import io.rxe.tools.perftest.measure.ReceivingSide;
import io.rxe.tools.perftest.measure.SendingSide;
import io.rxe.tools.perftest.plan.PerftestPlan;

/** One message size of a bandwidth test on one side: sets up, runs and reports. */
final class BandwidthStep {
    private final PerftestSession session;
    private final int sizeBytes;
    private final PeakFinder peak;
    private final BandwidthLoop loop;

    /** Posts the receives, since the peer may send as soon as both sides have synchronized. */
    BandwidthStep(PerftestSession session, int sizeBytes) {
        this.session = session;
        this.sizeBytes = sizeBytes;
        PerftestPlan plan = session.plan();
        boolean sends = plan.sends();
        peak = sends && plan.hasPeak() && !plan.amount().isTimed() && plan.totalIterations() <= PerftestPlan.MAX_PEAK_ITERATIONS
            ? new PeakFinder((int) plan.totalIterations()) : null;
        ReceivingSide receiver = plan.receives()
            ? new ReceivingSide(plan, session.endpoint(), session.handshake().peer(), sizeBytes) : null;
        if (receiver != null) {
            receiver.postFirst();
        }
        loop = new BandwidthLoop(plan, sends ? new SendingSide(plan, session.endpoint(), session.handshake(), sizeBytes, peak) : null,
            receiver, session.handshake());
    }

    /** Moves the messages. */
    BandwidthReport run() {
        loop.run();
        return loop.report(sizeBytes, peak, session.printer().isGigabits());
    }

    /** Whether the receiver stopped waiting for lost messages. */
    boolean isIncomplete() {
        return loop.isIncomplete();
    }

    /** Prints a report and adds it to the rows. */
    static void show(PerftestSession session, BandwidthReport report) {
        session.printer().bandwidth(report);
        session.rows().add(report.toMap(session.printer().isGigabits()));
    }
}
