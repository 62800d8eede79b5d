package io.rxe.bench;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** Writes maps, lists, strings, numbers and booleans as JSON, indented by two spaces. Maps keep their order. */
public final class JsonText {
    private final StringBuilder text = new StringBuilder();

    private JsonText() {
    }

    /** @throws IllegalArgumentException for a value of another type. */
    public static String of(Object value) {
        JsonText json = new JsonText();
        json.append(value, "");
        return json.text.append('\n').toString();
    }

    private void append(Object value, String indent) {
        if (value instanceof Map<?, ?> map) {
            appendAll("{}", map.entrySet(), indent, entry -> {
                appendString(entry.getKey().toString());
                text.append(": ");
                append(entry.getValue(), indent + "  ");
            });
        } else if (value instanceof List<?> list) {
            appendAll("[]", list, indent, element -> append(element, indent + "  "));
        } else if (value instanceof Double number) {
            // JSON has neither infinity nor NaN.
            text.append(Double.isFinite(number) ? String.format(Locale.ROOT, "%.6g", number) : "null");
        } else if (value == null || value instanceof Long || value instanceof Integer || value instanceof Boolean) {
            text.append(value);
        } else if (value instanceof CharSequence characters) {
            appendString(characters);
        } else {
            throw new IllegalArgumentException("no JSON for " + value.getClass().getName());
        }
    }

    private <T> void appendAll(String brackets, Collection<T> elements, String indent, Consumer<T> element) {
        String separator = brackets.charAt(0) + "\n";
        for (T each : elements) {
            text.append(separator).append(indent).append("  ");
            element.accept(each);
            separator = ",\n";
        }
        text.append(elements.isEmpty() ? brackets : "\n" + indent + brackets.charAt(1));
    }

    private void appendString(CharSequence characters) {
        text.append('"');
        for (int i = 0; i < characters.length(); i++) {
            char c = characters.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ') {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }
}
