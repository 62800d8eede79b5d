package io.rxe.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The JSON reader")
class JsonReaderTest {
    @Test
    void readsWhatTheWriterWrites() {
        Object value = Map.of("list", List.of(1L, 2L), "text", "a \"b\" \\ \n c", "truth", true, "nested", Map.of("x", 0.5));
        Object expected = Map.of("list", List.of(1.0, 2.0), "text", "a \"b\" \\ \n c", "truth", true, "nested", Map.of("x", 0.5));
        assertEquals(expected, JsonReader.read(JsonText.of(value)));
    }

    @Test
    void readsEveryKindOfValue() {
        assertEquals(Arrays.asList(-1.5e3, null, false, List.of(), Map.of(), "\u00e9/\t"),
            JsonReader.read(" [ -1.5E3 , null,false, [ ] ,{ }, \"\\u00e9\\/\\t\" ]\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[1,]", "{\"a\" 1}", "tru", "\"a", "1 2", "{\"a\":}", "[\"\\x\"]", "+-"})
    void namesThePlaceWhereItIsNotJson(String text) {
        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> JsonReader.read(text));
        assertTrue(refusal.getMessage().matches("no JSON: .* expected at character \\d+, found '.*'"), refusal.getMessage());
    }

    @Test
    void refusesNestingBeyondItsLimit() {
        assertThrows(IllegalArgumentException.class, () -> JsonReader.read("[".repeat(10_000)));
    }
}
