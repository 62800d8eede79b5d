package io.rxe.net.fault;

import io.rxe.verbs.AsyncEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads a script of faults and of what must follow them. */
final class VerbsScript {
    /** Events of connections that a program gets; a test compares them with {@code io.rxe.cm.CmEvent}. */
    static final List<String> CONNECTION_EVENTS = List.of("CONNECT_REQUEST", "CONNECT_RESPONSE", "CONNECT_ERROR", "UNREACHABLE", "REJECTED",
        "ESTABLISHED", "DISCONNECTED", "TIMEWAIT_EXIT");
    static final List<String> EVENTS = Stream.concat(CONNECTION_EVENTS.stream(), Stream.of(AsyncEvent.Type.values())
        .map(Enum::name)).toList();

    private final List<VerbsRule> rules = new ArrayList<>();
    private final List<Expectation> expectations = new ArrayList<>();
    private long atNs;

    VerbsFaultSpec read(List<String> lines) {
        for (int number = 1; number <= lines.size(); number++) {
            String line = lines.get(number - 1).replaceFirst("#.*", "").strip();
            if (!line.isEmpty()) {
                readLine(line, number);
            }
        }
        if (rules.isEmpty() && expectations.isEmpty()) {
            throw new IllegalArgumentException("the script has no line: write at TIME FAULT, and expect EVENT within TIME");
        }
        return new VerbsFaultSpec(rules, expectations);
    }

    private void readLine(String line, int number) {
        FaultWords words = new FaultWords("line " + number + " '" + line + "'", line);
        if (words.take("at")) {
            long ns = words.time("at");
            if (ns < atNs) {
                throw words.refused("the fault before it is later: put the lines into the order of their times");
            }
            atNs = ns;
            readFaults(line.split("\\s+", 3), words);
        } else if (words.take("expect")) {
            readExpectation(words, number);
        } else {
            throw words.refused("'" + words.next("at or expect") + "' begins no line: write at TIME FAULT, or expect EVENT within TIME");
        }
    }

    private void readFaults(String[] parts, FaultWords words) {
        if (parts.length < 3) {
            throw words.refused("the fault is missing at the end");
        }
        try {
            new VerbsFaultParser(parts[2]).read().forEach(rule -> rules.add(rule.from(atNs)));
        } catch (IllegalArgumentException e) {
            throw words.refused(e.getMessage());
        }
    }

    private void readExpectation(FaultWords words, int number) {
        String event = words.next("the event").toUpperCase(Locale.ROOT);
        if (!EVENTS.contains(event)) {
            throw words.refused("'" + event + "' is no event: use " + EVENTS.stream().collect(Collectors.joining(", ")));
        }
        if (!words.take("within")) {
            throw words.refused("within is missing: write expect " + event + " within 2s");
        }
        long withinNs = words.time("within");
        if (words.hasNext()) {
            throw words.refused("'" + words.next("") + "' is too much");
        }
        expectations.add(new Expectation(event, atNs, withinNs, number));
    }
}
