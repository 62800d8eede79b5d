package io.rxe.testkit.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One command line of the agent: a word, then {@code key=value} words. */
final class AgentLine {
    private final String word;
    private final Map<String, String> values = new TreeMap<>();

    private AgentLine(String word) {
        this.word = word;
    }

    /**
     * Parses a line.
     *
     * @throws IllegalArgumentException for a word after the first that is not {@code key=value}.
     */
    static AgentLine parse(String text) {
        String[] words = text.trim().split("\\s+");
        AgentLine line = new AgentLine(words[0]);
        for (int i = 1; i < words.length; i++) {
            int equals = words[i].indexOf('=');
            if (equals <= 0) {
                throw new IllegalArgumentException("'" + words[i] + "' is not key=value");
            }
            line.values.put(words[i].substring(0, equals), words[i].substring(equals + 1));
        }
        return line;
    }

    String word() {
        return word;
    }

    boolean has(String key) {
        return values.containsKey(key);
    }

    /** @throws IllegalArgumentException when the key is missing. */
    String text(String key) {
        String value = values.get(key);
        if (value == null) {
            throw new IllegalArgumentException(word + " needs " + key + "=...");
        }
        return value;
    }

    String text(String key, String defaultValue) {
        return values.getOrDefault(key, defaultValue);
    }

    /** A number of up to 64 bits, unsigned, decimal or with 0x. */
    long number(String key) {
        return number(key, text(key));
    }

    int integer(String key) {
        return (int) number(key);
    }

    int integer(String key, int defaultValue) {
        return has(key) ? integer(key) : defaultValue;
    }

    /** The items of a comma-separated list; empty for an empty text and for 'none'. */
    List<String> list(String key, String defaultValue) {
        List<String> found = new ArrayList<>();
        for (String item : text(key, defaultValue).split(",")) {
            if (!item.isEmpty() && !"none".equals(item)) {
                found.add(item);
            }
        }
        return found;
    }

    static long number(String what, String text) {
        try {
            return text.startsWith("0x") ? Long.parseUnsignedLong(text.substring(2), 16) : Long.parseUnsignedLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(what + " '" + text + "' is not a number of 64 bits, decimal or with 0x", e);
        }
    }
}
