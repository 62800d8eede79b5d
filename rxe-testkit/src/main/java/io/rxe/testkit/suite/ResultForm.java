package io.rxe.testkit.suite;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How the program of a suite prints its results. */
enum ResultForm {
    /** GoogleTest. UCX and ibverbs-tests, whose GoogleTest has no skipped tests, print SKIP or SKIPPED before the OK of such a test. */
    GOOGLE_TEST("\\[ RUN +] (\\S+).*|(?:\\x1b\\[m)?\\[ +(OK|SKIP|SKIPPED|FAILED) +](?: .*\\(\\d+ ms\\).*| \\(.*| Feature .*| ?)"),
    /** runfabtests.sh of libfabric with option -v. */
    FABTESTS("- name: +(.*)|  result: (\\w+).*");

    /** The first group is a test that begins, the second the result of the one that ends. */
    private final Pattern test;

    ResultForm(String test) {
        this.test = Pattern.compile(test);
    }

    /** Adds what a line of the output says. */
    void read(String line, TestReport report) {
        Matcher matcher = test.matcher(line);
        if (!matcher.matches()) {
            return;
        }
        if (matcher.group(1) != null) {
            report.onTest(matcher.group(1));
        } else {
            report.onResult(outcome(matcher.group(2)));
        }
    }

    private static TestReport.Outcome outcome(String word) {
        return switch (word) {
            case "OK", "Pass" -> TestReport.Outcome.PASSED;
            case "FAILED", "Fail" -> TestReport.Outcome.FAILED;
            default -> TestReport.Outcome.SKIPPED;
        };
    }
}
