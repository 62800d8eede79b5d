package io.rxe.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("docs/api.md counts the lines of programs as tools/api-lines does")
class ApiLinesTest {
    private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern INVOCATION = Pattern.compile(" {4}\\$ tools/api-lines (.*)");
    private static final Pattern COUNT = Pattern.compile(" {4}(\\d+) (\\S+)");

    private static List<String> run(String arguments) throws IOException, InterruptedException {
        // A shell, for the patterns in the names of files.
        Process process = new ProcessBuilder("bash", "-c", "tools/api-lines " + arguments).directory(HOME.toFile())
            .redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), printed);
        return printed.lines().toList();
    }

    @Test
    void countsAreThoseOfTheCommand() throws Exception {
        List<String> lines = Files.readAllLines(HOME.resolve("docs/api.md"));
        int compared = 0;
        for (int i = 0; i < lines.size(); i++) {
            Matcher invocation = INVOCATION.matcher(lines.get(i));
            if (invocation.matches()) {
                List<String> written = new ArrayList<>();
                for (int line = i + 1; line < lines.size() && COUNT.matcher(lines.get(line)).matches(); line++) {
                    // A page leaves out the folders.
                    written.add(lines.get(line).strip().replaceFirst(" .*/", " "));
                }
                assertFalse(written.isEmpty(), lines.get(i));
                assertEquals(run(invocation.group(1)).stream().map(line -> line.replaceFirst(" .*/", " ")).toList(), written);
                compared++;
            }
        }
        assertEquals(2, compared, "the examples, and one program for three APIs");
    }

    @Test
    @DisplayName("a comment, a blank line and an include are no lines of a program")
    void whatIsCounted() throws Exception {
        Path file = Files.createTempFile("lines", ".c");
        try {
            Files.writeString(file, "#include <stdio.h>\n\n/* a\n b */\nint a; // c\n/* d */ int e;\n// f\n#define G 1\n");
            assertTrue(run(file.toString()).get(0).startsWith("3 "), () -> file.toString());
        } finally {
            Files.delete(file);
        }
    }
}
