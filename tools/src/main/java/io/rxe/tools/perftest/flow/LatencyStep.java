package io.rxe.tools.perftest.flow;

import io.rxe.tools.perftest.measure.LatencyLoop;
import io.rxe.tools.perftest.measure.LatencySamples;
import io.rxe.tools.perftest.output.LatencyReport;
import java.util.LinkedHashMap;
import java.util.Map;

/** Prints the result of a latency loop and adds it to the rows. */
final class LatencyStep {
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_SECOND = 1e9;

    private LatencyStep() {
    }

    /** Prints the result of one size and adds it to the rows. */
    static void show(PerftestSession session, int sizeBytes, LatencyLoop loop) {
        LatencySamples samples = loop.samples();
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("size_bytes", sizeBytes);
        if (session.plan().amount().isTimed()) {
            long count = Math.max(1, loop.window().count());
            double averageUs = loop.window().elapsedNs() / NS_PER_US / count / samples.roundTripFactor();
            double perSecond = count * NS_PER_SECOND / Math.max(1, loop.window().elapsedNs());
            session.printer().timedLatency(sizeBytes, loop.window().count(), averageUs, perSecond);
            row.put("iterations", loop.window().count());
            row.put("t_avg_us", averageUs);
            row.put("tps_average", perSecond);
        } else {
            LatencyReport report = LatencyReport.of(sizeBytes, session.plan().amount().iterations(), samples);
            session.printer().latency(report, samples);
            row.putAll(report.columns());
        }
        row.put("all_messages", LatencyReport.toMap(sizeBytes, samples.histogram()));
        session.rows().add(row);
    }
}
