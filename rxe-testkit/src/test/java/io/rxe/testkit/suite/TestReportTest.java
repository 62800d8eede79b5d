package io.rxe.testkit.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

class TestReportTest {
    private final TestReport report = new TestReport(Map.of("Known.One", "because"));

    private void add(String... lines) {
        for (String line : lines) {
            report.add(line);
        }
    }

    @Test
    void knownFailuresAreExpected() {
        add("[  FAILED  ] Known.One (15 ms)", "[==========] 4 tests from 2 test suites ran. (9 ms total)", "[  PASSED  ] 2 tests.",
            "[  SKIPPED ] 1 test, listed below:", "[  FAILED  ] 1 test, listed below:", "[  FAILED  ] Known.One");
        assertTrue(report.isAsExpected());
        assertEquals("2 passed, 1 failed, 1 skipped\n| Known.One | because |\n", report.summary());
    }

    @Test
    void anotherFailureIsNew() {
        add("[  FAILED  ] All/Other.Two/IPv4, where GetParam() = 4 (7 ms)", "[  PASSED  ] 3 tests.");
        assertFalse(report.isAsExpected());
        assertEquals("3 passed, 1 failed, 0 skipped\n| All/Other.Two/IPv4 | NEW |\n", report.summary());
    }

    @Test
    void aProgramThatDiesFailed() {
        add("[       OK ] Known.Three (1 ms)", "[ RUN      ] Known.Four");
        assertFalse(report.isAsExpected());
    }
}
