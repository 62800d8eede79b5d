package io.rxe.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileSystems;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@DisplayName("Markdown: a readable width, and nothing named that is not there")
class DocumentsTest {
    private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
    private static final int COLUMNS = 120;
    private static final Pattern LINK = Pattern.compile("]\\(([^)#:]+)(?:#[^)]*)?\\)");
    private static final Pattern SCRIPT = Pattern.compile("(?<![\\w./-])(?:tools|\\.ci)/(?!target/)[A-Za-z][\\w./-]*\\w");
    private static final Pattern RXE = Pattern.compile("(?<=tools/rxe )([a-z][a-z_-]*)([^`]*)");
    private static final Pattern INCLUDES = Pattern.compile("<includes>(.*?)</includes>", Pattern.DOTALL);
    private static final Pattern OPTION = Pattern.compile("(?<= )--?[A-Za-z][A-Za-z0-9_-]*");

    /** One complaint: the place, and what is wrong there. */
    private interface Check {
        List<String> complaints(Path document, String line, boolean code) throws IOException;
    }

    private static List<Path> documents() throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(HOME, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return !folder.equals(HOME) && Set.of("target", ".git").contains(folder.getFileName().toString())
                    ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(".md")) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }

    private static void nothingFoundBy(Check check) throws IOException {
        List<String> complaints = new ArrayList<>();
        for (Path document : documents()) {
            boolean fenced = false;
            int number = 0;
            for (String line : Files.readAllLines(document)) {
                number++;
                boolean fence = line.strip().startsWith("```");
                fenced ^= fence;
                String place = HOME.relativize(document) + ":" + number + ": ";
                check.complaints(document, line, fenced || fence || line.startsWith("    ")).forEach(text -> complaints.add(place + text));
            }
        }
        assertEquals("", String.join("\n", complaints));
    }

    @Test
    void noLineOutsideTablesAndCodeIsLongerThan120Columns() throws IOException {
        nothingFoundBy((document, line, code) -> code || line.startsWith("|") || line.length() <= COLUMNS ? List.of()
            : List.of(line.length() + " columns"));
    }

    @Test
    void everyLinkLeadsToAFile() throws IOException {
        nothingFoundBy((document, line, code) -> code ? List.of() : LINK.matcher(line).results().map(link -> link.group(1))
            .filter(target -> !Files.exists(document.resolveSibling(target))).toList());
    }

    @ParameterizedTest
    @DisplayName("the package and the archive hold what their documents link to")
    @ValueSource(strings = {"pom.xml", "src/main/assembly/archive.xml"})
    void packagedLinksLeadToFiles(String build) throws IOException {
        List<PathMatcher> packaged = INCLUDES.matcher(Files.readString(Path.of(build))).results().map(found -> found.group(1).strip())
            .filter(patterns -> patterns.contains("docs/")).flatMap(patterns -> Arrays.stream(patterns.split("\\s*(,|</?include>)\\s*")))
            .filter(pattern -> !pattern.isEmpty()).map(pattern -> FileSystems.getDefault().getPathMatcher("glob:" + pattern)).toList();
        nothingFoundBy((document, line, code) -> code || !isPackaged(HOME.relativize(document), packaged) ? List.of()
            : LINK.matcher(line).results().map(link -> HOME.relativize(document.resolveSibling(link.group(1)).normalize()))
                .filter(target -> !isPackaged(target, packaged)).map(Path::toString).toList());
    }

    private static boolean isPackaged(Path file, List<PathMatcher> packaged) {
        return packaged.stream().anyMatch(pattern -> pattern.matches(file) || pattern.matches(file.resolve("folder")));
    }

    @Test
    void everyScriptExists() throws IOException {
        nothingFoundBy((document, line, code) -> SCRIPT.matcher(line).results().map(script -> script.group())
            .filter(script -> !Files.exists(HOME.resolve(script)) && !Files.exists(document.resolveSibling(script))).toList());
    }

    @Test
    @DisplayName("the table of applications is what tools/dev/run-suite prints when all its lines pass")
    void theTableOfApplicationsIsThatOfTheSuite() throws IOException {
        Map<String, Integer> rows = new LinkedHashMap<>();
        String row = "";
        for (String line : Files.readAllLines(Path.of("dev", "applications.txt"))) {
            if (line.startsWith("# ")) {
                row = "| " + line.substring(2) + " | ";
            } else {
                rows.merge(row, 1, Integer::sum);
            }
        }
        assertEquals(rows.entrySet().stream().map(each -> each.getKey() + each.getValue() + " / " + each.getValue() + " |\n")
            .collect(Collectors.joining()), Files.readString(HOME.resolve("docs/applications.md"))
            .split(Pattern.quote("| application | checked | passed |\n|---|---|---|\n"))[1].split("(?<=\n)\n")[0]);
    }

    @Test
    void everyCommandOfRxeExistsWithItsOptions() throws IOException {
        CommandLine rxe = Main.commandLine(new PrintWriter(PrintWriter.nullWriter()), new PrintWriter(PrintWriter.nullWriter()));
        nothingFoundBy((document, line, code) -> {
            Matcher invocation = RXE.matcher(line);
            if (!invocation.find()) {
                return List.of();
            }
            CommandLine command = rxe.getSubcommands().get(invocation.group(1));
            if (command == null) {
                return List.of("no command " + invocation.group(1));
            }
            Set<String> known = command.getCommandSpec().options().stream().flatMap(option -> Arrays.stream(option.names()))
                .collect(Collectors.toSet());
            if ("run".equals(invocation.group(1))) {
                // Options of the program that it runs follow.
                return List.of();
            }
            return OPTION.matcher(invocation.group(2).split("[|>#]")[0]).results().map(option -> option.group())
                .filter(option -> !known.contains(option)).map(option -> "no option " + option).toList();
        });
    }
}
