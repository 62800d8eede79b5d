package io.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Which test covers which rule: read from the display names of the tests in this tree. Every rule of the catalogue is named by at least
 * one, or has its reason here. The table is written to {@code target/rule-tests.md}.
 */
class RuleTableTest {
    private static final Path TESTS = Path.of("src/test/java");
    private static final Pattern TEST_WITH_NAME = Pattern.compile(
        "@DisplayName\\(\"([^\"]*)\"\\)\\s+(?:@\\w+(?:\\([^)]*\\))?\\s+)*(?:[\\w<>]+ )?(\\w+)\\(");
    private static final Pattern RULE = Pattern.compile("\\b([PTQRMS]\\d{1,2}|A|M|S)\\b(?: to ([PTQR]\\d{1,2}))?");

    /** Rules that hold partly, or not yet, and why. */
    private static final Map<String, String> REASONS = new LinkedHashMap<>();

    static {
        REASONS.put("P1", "\"Random by default\" is the business of whoever draws the start PSN: the application or connection management."
            + " RTR and RTS do without it only by being given one.");
        REASONS.put("P7", "A queue pair that is reset keeps its number, as in libibverbs; its PSNs are what the application sets.");
        REASONS.put("T3", "Beside the 1 + retry_cnt transmissions at the timeout, a peer that has answered before is probed earlier,"
            + " which uses up no retry. A dead peer gets exactly 1 + retry_cnt.");
        REASONS.put("T10", "Belongs to connection management: see the tests of io.rxe.cm.");
        REASONS.put("Q2", "Every operation that can be posted can be carried out, so LOC_QP_OP_ERR never comes: others are refused at the"
            + " post.");
        REASONS.put("Q4", "\"Everything after it\" shrinks to what is not known to be executed, and is not sent before it is known lost.");
        REASONS.put("R5", "A READ repeated bit for bit within 4 ms is taken for a copy made by the network and not answered, until the"
            + " peer has shown that it repeats so.");
        REASONS.put("R9", "Undefined opcodes, FLUSH and ATOMIC_WRITE are dropped by name, as a kernel does, since the length of their"
            + " headers is not known.");
        REASONS.put("R16", "Q_Keys belong to UD.");
        REASONS.put("A", "PATH_MIG and PATH_MIG_ERR have no cause before path migration is built, SRQ_ERR, PORT_ and DEVICE_ events none"
            + " in a NIC of software whose port is a socket.");
        REASONS.put("M1", "Automatic path migration is a later step. MigReq is sent as 0 and ignored, as with rxe.");
        REASONS.put("S", "RC retries, as rules T and Q show; UC and UD are held to theirs by UnreliableTransportTest.");
    }

    private static List<String> catalogue() {
        List<String> rules = new ArrayList<>();
        add(rules, "P", 7);
        add(rules, "T", 10);
        add(rules, "Q", 15);
        add(rules, "R", 18);
        rules.add("A");
        rules.add("M1");
        rules.add("S");
        return rules;
    }

    private static void add(List<String> rules, String family, int last) {
        IntStream.rangeClosed(1, last).forEach(number -> rules.add(family + number));
    }

    /** Rule to the tests that name it, as Class.method. */
    static Map<String, TreeSet<String>> table() throws IOException {
        Map<String, TreeSet<String>> table = new TreeMap<>();
        List<Path> sources;
        try (Stream<Path> files = Files.walk(TESTS)) {
            sources = files.filter(file -> file.toString().endsWith("Test.java")).sorted().toList();
        }
        for (Path source : sources) {
            String className = source.getFileName().toString().replace(".java", "");
            Matcher test = TEST_WITH_NAME.matcher(Files.readString(source));
            while (test.find()) {
                for (String rule : rulesOf(test.group(1))) {
                    table.computeIfAbsent(rule, key -> new TreeSet<>()).add(className + "." + test.group(2));
                }
            }
        }
        return table;
    }

    /** The rules of a display name: "R1 P3 a PSN ...", "R1 to R15 as ...". */
    private static List<String> rulesOf(String displayName) {
        List<String> rules = new ArrayList<>();
        Matcher matcher = RULE.matcher(displayName);
        while (matcher.find()) {
            if (matcher.group(2) == null) {
                rules.add(matcher.group(1));
                continue;
            }
            String family = matcher.group(1).substring(0, 1);
            int from = Integer.parseInt(matcher.group(1).substring(1));
            int to = Integer.parseInt(matcher.group(2).substring(1));
            IntStream.rangeClosed(from, to).forEach(number -> rules.add(family + number));
        }
        return rules;
    }

    @Test
    @DisplayName("every rule of the catalogue is named by a test, or has its reason")
    void everyRuleHasATest() throws IOException {
        Map<String, TreeSet<String>> table = table();
        List<String> bare = catalogue().stream().filter(rule -> !table.containsKey(rule) && !REASONS.containsKey(rule)).toList();
        assertEquals(List.of(), bare, "rules that no test names");
        List<String> direct = catalogue().stream().filter(rule -> rule.matches("[PTQR]\\d+") && !rule.equals("T10"))
            .filter(rule -> !table.containsKey(rule)).toList();
        assertEquals(List.of(), direct, "rules with a reason but without a test");
    }

    @Test
    @DisplayName("no test names a rule that does not exist")
    void noTestNamesARuleThatDoesNotExist() throws IOException {
        assertTrue(catalogue().containsAll(REASONS.keySet()));
        TreeSet<String> unknown = table().keySet().stream().filter(rule -> !catalogue().contains(rule) && !rule.equals("M"))
            .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(new TreeSet<>(), unknown);
    }

    @Test
    @DisplayName("the table of rules and tests is written down")
    void theTableIsWritten() throws IOException {
        Map<String, TreeSet<String>> table = table();
        StringBuilder text = new StringBuilder("| rule | tests | holds partly, or later, because |\n|---|---|---|\n");
        for (String rule : catalogue()) {
            Map<String, List<String>> byClass = table.getOrDefault(rule, new TreeSet<>()).stream().collect(Collectors.groupingBy(
                test -> test.substring(0, test.indexOf('.')), TreeMap::new,
                Collectors.mapping(test -> test.substring(test.indexOf('.') + 1), Collectors.toList())));
            String tests = byClass.entrySet().stream().map(entry -> entry.getKey() + ": " + String.join(", ", entry.getValue()))
                .collect(Collectors.joining("; "));
            text.append("| ").append(rule).append(" | ").append(tests).append(" | ").append(REASONS.getOrDefault(rule, "")).append(" |\n");
        }
        Path file = Path.of("target/rule-tests.md");
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        assertEquals(catalogue().size() + 2, Files.readAllLines(file).size());
    }
}
