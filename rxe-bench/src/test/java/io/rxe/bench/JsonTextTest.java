package io.rxe.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTextTest {
    @Test
    void writesEveryKindOfValueInTheOrderGiven() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("text", "a \"b\" \\ \n");
        map.put("whole", 1L << 40);
        map.put("real", 0.5);
        map.put("endless", Double.POSITIVE_INFINITY);
        map.put("yes", true);
        map.put("list", List.of(1, List.of(), Map.of()));
        assertEquals("""
            {
              "text": "a \\"b\\" \\\\ \\u000a",
              "whole": 1099511627776,
              "real": 0.500000,
              "endless": null,
              "yes": true,
              "list": [
                1,
                [],
                {}
              ]
            }
            """, JsonText.of(map));
    }

    @Test
    void refusesValuesJsonCannotExpress() {
        assertThrows(IllegalArgumentException.class, () -> JsonText.of(new Object()));
    }
}
