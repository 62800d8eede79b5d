package io.rxe.bench.perftest;

/** One size of a bandwidth test on one side: set up, run, reported. */
final class BandwidthMeasurement {
    private final PerftestSession session;
    private final int sizeBytes;
    private final PeakFinder peak;
    private final BandwidthLoop loop;

    /** Posts receives if there are any to post: the peer may send as soon as it knows. */
    BandwidthMeasurement(PerftestSession session, int sizeBytes) {
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
            receiver, session.handshake().peer());
    }

    /** Moves the messages. */
    BandwidthReport run() {
        loop.run();
        return loop.report(sizeBytes, peak, session.printer().isGigabits());
    }

    /** Whether the receiver gave up waiting for messages that were lost. */
    boolean isIncomplete() {
        return loop.isIncomplete();
    }

    /** Prints a report and keeps it. */
    static void show(PerftestSession session, BandwidthReport report) {
        session.printer().bandwidth(report);
        session.rows().add(report.toMap(session.printer().isGigabits()));
    }
}
