package io.rxe.bench.compare;

import io.rxe.bench.MachineInfo;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Runs every job once a round, so that all see the same phases of the machine. */
public final class Comparison {
    private final List<Job> jobs;
    private final Map<String, String> missing;
    private final JobRunner runner;

    /**
     * @param jobs        all measurements.
     * @param missing     contenders that are not installed, and why.
     * @param environment added to that of the processes.
     */
    public Comparison(List<Job> jobs, Map<String, String> missing, Map<String, String> environment) {
        this.jobs = List.copyOf(jobs);
        this.missing = new LinkedHashMap<>(missing);
        this.runner = new JobRunner(environment);
    }

    /**
     * Runs all jobs.
     *
     * @param place    where the sockets are.
     * @param rounds   samples of each figure.
     * @param progress receives each step before it begins.
     */
    public ComparisonReport run(MachineInfo machine, Place place, int rounds, long durationNs, Consumer<String> progress) {
        Figures figures = new Figures(rounds);
        Map<String, String> failures = new LinkedHashMap<>();
        for (int round = 1; round <= rounds; round++) {
            for (Job job : jobs) {
                progress.accept("round " + round + " of " + rounds + ": " + job.contender() + ", " + job.what());
                try {
                    figures.add(round - 1, runner.run(job));
                } catch (IOException e) {
                    // The notes below the table name it; the other measurements count.
                    failures.put(job.contender() + ", " + job.what() + ", round " + round, e.getMessage());
                }
            }
        }
        return new ComparisonReport(machine, place, rounds, durationNs, figures, missing, failures);
    }
}
