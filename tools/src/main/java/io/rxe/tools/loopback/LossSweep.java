package io.rxe.tools.loopback;

import io.rxe.bench.BandwidthMeasurement;
import io.rxe.bench.LoopbackPlan;
import io.rxe.bench.PairConfig;
import io.rxe.bench.Workload;
import io.rxe.bench.plot.LossPoint;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.fault.FaultSpec;
import io.rxe.net.fault.Probability;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Measures goodput at increasing loss rates; the other parameters of the fault stay as given. */
final class LossSweep {
    /** Percent of the packets lost in each direction. */
    private static final double[] STEPS = {0, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30};
    private static final double PERCENT = 100;

    private final FaultSpec fault;
    private final RxeNicOptions options;
    private final RxeNicOptions peerOptions;
    private final LoopbackPlan plan;

    /** @param plan supplies operations, and the largest size to measure them with. */
    LossSweep(FaultSpec fault, RxeNicOptions options, RxeNicOptions peerOptions, LoopbackPlan plan) {
        this.fault = fault;
        this.options = options;
        this.peerOptions = peerOptions;
        this.plan = plan;
    }

    /** Opens NICs for each loss rate; those of the run itself must be closed. */
    List<LossPoint> run(Consumer<String> progress) {
        double maxPercent = PERCENT * fault.loss().share();
        List<LossPoint> points = new ArrayList<>();
        for (double step : STEPS) {
            if (step < maxPercent) {
                measure(step, points, progress);
            }
        }
        measure(maxPercent, points, progress);
        return points;
    }

    private void measure(double percent, List<LossPoint> points, Consumer<String> progress) {
        FaultSpec spec = withLoss(percent / PERCENT);
        int largest = plan.measureSizes().stream().mapToInt(Integer::intValue).max().orElse(1);
        try (LoopbackNics nics = new LoopbackNics(options.withCaptureFile(null).withCaptureRingBytes(0).withFault(spec.layer(plan.seed())),
            peerOptions.withFault(spec.layer(plan.seed() + 1)))) {
            BandwidthMeasurement test = BandwidthMeasurement.onEngines(nics.first(), nics.second(),
                new PairConfig(plan.pathMtu(), plan.queuePairs(), plan.depth(), plan.depth(), plan.seed()));
            for (Workload workload : Workload.of(plan.operations(), List.of(largest))) {
                if (!workload.isAtomic()) {
                    progress.accept("measure " + workload + " with " + percent + " % lost");
                    points.add(new LossPoint(workload, percent,
                        test.run(workload, plan.durationNs() / 2, plan.durationNs()).gigabitsPerSecond()));
                }
            }
        }
    }

    private FaultSpec withLoss(double share) {
        return new FaultSpec(new Probability(share, fault.loss().correlation()), null, fault.duplicate(), fault.corrupt(),
            fault.reorder(), fault.gap(), fault.delayNs(), fault.jitterNs(), fault.jitterCorrelation(), fault.rateBitsPerSecond(),
            fault.limit());
    }
}
