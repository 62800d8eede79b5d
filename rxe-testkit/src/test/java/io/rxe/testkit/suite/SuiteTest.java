package io.rxe.testkit.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SuiteTest {
    @Test
    void aDescriptionIsRead() {
        Suite suite = Suite.parse("some", Stream.of("about what it is", "results FABTESTS", "source one/two c0ffee", "# a remark",
            "build make", "  make install", "run ./all", "deviation they are wrong", "  A.b", "  C.*",
            "deviation ours: so be it", "  D.e -x 1"));
        assertEquals(Map.of("one/two", "c0ffee"), suite.sources());
        assertEquals(List.of("make\n  make install"), suite.builds());
        assertEquals(Map.of("A.b", "they are wrong", "C.*", "they are wrong", "D.e -x 1", "ours: so be it"), suite.deviations());
        assertEquals(ResultForm.FABTESTS, suite.results());
    }

    @Test
    @DisplayName("Each suite can be built from sources at a commit, and its files are there")
    void descriptionsAreComplete() {
        for (String name : Suite.NAMES) {
            Suite suite = Suite.of(name);
            assertFalse(suite.builds().isEmpty() || suite.runs().isEmpty() || suite.sources().containsValue(""), name);
            assertTrue(suite.files().stream().allMatch(file -> Suite.resource(file) != null), name);
        }
    }
}
