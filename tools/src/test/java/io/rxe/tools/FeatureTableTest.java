package io.rxe.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.wire.Opcode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("docs/features.md names classes, methods and opcodes that exist")
class FeatureTableTest {
    private static final Path TABLE = Path.of("..", "docs", "features.md");
    private static final Pattern NAME = Pattern.compile("`([A-Z]\\w+)(?:\\.(\\w+))?`|0x(\\p{XDigit}{2})\\b");
    private static final List<String> PACKAGES = List.of("io.rxe.verbs.", "io.rxe.cm.", "io.rxe.cm.mad.", "io.rxe.wire.");

    private static boolean exists(Matcher name) {
        if (name.group(3) != null) {
            int code = Integer.parseInt(name.group(3), 16);
            return Arrays.stream(Opcode.values()).anyMatch(opcode -> opcode.code() == code);
        }
        return PACKAGES.stream().anyMatch(folder -> {
            try {
                Class<?> found = Class.forName(folder + name.group(1));
                return name.group(2) == null
                    || Arrays.stream(found.getMethods()).anyMatch(method -> method.getName().equals(name.group(2)));
            } catch (ClassNotFoundException e) {
                return false;
            }
        });
    }

    @Test
    void everyNameInTheTableExists() throws IOException {
        List<String> gone = new ArrayList<>();
        int named = 0;
        for (String line : Files.readAllLines(TABLE)) {
            Matcher name = NAME.matcher(line.startsWith("|") ? line : "");
            while (name.find()) {
                named++;
                if (!exists(name)) {
                    gone.add(name.group());
                }
            }
        }
        assertTrue(named > 40, named + " names");
        assertEquals(List.of(), gone);
    }
}
