package io.rxe.testkit.suite;

import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a program with GoogleTest printed, beside the tests that are known to fail. */
final class TestReport {
    private static final Pattern COUNT = Pattern.compile("\\[ +(PASSED|SKIPPED|FAILED) +] (\\d+) tests?.*");
    /** The test of a failure has a duration; the list at the end repeats its name without. */
    private static final Pattern FAILED = Pattern.compile("\\[ +FAILED +] ([^ ,]+).* \\(\\d+ ms\\)");

    private final Map<String, String> deviations;
    private final TreeSet<String> failed = new TreeSet<>();
    private int passed;
    private int skipped;
    private boolean ended;

    /** @param deviations why a test fails, by its name. */
    TestReport(Map<String, String> deviations) {
        this.deviations = deviations;
    }

    /** A line of the output. */
    void add(String line) {
        Matcher count = COUNT.matcher(line);
        Matcher failure = FAILED.matcher(line);
        if (count.matches()) {
            ended = true;
            passed = count.group(1).equals("PASSED") ? Integer.parseInt(count.group(2)) : passed;
            skipped = count.group(1).equals("SKIPPED") ? Integer.parseInt(count.group(2)) : skipped;
        } else if (failure.matches()) {
            failed.add(failure.group(1));
        }
    }

    /** Whether the program came to its end, and only tests failed that are known to. */
    boolean isAsExpected() {
        return ended && passed > 0 && deviations.keySet().containsAll(failed);
    }

    /** Counts, and a row of a table in Markdown for each test that failed. */
    String summary() {
        StringBuilder text = new StringBuilder(ended ? "" : "it did not come to its end: ");
        text.append(passed).append(" passed, ").append(failed.size()).append(" failed, ").append(skipped).append(" skipped\n");
        failed.forEach(name -> text.append("| ").append(name).append(" | ").append(deviations.getOrDefault(name, "NEW")).append(" |\n"));
        return text.toString();
    }
}
