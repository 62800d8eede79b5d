package io.rxe.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON into maps, lists, strings, doubles, booleans and nulls. */
public final class JsonReader {
    private static final int MAX_DEPTH = 64;

    private final String text;
    private int at;
    private int depth;

    private JsonReader(String text) {
        this.text = text;
    }

    /**
     * Reads a whole text.
     *
     * @throws IllegalArgumentException that names the place of the first error.
     */
    public static Object read(String text) {
        JsonReader reader = new JsonReader(text);
        Object value = reader.value();
        reader.skipSpace();
        if (reader.at < text.length()) {
            throw reader.wrong("nothing more");
        }
        return value;
    }

    private Object value() {
        if (++depth > MAX_DEPTH) {
            throw wrong("no deeper nesting than " + MAX_DEPTH);
        }
        skipSpace();
        Object value = switch (peek()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
        depth--;
        return value;
    }

    private Map<String, Object> object() {
        Map<String, Object> fields = new LinkedHashMap<>();
        expect('{');
        skipSpace();
        while (peek() != '}') {
            if (!fields.isEmpty()) {
                expect(',');
                skipSpace();
            }
            String name = string();
            skipSpace();
            expect(':');
            fields.put(name, value());
            skipSpace();
        }
        expect('}');
        return fields;
    }

    private List<Object> array() {
        List<Object> elements = new ArrayList<>();
        expect('[');
        skipSpace();
        while (peek() != ']') {
            if (!elements.isEmpty()) {
                expect(',');
            }
            elements.add(value());
            skipSpace();
        }
        expect(']');
        return elements;
    }

    private String string() {
        StringBuilder characters = new StringBuilder();
        expect('"');
        while (peek() != '"') {
            char c = text.charAt(at++);
            characters.append(c == '\\' ? escaped() : c);
        }
        expect('"');
        return characters.toString();
    }

    private char escaped() {
        char c = peek();
        at++;
        return switch (c) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'u' -> {
                if (at + 4 > text.length()) {
                    throw wrong("four hexadecimal digits");
                }
                at += 4;
                yield (char) Integer.parseInt(text.substring(at - 4, at), 16);
            }
            case '"', '\\', '/' -> c;
            default -> throw wrong("a known escape");
        };
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw wrong(word);
        }
        at += word.length();
        return value;
    }

    private Double number() {
        int from = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        try {
            return Double.valueOf(text.substring(from, at));
        } catch (NumberFormatException e) {
            at = from;
            throw wrong("a value");
        }
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() {
        if (at >= text.length()) {
            throw wrong("more");
        }
        return text.charAt(at);
    }

    private void expect(char wanted) {
        if (peek() != wanted) {
            throw wrong("'" + wanted + "'");
        }
        at++;
    }

    private IllegalArgumentException wrong(String wanted) {
        String found = text.substring(Math.min(at, text.length()), Math.min(text.length(), at + 20));
        return new IllegalArgumentException("no JSON: " + wanted + " expected at character " + at + ", found '" + found + "'");
    }
}
