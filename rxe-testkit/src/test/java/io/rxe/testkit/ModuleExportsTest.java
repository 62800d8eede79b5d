package io.rxe.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
@DisplayName("What one module uses of another is exported to it: the compiler, which sees no module-info.java, does not check it")
class ModuleExportsTest {
    private static final Path MODULE_INFO = Path.of("src/main/module/module-info.java");
    private static final Pattern NAME = Pattern.compile("^(?:open )?module ([a-z.]+)", Pattern.MULTILINE);
    private static final Pattern IMPORT = Pattern.compile("^import (?:static )?((?:[a-z][a-z0-9]*\\.)+)[A-Z]", Pattern.MULTILINE);

    private static List<Path> modules() throws IOException {
        try (Stream<Path> folders = Files.list(Path.of(".."))) {
            return folders.filter(folder -> Files.exists(folder.resolve(MODULE_INFO))).sorted().toList();
        }
    }

    private static Set<String> importedBy(Path module) throws IOException {
        Set<String> packages = new TreeSet<>();
        try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
            for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
                IMPORT.matcher(Files.readString(file)).results().map(match -> match.group(1)).forEach(packages::add);
            }
        }
        return packages;
    }

    private static boolean isExported(String exporter, String name, String to) {
        return Pattern.compile("exports " + Pattern.quote(name) + "( to [a-z., ]*\\b" + Pattern.quote(to) + "\\b[a-z., ]*)?;")
            .matcher(exporter).find();
    }

    @Test
    void everyPackageUsedIsExported() throws IOException {
        Set<String> hidden = new TreeSet<>();
        int checked = 0;
        for (Path user : modules()) {
            MatchResult name = NAME.matcher(Files.readString(user.resolve(MODULE_INFO))).results().findFirst().orElseThrow();
            for (String dotted : importedBy(user)) {
                String used = dotted.substring(0, dotted.length() - 1);
                for (Path owner : modules()) {
                    if (!owner.equals(user) && Files.isDirectory(owner.resolve("src/main/java").resolve(used.replace('.', '/')))) {
                        checked++;
                        if (!isExported(Files.readString(owner.resolve(MODULE_INFO)), used, name.group(1))) {
                            hidden.add(used + ", used by " + name.group(1));
                        }
                    }
                }
            }
        }
        assertTrue(checked > 10, "checked " + checked);
        assertEquals(Set.of(), hidden);
    }
}
