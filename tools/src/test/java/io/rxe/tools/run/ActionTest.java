package io.rxe.tools.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("the shell lines of action/action.yml, with the variables that GitHub sets")
class ActionTest {
    private static final Path ACTION = Path.of(System.getProperty("basedir", ".")).toAbsolutePath().resolve("../action").normalize();
    private static final long SECONDS = 120;

    @TempDir
    private Path folder;

    private Path programs;

    @BeforeEach
    void makeFolder() throws IOException {
        programs = Files.createDirectory(folder.resolve("bin"));
    }

    /** What stands behind {@code run: |}, indented; the only step has it. */
    private static String script() throws IOException {
        List<String> lines = Files.readAllLines(ACTION.resolve("action.yml"));
        int run = lines.indexOf("      run: |");
        assertTrue(run > 0 && lines.stream().filter(line -> line.contains("run: ")).count() == 1, "one step with shell lines");
        List<String> script = lines.subList(run + 1, lines.size());
        assertTrue(script.stream().allMatch(line -> line.startsWith("        ")), script::toString);
        return script.stream().map(line -> line.substring(8)).collect(Collectors.joining("\n"));
    }

    private void program(String name, String script) throws IOException {
        Path file = Files.writeString(programs.resolve(name), "#!/bin/bash\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Runs the step as GitHub's shell {@code bash} does; returns the variables it exports. */
    private Map<String, String> run(String packageFile, String options) throws Exception {
        Path exported = Files.writeString(folder.resolve("github.env"), "BEFORE=here\n");
        Path script = Files.writeString(folder.resolve("script.sh"), script());
        ProcessBuilder builder = new ProcessBuilder("bash", "--noprofile", "--norc", "-eo", "pipefail", script.toString())
            .directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().putAll(Map.of("PACKAGE", packageFile, "OPTIONS", options, "GITHUB_ENV", exported.toString(),
            "GITHUB_ACTION_PATH", folder.resolve("checkout/action").toString(), "XDG_CACHE_HOME", folder.resolve("cache").toString()));
        builder.environment().merge("PATH", programs.toString(), (path, first) -> first + ":" + path);
        builder.environment().remove("LD_PRELOAD");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS), output);
        assertEquals(0, process.exitValue(), output);
        return Files.readAllLines(exported).stream().map(line -> line.split("=", 2))
            .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1]));
    }

    @Test
    @DisplayName("the jar: later steps get the library and the options")
    void jar() throws Exception {
        OneJar.requireLibrary();
        OneJar.make(folder.resolve("rxe-1.jar"));
        Map<String, String> exported = run("rxe-1.jar", "--dev 127.0.0.81,127.0.0.82 --fault 'loss 1%' --seed 3");
        assertEquals("here", exported.get("BEFORE"));
        assertEquals("127.0.0.81,127.0.0.82", exported.get("RXE_DEV"));
        assertEquals("loss 1%", exported.get("RXE_FAULT"));
        assertEquals("rxe0:1,rxe1:1", exported.get("UCX_NET_DEVICES"));
        assertTrue(Files.isReadable(Path.of(exported.get("LD_PRELOAD"))), exported::toString);
    }

    @Test
    @DisplayName("the package: apt-get installs it")
    void debianPackage() throws Exception {
        program("sudo", "echo \"$*\" >>" + folder.resolve("sudo.log"));
        program("rxe", "echo \"OPTIONS=$*\"");
        Files.createFile(folder.resolve("rxe_1_all.deb"));
        assertEquals("env --plain --dev eth0", run("rxe_1_all.deb", "--dev eth0").get("OPTIONS"));
        assertEquals("apt-get install -y " + folder.toRealPath().resolve("rxe_1_all.deb") + "\n",
            Files.readString(folder.resolve("sudo.log")));
    }

    @Test
    @DisplayName("neither: the jar is built of the checkout")
    void checkout() throws Exception {
        OneJar.requireLibrary();
        Path jar = folder.resolve("checkout/tools/target/rxe-1-SNAPSHOT.jar");
        Files.createDirectories(folder.resolve("checkout/action"));
        Files.createDirectories(jar.getParent());
        OneJar.make(folder.resolve("built.jar"));
        program("mvn", "echo \"$*\" >" + folder.resolve("mvn.log") + "; mv " + folder.resolve("built.jar") + " " + jar);
        Map<String, String> exported = run("", "");
        assertTrue(Files.readString(folder.resolve("mvn.log")).contains("/action/../pom.xml package"), exported::toString);
        assertTrue(Files.isReadable(Path.of(exported.get("LD_PRELOAD"))), exported::toString);
        assertFalse(exported.containsKey("RXE_DEV"));
    }
}
