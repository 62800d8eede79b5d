package io.rxe.testkit.suite;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A suite of others, as {@code NAME.suite} describes it. A line begins with its key; lines that begin with blanks belong to the one before.
 *
 * <ul>
 * <li>{@code about}: whose it is, and what it needs.
 * <li>{@code results}: a {@link ResultForm}.
 * <li>{@code source OWNER/NAME COMMIT}: a repository of GitHub, checked out as folder NAME.
 * <li>{@code file NAME}: a resource beside the description, copied next to the sources.
 * <li>{@code build}, {@code run}: a script of the shell that runs in the folder of the sources. RXE is the path of tools/rxe, RXE_DEV the
 *     address of the NIC, FILTER what to run, JOBS the number of processors. A run whose status is 124 or more was cut short.
 * <li>{@code deviation WHY}: the tests that fail for this reason, one a line; {@code *} stands for any text.
 * </ul>
 *
 * @param sources commits, by OWNER/NAME.
 * @param deviations why a test fails, by its name.
 */
record Suite(String name, String about, ResultForm results, Map<String, String> sources, List<String> files, List<String> builds,
             List<String> runs, Map<String, String> deviations) {
    /** The suites, each with a description beside this class. */
    static final List<String> NAMES = List.of("rdma-unit-test", "fabtests", "ucx-gtest", "ibverbs-tests", "gloo", "perftest", "pyverbs",
        "jucx", "spark", "valkey");

    /** Reads the description of a suite in {@link #NAMES}. */
    static Suite of(String name) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(resource(name + ".suite"), StandardCharsets.UTF_8))) {
            return parse(name, in.lines());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A description, and the files it names. */
    static InputStream resource(String name) {
        return Suite.class.getResourceAsStream(name);
    }

    static Suite parse(String name, Stream<String> lines) {
        String text = lines.filter(line -> !line.startsWith("#")).collect(Collectors.joining("\n"));
        List<String[]> entries = Stream.of(text.split("\n(?=\\S)")).map(entry -> entry.split(" ", 2)).toList();
        Map<String, String> sources = new LinkedHashMap<>();
        values(entries, "source").forEach(source -> sources.put(source.split(" ")[0], source.split(" ")[1]));
        Map<String, String> deviations = new LinkedHashMap<>();
        values(entries, "deviation").map(deviation -> deviation.split("\n *"))
            .forEach(words -> Stream.of(words).skip(1).forEach(test -> deviations.put(test, words[0])));
        return new Suite(name, values(entries, "about").findFirst().orElseThrow(),
            ResultForm.valueOf(values(entries, "results").findFirst().orElseThrow()), sources, values(entries, "file").toList(),
            values(entries, "build").toList(), values(entries, "run").toList(), deviations);
    }

    private static Stream<String> values(List<String[]> entries, String key) {
        return entries.stream().filter(entry -> entry[0].equals(key)).map(entry -> entry[1]);
    }

    /** What a build depends on: another text means another build. */
    String recipe() {
        return sources + "\n" + String.join("\n", builds);
    }
}
