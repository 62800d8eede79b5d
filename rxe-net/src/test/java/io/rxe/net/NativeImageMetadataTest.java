package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The metadata for native images names what exists, and all that our sources find by name")
class NativeImageMetadataTest {
    private static final String FOLDER = "META-INF/native-image/io.rxe/";
    private static final Pattern CLASS = Pattern.compile("^  \\{\"name\": \"([^\"]+)\"");
    private static final Pattern FIELD = Pattern.compile("\\{\"name\": \"(\\w+)\", \"allowUnsafeAccess\"");
    private static final Pattern METHOD = Pattern.compile("\\{\"name\": \"(\\w+)\", \"parameterTypes\": \\[([^]]*)\\]");
    private static final Pattern RESOURCE = Pattern.compile("\"\\\\\\\\Q(.+)\\\\\\\\E\"");
    private static final Map<String, Class<?>> PRIMITIVES = Map.of("int", int.class, "long", long.class);
    /** Arenas came with this version of Java; without them their classes are absent, also for the code that finds them by name. */
    private static final int JAVA_WITH_ARENAS = 22;

    private static String read(String name) throws IOException {
        try (InputStream in = NativeImageMetadataTest.class.getClassLoader().getResourceAsStream(FOLDER + name)) {
            assertNotNull(in, FOLDER + name);
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The entries of both modules, one a line. */
    private static List<String> reflection() throws IOException {
        List<String> entries = new ArrayList<>();
        for (String module : List.of("rxe-core", "rxe-net")) {
            read(module + "/reflect-config.json").lines().filter(line -> line.startsWith("  {")).forEach(entries::add);
        }
        return entries;
    }

    private static List<MatchResult> all(Pattern pattern, String text) {
        return pattern.matcher(text).results().toList();
    }

    private static Class<?> type(String name) throws ClassNotFoundException {
        return PRIMITIVES.containsKey(name) ? PRIMITIVES.get(name) : Class.forName(name, false,
            NativeImageMetadataTest.class.getClassLoader());
    }

    @Test
    void eachClassAndMemberExists() throws Exception {
        int members = 0;
        for (String entry : reflection()) {
            String name = all(CLASS, entry).get(0).group(1);
            if (name.startsWith("java.lang.foreign.") && Runtime.version().feature() < JAVA_WITH_ARENAS) {
                continue;
            }
            Class<?> type = type(name);
            for (MatchResult field : all(FIELD, entry)) {
                assertNotNull(type.getDeclaredField(field.group(1)));
                members++;
            }
            for (MatchResult method : all(METHOD, entry)) {
                List<Class<?>> parameters = new ArrayList<>();
                for (MatchResult parameter : all(Pattern.compile("\"([^\"]+)\""), method.group(2))) {
                    parameters.add(type(parameter.group(1)));
                }
                assertNotNull(type.getMethod(method.group(1), parameters.toArray(new Class<?>[0])));
                members++;
            }
        }
        assertTrue(members >= 5, "members found: " + members);
    }

    @Test
    void eachResourceExists() throws IOException {
        List<MatchResult> resources = all(RESOURCE, read("rxe-net/resource-config.json"));
        assertEquals(2, resources.size());
        for (MatchResult resource : resources) {
            assertNotNull(NativeImageMetadataTest.class.getClassLoader().getResource(resource.group(1)), resource.group(1));
        }
    }

    @Test
    @DisplayName("a class that the sources find by name, and a field that they find, is in the metadata")
    void nothingIsMissing() throws IOException {
        String known = String.join("\n", reflection());
        TreeSet<String> found = new TreeSet<>();
        for (Path module : List.of(Path.of("..", "rxe-core"), Path.of("..", "rxe-net"))) {
            List<Path> sources;
            try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
                sources = files.filter(file -> file.toString().endsWith(".java")).toList();
            }
            for (Path source : sources) {
                String text = Files.readString(source);
                for (MatchResult one : all(Pattern.compile("(?:Class\\.forName|getDeclaredField|getMethod|find)\\(\"([\\w.$]+)\""), text)) {
                    found.add(one.group(1));
                }
                all(Pattern.compile("_CLASS = \"([\\w.$]+)\""), text).forEach(one -> found.add(one.group(1)));
            }
        }
        assertTrue(found.size() >= 8, () -> "found in the sources: " + found);
        assertEquals(List.of(), found.stream().filter(name -> !known.contains("\"" + name + "\"")).collect(Collectors.toList()));
    }
}
