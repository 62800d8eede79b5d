package io.rxe.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A name means one class in the whole project")
class ClassNamesTest {
    private static final int LEAST_CLASSES = 500;

    /** The main sources of all modules by file name. The classes that take the place of DiSNI's have its names. */
    private static Map<String, List<Path>> sources() throws IOException {
        Map<String, List<Path>> byName = new TreeMap<>();
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            for (Path module : modules.map(folder -> folder.resolve("src/main/java/io/rxe")).filter(Files::isDirectory).toList()) {
                try (Stream<Path> files = Files.walk(module)) {
                    files.filter(file -> file.toString().endsWith(".java") && !file.endsWith("package-info.java"))
                        .forEach(file -> byName.computeIfAbsent(file.getFileName().toString(), name -> new ArrayList<>()).add(file));
                }
            }
        }
        return byName;
    }

    @Test
    void noTwoClassesShareAName() throws IOException {
        Map<String, List<Path>> byName = sources();
        assertTrue(byName.size() > LEAST_CLASSES, "found " + byName.size());
        byName.values().removeIf(files -> files.size() == 1);
        assertEquals(Map.of(), byName);
    }
}
