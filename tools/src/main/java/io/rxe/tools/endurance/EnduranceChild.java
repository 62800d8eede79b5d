package io.rxe.tools.endurance;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Another process with a {@link Site}, which is killed from time to time and started again. What it prints is a defect it found. */
final class EnduranceChild {
    private final List<String> arguments;
    private final Tally tally;
    private Process process;

    EnduranceChild(List<String> arguments, Tally tally) throws IOException {
        this.arguments = arguments;
        this.tally = tally;
        start();
    }

    private void start() throws IOException {
        List<String> words = new ArrayList<>();
        words.add(ProcessHandle.current().info().command().orElse("java"));
        for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            // This process has its heap touched and of one size, so that resident memory shows leaks. A child needs little.
            if (!option.startsWith("-Xm") && !option.contains("AlwaysPreTouch")) {
                words.add(option);
            }
        }
        words.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", absoluteClassPath(), "io.rxe.tools.Main", "endurance-child"));
        words.addAll(arguments);
        process = new ProcessBuilder(words).redirectErrorStream(true).start();
        Process started = process;
        Thread reader = new Thread(() -> read(started), "endurance-child-output");
        reader.setDaemon(true);
        reader.start();
    }

    private static String absoluteClassPath() {
        return System.getProperty("java.class.path").replace("/./", File.separator);
    }

    private void read(Process from) {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(from.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                tally.defect("child " + from.pid() + ": " + line);
            }
        } catch (IOException e) {
            // It was killed while it printed.
            return;
        }
    }

    /** Kills it without a word, as a crash would, and starts another. */
    void killAndRestart() throws IOException, InterruptedException {
        if (process.isAlive()) {
            tally.add(Tally.Count.KILLS, 1);
        } else {
            tally.defect("child " + process.pid() + " ended by itself with status " + process.exitValue());
        }
        stop();
        start();
    }

    void stop() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }
}
