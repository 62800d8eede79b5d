package io.rxe.qp;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The rules of {@code docs/rules.md}: a heading {@code ### R5}, text, and a list whose items begin with Sources, Deviation or Not tested.
 *
 * @param rules rule by id, in the order of the page.
 */
record RuleCatalogue(Map<String, Rule> rules) {
    private static final Pattern SECTION = Pattern.compile("(?ms)^### (\\S+)\\n(.*?)(?=^##|\\z)");
    private static final Pattern ITEM = Pattern.compile("(?ms)^- (Sources|Deviation|Not tested): (.*?)(?=^- |\\z)");

    /**
     * One rule.
     *
     * @param text      what must hold; empty when the page has nothing in front of the list.
     * @param sources   where it comes from.
     * @param deviation where and why it holds partly.
     * @param notTested why no test names it.
     */
    record Rule(String text, String sources, String deviation, String notTested) {
    }

    /** Reads the page. */
    static RuleCatalogue read(Path page) throws IOException {
        return parse(Files.readString(page));
    }

    static RuleCatalogue parse(String page) {
        Map<String, Rule> rules = new LinkedHashMap<>();
        Matcher section = SECTION.matcher(page);
        while (section.find()) {
            String body = section.group(2);
            int list = body.startsWith("- ") ? 0 : body.indexOf("\n- ");
            Rule rule = new Rule((list < 0 ? body : body.substring(0, list)).trim(), items(body, "Sources"), items(body, "Deviation"),
                items(body, "Not tested"));
            if (rules.put(section.group(1), rule) != null) {
                throw new IllegalArgumentException("docs/rules.md has two rules " + section.group(1) + ": give one of them a free number");
            }
        }
        return new RuleCatalogue(rules);
    }

    private static String items(String body, String label) {
        return ITEM.matcher(body).results().filter(item -> item.group(1).equals(label))
            .map(item -> item.group(2).trim().replaceAll("\\s+", " ")).collect(Collectors.joining(" "));
    }

    /** A letter of a family and a number: what cites a rule, whether there is such a rule or not; with a range in group 3. */
    Pattern citation() {
        String families = rules.keySet().stream().map(id -> id.substring(0, 1)).distinct().collect(Collectors.joining());
        return Pattern.compile("\\b([" + families + "])(\\d{1,3})\\b(?: to \\1(\\d{1,3})\\b)?");
    }

    /** The ids a text cites, those of a range like "R1 to R15" included. */
    List<String> citedIn(String text) {
        List<String> ids = new ArrayList<>();
        Matcher cited = citation().matcher(text);
        while (cited.find()) {
            int from = Integer.parseInt(cited.group(2));
            int to = cited.group(3) == null ? from : Integer.parseInt(cited.group(3));
            IntStream.rangeClosed(from, to).forEach(number -> ids.add(cited.group(1) + number));
        }
        return ids;
    }

    /** The ids a text cites that are not in the catalogue. */
    TreeSet<String> unknownIn(String text) {
        return citedIn(text).stream().filter(id -> !rules.containsKey(id)).collect(Collectors.toCollection(TreeSet::new));
    }
}
