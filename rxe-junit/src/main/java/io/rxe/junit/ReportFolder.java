package io.rxe.junit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/** Where a test that fails leaves its captures and counters. */
final class ReportFolder {
    private static final String PARAMETER = "rxe.junit.folder";
    private static final String DEFAULT = "target/rxe-junit";
    private static final int MAX_NAME = 120;
    private static final Pattern INVOCATION = Pattern.compile("invocation:#(\\d+)]");

    private final Path path;

    private ReportFolder(Path path) {
        this.path = path;
    }

    /** The folder of one test; parameterized and repeated tests and classes have one for each invocation, overloaded methods for each. */
    static ReportFolder of(ExtensionContext context) {
        Method test = context.getRequiredTestMethod();
        Class<?> type = context.getRequiredTestClass();
        String name = type.getName() + "." + test.getName();
        List<Method> namesakes = ReflectionSupport.findMethods(type, other -> other.getName().equals(test.getName()),
            HierarchyTraversalMode.TOP_DOWN);
        if (namesakes.size() > 1) {
            name += Arrays.stream(test.getParameterTypes()).map(Class::getSimpleName).collect(Collectors.joining("-", "-", ""));
        }
        name += INVOCATION.matcher(context.getUniqueId()).results().map(number -> "-" + number.group(1)).collect(Collectors.joining());
        String safe = name.replaceAll("[^A-Za-z0-9_.$-]", "_");
        return new ReportFolder(Path.of(context.getConfigurationParameter(PARAMETER).orElse(DEFAULT),
            safe.substring(Math.max(0, safe.length() - MAX_NAME))));
    }

    Path path() {
        return path;
    }

    /** Makes it, and removes what an earlier run left. */
    void create() throws IOException {
        delete();
        Files.createDirectories(path);
    }

    Path file(String name) {
        return path.resolve(name);
    }

    void delete() throws IOException {
        if (!Files.isDirectory(path)) {
            return;
        }
        List<Path> all;
        try (Stream<Path> found = Files.walk(path)) {
            all = found.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path one : all) {
            Files.delete(one);
        }
    }

    /** Writes a text file. */
    void write(String name, List<String> lines) {
        try {
            Files.write(file(name), lines);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file(name) + ": check the folder, or name another with " + PARAMETER, e);
        }
    }
}
