package io.rxe.tools.perftest;

import io.rxe.tools.cli.WorkAlike;
import io.rxe.tools.side.PeerLink;
import io.rxe.verbs.Device;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One side of one test, from the preface to the close.
 *
 * <pre>
 *   SEND, bandwidth    keys, connect, synchronize, keys; for each size: synchronize, [test], (-b and not -D: reports), (-a: synchronize)
 *   others, bandwidth  keys, connect, keys, synchronize; one direction:  [client's test], synchronize, reports
 *                                                        both: for each size: synchronize, [test], (-a: synchronize), reports
 *   SEND, latency      keys, connect, synchronize, keys; for each size: synchronize, [test]
 *   others, latency    synchronize, keys, connect, keys, synchronize; [test]
 *   all but a latency test of WRITE                      the close
 * </pre>
 */
final class PerftestRun {
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_SECOND = 1e9;

    private final PerftestPlan plan;
    private final PerftestPrinter printer;
    private final PerftestHandshake handshake;
    private final PerftestEndpoint endpoint;
    private final List<Map<String, Object>> rows = new ArrayList<>();

    private PerftestRun(PerftestPlan plan, PerftestPrinter printer, PerftestHandshake handshake, PerftestEndpoint endpoint) {
        this.plan = plan;
        this.printer = printer;
        this.handshake = handshake;
        this.endpoint = endpoint;
    }

    /**
     * Runs the test over an open control connection, which stays open.
     *
     * @return a row for each size, ready for JSON.
     * @throws IOException                  if the peer sends a wrong message, or none in time.
     * @throws IllegalArgumentException     if its address cannot be used.
     * @throws io.rxe.bench.TransferFailure for an error completion or a stall.
     */
    static List<Map<String, Object>> run(Device device, PerftestPlan plan, PerftestPrinter printer, PeerLink link) throws IOException {
        PerftestHandshake handshake = new PerftestHandshake(link);
        PerftestPlan agreed = plan.agreed(handshake.preface(plan.pathMtu()));
        if (agreed.amount().sizeBytes() < plan.amount().sizeBytes() && !plan.amount().allSizes()) {
            printer.remark(" Max msg size in UD is MTU " + agreed.pathMtu().bytes() + "\n Changing to this MTU");
        }
        try (PerftestEndpoint endpoint = new PerftestEndpoint(device, agreed, handshake)) {
            printer.heading(agreed);
            PerftestRun run = new PerftestRun(agreed, printer, handshake, endpoint);
            run.run();
            return run.rows;
        }
    }

    private void run() throws IOException {
        boolean isSend = plan.verb() == PerftestVerb.SEND;
        if (plan.kind().isLatency() && !isSend) {
            synchronize();
        }
        endpoint.connect(handshake.keys(endpoint.records()));
        if (isSend) {
            synchronize();
        }
        printer.addresses("local", plan.verb(), endpoint.records());
        printer.addresses("remote", plan.verb(), handshake.keys(endpoint.records()));
        if (!isSend) {
            synchronize();
        }
        if (plan.kind().isLatency()) {
            measureLatency(isSend);
        } else {
            measureBandwidth(isSend);
        }
        if (plan.kind() == PerftestKind.WRITE_LAT) {
            WorkAlike.linger();
        } else {
            handshake.close(endpoint.records().get(0));
        }
    }

    private void measureLatency(boolean isSend) throws IOException {
        if (plan.sends()) {
            printer.latencyColumns(plan.amount().isTimed());
            for (int sizeBytes : plan.amount().sizes()) {
                LatencyLoop loop = new LatencyLoop(plan, endpoint, handshake, sizeBytes);
                if (isSend) {
                    synchronize();
                }
                loop.run();
                show(sizeBytes, loop);
            }
        }
        printer.line();
    }

    private void measureBandwidth(boolean isSend) throws IOException {
        printer.bandwidthColumns();
        BandwidthReport last = BandwidthReport.NOTHING;
        boolean incomplete = false;
        List<Integer> sizes = plan.sends() || isSend ? plan.amount().sizes() : List.of();
        for (int i = 0; i < sizes.size() && !incomplete; i++) {
            BandwidthLoop loop = new BandwidthLoop(plan, endpoint, handshake, sizes.get(i));
            if (isSend || plan.isBidirectional()) {
                synchronize();
            }
            loop.run();
            last = loop.report(printer.isGigabits());
            incomplete = loop.isIncomplete();
            showBoth(last, isSend);
        }
        if (incomplete) {
            printer.remark(" Some messages were lost: none arrived for " + TimeUnit.NANOSECONDS.toSeconds(plan.stallNs())
                + " s. The results count those that arrived.");
        }
        if (!isSend && !plan.isBidirectional()) {
            handshake.synchronizeAfterTest(endpoint.records().get(0));
            BandwidthReport remote = handshake.report(last);
            if (plan.isServer()) {
                show(remote);
            }
        }
        printer.line();
    }

    /** Shows the result of a size, which with -b is the sum of both sides; with -a both wait for each other. */
    private void showBoth(BandwidthReport own, boolean isSend) throws IOException {
        boolean waits = plan.amount().allSizes() && (isSend || plan.isBidirectional());
        if (waits && !isSend) {
            handshake.synchronizeAfterTest(endpoint.records().get(0));
        }
        show(plan.isBidirectional() && !(isSend && plan.amount().isTimed()) ? own.plus(handshake.report(own)) : own);
        if (waits && isSend) {
            handshake.synchronizeAfterTest(endpoint.records().get(0));
        }
    }

    private void show(BandwidthReport report) {
        printer.bandwidth(report);
        String unit = printer.isGigabits() ? "gbit_per_s" : "mib_per_s";
        Map<String, Object> row = row((int) report.sizeBytes(), report.iterations());
        row.put("average_" + unit, report.average());
        row.put("mega_messages_per_s", report.megaMessages());
    }

    private void show(int sizeBytes, LatencyLoop loop) {
        if (plan.amount().isTimed()) {
            long count = Math.max(1, loop.window().count());
            long elapsedNs = Math.max(1, loop.window().elapsedNs());
            double averageUs = elapsedNs / NS_PER_US / count / loop.samples().roundTripFactor();
            printer.timedLatency(sizeBytes, loop.window().count(), averageUs, count * NS_PER_SECOND / elapsedNs);
            row(sizeBytes, loop.window().count()).put("t_avg_us", averageUs);
            return;
        }
        LatencySamples.Report report = loop.samples().report();
        printer.latency(sizeBytes, plan.amount().iterations(), report);
        Map<String, Object> row = row(sizeBytes, plan.amount().iterations());
        row.put("t_min_us", report.leastUs());
        row.put("t_max_us", report.mostUs());
        row.put("t_typical_us", report.typicalUs());
        row.put("t_avg_us", report.averageUs());
        row.put("t_stdev_us", report.deviationUs());
        row.put("percentile_99_us", report.percentile99Us());
        row.put("percentile_99.9_us", report.percentile999Us());
    }

    private Map<String, Object> row(int sizeBytes, long iterations) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("size_bytes", sizeBytes);
        row.put("iterations", iterations);
        rows.add(row);
        return row;
    }

    private void synchronize() throws IOException {
        handshake.synchronize(endpoint.records().get(0));
    }
}
