package io.rxe.net.process;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProcessSettingsTest {
    @ParameterizedTest
    @CsvSource({"RXE_UDP_PORT, 4294972087, is not in 1..65535", "RXE_UDP_PORT, -4294962505, is not in 1..65535",
        "RXE_ENGINES, 4294967297, is not in 1..", "RXE_KEEP_ALIVE_MS, 9223372036854775807, is not in",
        "RXE_KEEP_ALIVE_MS, -9223372036854775808, is not in"})
    @DisplayName("a number beyond every int or long is refused like any other that is out of range: with the range")
    void numbersOutOfEveryRange(String variable, String value, String limit) {
        ProcessSettings settings = new ProcessSettings(name -> null, name -> name.equals(variable) ? value : null);
        String text = assertThrows(IllegalArgumentException.class, () -> settings.options("127.0.0.1")).getMessage();
        assertTrue(text.startsWith(variable) && text.contains("'" + value + "'") && text.contains(limit), text);
    }
}
