package io.rxe.testkit.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

class TestReportTest {
    private final TestReport report = new TestReport(Map.of("Known.One", "because", "Many.*/2", "of two"));

    private void read(ResultForm form, String... lines) {
        for (String line : lines) {
            form.read(line, report);
        }
    }

    @Test
    void knownFailuresAreExpected() {
        read(ResultForm.GOOGLE_TEST, "[ RUN      ] Known.One", "[  FAILED  ] Known.One (15 ms)", "[ RUN      ] Known.Two",
            "[       OK ] Known.Two (1 ms)", "[ RUN      ] Many.Three/2", "[  FAILED  ] Many.Three/2, where GetParam() = 4 (7 ms)",
            "[ RUN      ] Known.Four", "[  SKIPPED ] Known.Four (0 ms)", "[==========] 4 tests from 2 test suites ran. (9 ms total)",
            "[  PASSED  ] 1 test.", "[  SKIPPED ] 1 test, listed below:", "[  SKIPPED ] Known.Four",
            "[  FAILED  ] 2 tests, listed below:", "[  FAILED  ] Known.One");
        report.onEnd(1);
        assertTrue(report.isAsExpected());
        assertEquals("1 passed, 2 failed, 1 skipped\n| Known.One | because |\n| Many.Three/2 | of two |\n", report.summary());
    }

    @Test
    void anotherFailureIsNew() {
        read(ResultForm.FABTESTS, "- name:   fi_msg -p \"verbs\"", "  timestamp: 1", "  result: Pass",
            "- name:   fi_rdm -U", "  result: Fail", "- name:   fi_dgram", "  result: Excluded", "# Total Fail                 1");
        assertFalse(report.isAsExpected());
        assertEquals("1 passed, 1 failed, 1 skipped\n| fi_rdm -U | NEW |\n", report.summary());
    }

    @Test
    void whatUcxSkipsDoesNotPass() {
        read(ResultForm.GOOGLE_TEST, "[ RUN      ] rc/test.x/0 <rc_verbs/rxe0:1>", "[     SKIP ] (no memory)",
            "[       OK ] rc/test.x/0 (2 ms)", "[ RUN      ] Known.Two", "[       OK ] Known.Two (1 ms)",
            "[==========] 2 tests from 1 test case ran. (9 ms)");
        assertTrue(report.isAsExpected());
        assertEquals("1 passed, 0 failed, 1 skipped\n", report.summary());
    }

    @Test
    void whatIbverbsTestsSkipDoesNotPass() {
        read(ResultForm.GOOGLE_TEST, "[ RUN      ] odp/0.t1", "\u001b[m[  SKIPPED ] Feature odp lacks resources to be tested",
            "[       OK ] odp/0.t1 (0 ms)", "[ RUN      ] Known.Two", "[       OK ] Known.Two (1 ms)",
            "[==========] 2 tests from 1 test case ran. (9 ms total)");
        assertEquals("1 passed, 0 failed, 1 skipped\n", report.summary());
    }

    @Test
    void aProgramThatDiesFailed() {
        read(ResultForm.GOOGLE_TEST, "[ RUN      ] Known.Three", "[       OK ] Known.Three (1 ms)", "[ RUN      ] Known.One");
        report.onEnd(134);
        assertFalse(report.isAsExpected());
        assertEquals("not all came to their end: 1 passed, 1 failed, 0 skipped\n| Known.One | because |\n", report.summary());
    }
}
