package io.rxe.testkit.suite;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The results of a suite, beside the tests that are known to fail. Belongs to one thread. */
final class TestReport {
    /** How a test ended. */
    enum Outcome { PASSED, FAILED, SKIPPED }

    /** The exit status of timeout(1); that of a shell whose program died of a signal is larger. */
    private static final int CUT_SHORT = 124;

    private final Map<String, String> deviations;
    private final int[] counts = new int[Outcome.values().length];
    private final TreeSet<String> failed = new TreeSet<>();
    private String running;
    private boolean isCutShort;

    /** @param deviations why a test fails, by its name, in which {@code *} stands for any text. */
    TestReport(Map<String, String> deviations) {
        this.deviations = deviations;
    }

    void onTest(String name) {
        onResult(Outcome.FAILED);
        running = name;
    }

    /** The test that runs has a result; further ones of the same test do not count. */
    void onResult(Outcome outcome) {
        if (running != null) {
            counts[outcome.ordinal()]++;
            if (outcome == Outcome.FAILED) {
                failed.add(running);
            }
        }
        running = null;
    }

    /**
     * A run ended: a test without a result made its program die.
     *
     * @param status its exit status, {@value #CUT_SHORT} or more when one of its programs died or hung.
     */
    void onEnd(int status) {
        onResult(Outcome.FAILED);
        isCutShort |= status >= CUT_SHORT;
    }

    /** Whether all programs came to their end, and only tests failed that are known to. */
    boolean isAsExpected() {
        return !isCutShort && counts[Outcome.PASSED.ordinal()] > 0 && failed.stream().noneMatch(name -> why(name).equals("NEW"));
    }

    private String why(String test) {
        return deviations.entrySet().stream().filter(entry -> test.matches("\\Q" + entry.getKey().replace("*", "\\E.*\\Q")))
            .map(Map.Entry::getValue).findFirst().orElse("NEW");
    }

    /** Counts, and a row of a table in Markdown for each test that failed. */
    String summary() {
        String counted = Arrays.stream(Outcome.values()).map(outcome -> counts[outcome.ordinal()] + " " + outcome.name().toLowerCase())
            .collect(Collectors.joining(", "));
        return (isCutShort ? "not all came to their end: " : "") + counted + "\n" + failed.stream()
            .map(name -> "| " + name + " | " + why(name) + " |\n").collect(Collectors.joining());
    }
}
