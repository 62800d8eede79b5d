package io.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Holds docs/rules.md, the code and the tests together: every rule has a text and sources, every citation names a rule that exists, and
 * every rule is named by a test or says why not. Writes which test covers which rule to {@code target/rule-tests.md}.
 */
@Tag("once")
class RuleTableTest {
    private static final Path ROOT = Path.of("..");
    private static final Path PAGE = ROOT.resolve("docs/rules.md");
    private static final Path CAPTURES = Path.of("src/test/resources/golden/cases");
    private static final Pattern TEST_WITH_NAME = Pattern.compile(
        "@DisplayName\\(\"([^\"]*)\"\\)\\s+(?:@\\w+(?:\\([^)]*\\))?\\s+)*(?:[\\w<>]+ )?(\\w+)\\(");
    /** A comment or a string in Java, not code: a constant may be called A4. A character like '"' begins no string. */
    private static final Pattern PROSE = Pattern.compile(
        "'(?:\\\\.|[^'\\\\])'|\"\"\"(?s:.*?)\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\"|//[^\\n]*|/\\*(?s:.*?)\\*/");
    private static final Pattern CAPTURE = Pattern.compile("`(\\d\\d\\w*_\\w+)`");

    private static RuleCatalogue catalogue;
    private static List<Path> files;

    @BeforeAll
    static void readTheTree() throws IOException {
        catalogue = RuleCatalogue.read(PAGE);
        files = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                String name = folder.getFileName().toString();
                boolean skipped = name.equals("target") || name.startsWith(".") && !folder.equals(ROOT);
                return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                files.add(ROOT.relativize(file));
                return FileVisitResult.CONTINUE;
            }
        });
        files.sort(null);
    }

    private static String text(Path file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException e) {
            throw new IllegalStateException("cannot read " + file, e);
        }
    }

    /** Where rules may be cited: comments and strings of Java, Python of tools/interop, Markdown. Not this test, which cites wrong ones. */
    private static String citing(Path file) {
        String path = file.toString();
        if (path.endsWith(".java") && !path.endsWith("/RuleTableTest.java")) {
            return PROSE.matcher(text(file)).results().map(prose -> prose.group()).collect(Collectors.joining("\n"));
        }
        return path.endsWith(".md") || path.startsWith("tools/interop/") && path.endsWith(".py") ? text(file) : "";
    }

    /** Rule to the tests that name it, as Class.method, from the display names of all modules. */
    private static Map<String, TreeSet<String>> table() {
        Map<String, TreeSet<String>> table = new TreeMap<>();
        for (Path file : files) {
            if (!file.toString().endsWith("Test.java")) {
                continue;
            }
            String className = file.getFileName().toString().replace(".java", "");
            Matcher test = TEST_WITH_NAME.matcher(text(file));
            while (test.find()) {
                for (String rule : catalogue.citedIn(test.group(1))) {
                    table.computeIfAbsent(rule, key -> new TreeSet<>()).add(className + "." + test.group(2));
                }
            }
        }
        return table;
    }

    /** Ids of rules that no test names and that do not say why, or that say so although a test names them. */
    private static List<String> testedOtherwiseThanStated(RuleCatalogue rules, Set<String> tested) {
        return rules.rules().entrySet().stream().filter(rule -> tested.contains(rule.getKey()) != rule.getValue().notTested().isEmpty())
            .map(Map.Entry::getKey).toList();
    }

    @Test
    @DisplayName("every rule has a text, sources, and an id of a letter and a number")
    void everyRuleIsWritten() {
        assertTrue(catalogue.rules().size() > 50, "rules found in docs/rules.md: " + catalogue.rules().keySet());
        catalogue.rules().forEach((id, rule) -> {
            assertTrue(id.matches("[A-Z][1-9]\\d?"), "id of a rule in docs/rules.md: " + id);
            assertTrue(!rule.text().isEmpty(), "docs/rules.md has no text for " + id);
            assertTrue(!rule.sources().isEmpty(), "docs/rules.md has no sources for " + id);
        });
    }

    @Test
    @DisplayName("every capture that docs/rules.md names exists")
    void everyCaptureExists() {
        List<String> names = CAPTURE.matcher(text(Path.of("docs/rules.md"))).results().map(name -> name.group(1)).toList();
        assertTrue(names.size() > 50, names.toString());
        assertEquals(List.of(), names.stream().filter(name -> !Files.exists(CAPTURES.resolve(name + ".pcap"))).toList());
    }

    @Test
    @DisplayName("every rule that code, tests, tools/interop or documents cite is in docs/rules.md")
    void everyCitationIsOfARule() {
        Map<String, Set<String>> wrong = new TreeMap<>();
        int citations = 0;
        for (Path file : files) {
            String text = citing(file);
            citations += catalogue.citedIn(text).size();
            Set<String> unknown = catalogue.unknownIn(text);
            if (!unknown.isEmpty()) {
                wrong.put(file.toString(), unknown);
            }
        }
        assertEquals(Map.of(), wrong, "citations of rules that docs/rules.md does not have");
        assertTrue(citations > 500, citations + " citations found");
    }

    @Test
    @DisplayName("every rule is named by a test, or docs/rules.md says why not")
    void everyRuleHasATest() {
        assertEquals(List.of(), testedOtherwiseThanStated(catalogue, table().keySet()),
            "rules that no test names and that have no \"Not tested\", or that have both");
    }

    @Test
    @DisplayName("a rule without text, sources or test and a citation of no rule are noticed")
    void whatIsWrongIsNoticed() {
        RuleCatalogue page = RuleCatalogue.parse("""
            ## R: responder

            ### R1

            Text.

            - Sources: one,
              two.
            - Deviation: none.

            ### R2

            - Not tested: not built.
            """);
        assertEquals(new RuleCatalogue.Rule("Text.", "one, two.", "none.", ""), page.rules().get("R1"));
        assertEquals(new RuleCatalogue.Rule("", "", "", "not built."), page.rules().get("R2"));
        assertEquals(List.of("R1"), testedOtherwiseThanStated(page, Set.of()));
        assertEquals(List.of("R2"), testedOtherwiseThanStated(page, Set.of("R1", "R2")));
        assertEquals(Set.of("R3", "R19"), page.unknownIn("R1 to R3, rule R19; R1a and XR7 are none"));
        assertThrows(IllegalArgumentException.class, () -> RuleCatalogue.parse("### R1\n\nText.\n\n### R1\n\nText.\n"));
    }

    @Test
    @DisplayName("the table of rules and tests is written down")
    void theTableIsWritten() throws IOException {
        Map<String, TreeSet<String>> table = table();
        StringBuilder text = new StringBuilder("| rule | tests | deviation, or why there is no test |\n|---|---|---|\n");
        catalogue.rules().forEach((id, rule) -> {
            Map<String, List<String>> byClass = table.getOrDefault(id, new TreeSet<>()).stream().collect(Collectors.groupingBy(
                test -> test.substring(0, test.indexOf('.')), TreeMap::new,
                Collectors.mapping(test -> test.substring(test.indexOf('.') + 1), Collectors.toList())));
            String tests = byClass.entrySet().stream().map(entry -> entry.getKey() + ": " + String.join(", ", entry.getValue()))
                .collect(Collectors.joining("; "));
            text.append("| ").append(id).append(" | ").append(tests).append(" | ")
                .append((rule.deviation() + " " + rule.notTested()).trim()).append(" |\n");
        });
        Path file = Path.of("target/rule-tests.md");
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        assertEquals(catalogue.rules().size() + 2, Files.readAllLines(file).size());
    }
}
