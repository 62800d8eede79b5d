package io.rxe.bench;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes maps, lists, strings, numbers and booleans as JSON, indented by two spaces. Maps keep their order. */
public final class JsonText {
    private final StringBuilder text = new StringBuilder();

    private JsonText() {
    }

    /**
     * The JSON of a value.
     *
     * @throws IllegalArgumentException for a value of another type.
     */
    public static String of(Object value) {
        JsonText json = new JsonText();
        json.append(value, "");
        return json.text.append('\n').toString();
    }

    private void append(Object value, String indent) {
        if (value instanceof Map<?, ?> map) {
            appendMap(map, indent);
        } else if (value instanceof List<?> list) {
            appendList(list, indent);
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

    private void appendMap(Map<?, ?> map, String indent) {
        String inner = indent + "  ";
        String separator = "{\n";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            text.append(separator).append(inner);
            appendString(entry.getKey().toString());
            text.append(": ");
            append(entry.getValue(), inner);
            separator = ",\n";
        }
        text.append(map.isEmpty() ? "{}" : "\n" + indent + "}");
    }

    private void appendList(List<?> list, String indent) {
        String inner = indent + "  ";
        String separator = "[\n";
        for (Object element : list) {
            text.append(separator).append(inner);
            append(element, inner);
            separator = ",\n";
        }
        text.append(list.isEmpty() ? "[]" : "\n" + indent + "]");
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
