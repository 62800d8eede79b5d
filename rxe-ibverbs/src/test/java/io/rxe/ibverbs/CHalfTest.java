package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.invoke.MethodType;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("once")
@DisplayName("the C half: which file calls which, and what it calls in Java")
class CHalfTest {
    private static final Pattern UPCALL = Pattern.compile("UPCALL\\(\\w+, (\\w+), (\\w+), \"(\\S+)\"\\)");

    @TempDir
    private Path folder;

    /** The files each file calls, but those that call none of the others: what is left calls in a circle. */
    private static Map<String, Set<String>> circles(Map<String, Set<String>> calls) {
        Map<String, Set<String>> left = new TreeMap<>();
        calls.forEach((file, called) -> left.put(file, new TreeSet<>(called)));
        while (left.values().removeIf(Set::isEmpty)) {
            left.values().forEach(called -> called.retainAll(left.keySet()));
        }
        return left;
    }

    @Test
    @DisplayName("no file calls another that calls it, directly or over others")
    void noCircle() throws Exception {
        Path compiler = CProgram.requireCompiler();
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/nm")), "no nm: apt-get install binutils");
        LibraryCompiler.compile(folder, compiler, List.of(), List.of("-c"));
        Map<String, String> owners = new HashMap<>();
        Map<String, Set<String>> wanted = new HashMap<>();
        for (String source : LibraryCompiler.SOURCES) {
            String file = source.replace(".c", ".o");
            ProcessBuilder symbols = new ProcessBuilder("nm", "-g", folder.resolve(file).toString());
            for (String line : CProgram.finish(symbols, folder.resolve("symbols"), Map.of())) {
                String name = line.substring(line.lastIndexOf(' ') + 1);
                if (line.contains(" U ")) {
                    wanted.computeIfAbsent(file, unused -> new TreeSet<>()).add(name);
                } else {
                    owners.put(name, file);
                }
            }
        }
        Map<String, Set<String>> calls = new TreeMap<>();
        wanted.forEach((file, names) -> calls.put(file, names.stream().map(owners::get).filter(Objects::nonNull)
            .collect(Collectors.toSet())));
        assertTrue(calls.get("cm.o").contains("jvm.o"), () -> "the symbols were read: " + calls);
        assertEquals(Map.of(), circles(calls));
    }

    @Test
    @DisplayName("a circle is found")
    void findsCircle() {
        Map<String, Set<String>> calls = Map.of("a", Set.of("b", "leaf"), "b", Set.of("c"), "c", Set.of("a"), "leaf", Set.of());
        assertEquals(Set.of("a", "b", "c"), circles(calls).keySet());
    }

    @Test
    @DisplayName("upcalls.def names every method of the three Java classes, with its parameters, and no other")
    void upcalls() throws Exception {
        LibraryCompiler.extract(folder);
        Set<String> named = UPCALL.matcher(Files.readString(folder.resolve("upcalls.def"))).results()
            .map(match -> match.group(1) + "." + match.group(2) + match.group(3)).collect(Collectors.toCollection(TreeSet::new));
        Set<String> defined = Stream.of(Upcalls.class, CmUpcalls.class, ExtendedUpcalls.class)
            .flatMap(type -> Stream.of(type.getDeclaredMethods())).filter(method -> Modifier.isPublic(method.getModifiers()))
            .map(method -> method.getDeclaringClass().getSimpleName() + "." + method.getName()
                + MethodType.methodType(method.getReturnType(), method.getParameterTypes()).toMethodDescriptorString())
            .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(defined, named);
    }
}
