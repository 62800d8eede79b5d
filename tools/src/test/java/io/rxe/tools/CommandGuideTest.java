package io.rxe.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

@DisplayName("docs/commands.md")
class CommandGuideTest {
    private static final Path TOOLS = Path.of("..", "tools");
    private static final Path GUIDE = Path.of("..", "docs", "commands.md");
    private static final Pattern OPTION = Pattern.compile("(?<= )--?[A-Za-z][A-Za-z0-9_-]*");

    private static CommandLine rxe() {
        return Main.commandLine(new PrintWriter(PrintWriter.nullWriter()), new PrintWriter(PrintWriter.nullWriter()));
    }

    /** The lines below each heading. A heading may name several commands. */
    private static Map<String, List<String>> sections() throws IOException {
        Map<String, List<String>> sections = new LinkedHashMap<>();
        String[] texts = Files.readString(GUIDE).split("\n### ");
        for (int i = 1; i < texts.length; i++) {
            List<String> lines = texts[i].lines().toList();
            for (String name : lines.get(0).split(", ")) {
                sections.put(name, lines.subList(1, lines.size()));
            }
        }
        return sections;
    }

    @Test
    void coversExactlyTheCommandsAndScripts() throws IOException {
        Set<String> expected = new TreeSet<>();
        rxe().getSubcommands().forEach((name, command) -> {
            if (!command.getCommandSpec().usageMessage().hidden()) {
                expected.add("rxe " + name);
            }
        });
        try (Stream<Path> files = Files.list(TOOLS)) {
            files.filter(file -> Files.isRegularFile(file) && Files.isExecutable(file) && !file.endsWith("rxe"))
                .forEach(file -> expected.add("tools/" + file.getFileName()));
        }
        assertEquals(expected, new TreeSet<>(sections().keySet()));
    }

    @Test
    void showsAnInvocationAndOutputOfEach() throws IOException {
        sections().forEach((name, lines) -> {
            String command = name.startsWith("rxe ") ? "tools/" + name : name;
            assertTrue(lines.stream().anyMatch(line -> line.startsWith("    $ ") && (line + " ").contains(command + " ")), name);
            assertTrue(lines.stream().anyMatch(line -> line.startsWith("    ") && !line.startsWith("    $ ") && !line.isBlank()), name);
        });
    }

    @Test
    void usesOnlyOptionsThatExist() throws IOException {
        Map<String, CommandLine> commands = rxe().getSubcommands();
        for (String line : Files.readAllLines(GUIDE)) {
            Matcher invocation = Pattern.compile("    \\$ (?:.*\\| )?tools/rxe ([a-z_-]+)(.*)").matcher(line);
            if (invocation.matches()) {
                Set<String> known = commands.get(invocation.group(1)).getCommandSpec().options().stream()
                    .flatMap(option -> Arrays.stream(option.names())).collect(Collectors.toSet());
                // Behind -- stand another program's options.
                OPTION.matcher(invocation.group(2).split("[|>#]| -- ")[0]).results().map(result -> result.group())
                    .forEach(option -> assertTrue(known.contains(option), option + " in " + line));
            }
        }
    }
}
