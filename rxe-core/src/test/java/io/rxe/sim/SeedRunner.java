package io.rxe.sim;

import java.io.IOException;
import java.nio.file.Path;

/** Runs a seed. When it fails, runs it again with a capture and prints the command that reproduces it. */
final class SeedRunner {
    private SeedRunner() {
    }

    /** Returns the hash of the run. */
    static long run(SimulationOptions options) {
        Simulation simulation = new Simulation(options, null);
        try {
            return simulation.run() + (options.has(Feature.XRC) ? new XrcSimulation(options).run() : 0);
        } catch (RuntimeException | AssertionError e) {
            throw new SimulationFailure(report(options, e) + System.lineSeparator() + simulation.latestEvents(), e);
        }
    }

    /** Returns the hash of the run of a seed with the features of a mix. */
    static long run(long seed, Feature.Mix mix) {
        return run(SimulationOptions.draw(seed, mix));
    }

    private static String report(SimulationOptions options, Throwable failure) {
        Path file = Path.of("target", "simulation-" + options.seed + ".pcapng");
        try (CaptureFile capture = new CaptureFile(file)) {
            new Simulation(options, capture).run();
        } catch (RuntimeException | AssertionError again) {
            return text(options, failure, file);
        }
        return text(options, failure, file) + System.lineSeparator() + "  the second run of the same seed did not fail";
    }

    private static String text(SimulationOptions options, Throwable failure, Path file) {
        return failure.getMessage() + System.lineSeparator() + "  " + options + System.lineSeparator() + "  commit " + commit()
            + ", capture " + file.toAbsolutePath() + System.lineSeparator()
            + "  reproduce: mvn -pl rxe-core test -Dtest=SimulationTest#oneSeed -Drxe.sim.seed=" + options.seed
            + " " + Feature.toProperty(options.features);
    }

    private static String commit() {
        try {
            Process process = new ProcessBuilder("git", "rev-parse", "--short", "HEAD").redirectErrorStream(true).start();
            String text = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8).trim();
            return process.waitFor() == 0 ? text : "unknown";
        } catch (IOException e) {
            return "unknown";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "unknown";
        }
    }
}
