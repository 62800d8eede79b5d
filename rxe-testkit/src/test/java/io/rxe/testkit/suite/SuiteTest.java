package io.rxe.testkit.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.testkit.host.SignalledTestKit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

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

    @Test
    @DisplayName("no program outlives a suite that a signal ends, here while it builds")
    @Timeout(120)
    void aSignal(@TempDir Path folder) throws Exception {
        Path build = Files.createDirectory(folder.resolve("perftest")).resolve("autogen.sh");
        SignalledTestKit.endsAll(1, connect -> {
            Files.writeString(build, "#!/usr/bin/env bash\n" + connect);
            Files.setPosixFilePermissions(build, PosixFilePermissions.fromString("rwx------"));
            return new String[] {"perftest", "--from", folder.toString()};
        });
    }
}
