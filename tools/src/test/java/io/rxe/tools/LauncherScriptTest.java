package io.rxe.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("tools/rxe, in a checkout without sources and with a Maven that never ends")
class LauncherScriptTest {
    private static final Path TOOLS = Path.of(System.getProperty("basedir", ".")).toAbsolutePath().normalize();
    private static final long SECONDS = 120;

    @TempDir
    private Path folder;

    private Path checkout() throws IOException {
        Path home = folder.resolve("checkout");
        Files.createDirectories(home.resolve("tools"));
        for (String name : new String[] {"rxe", "common.sh"}) {
            Files.copy(TOOLS.resolve(name), home.resolve("tools").resolve(name), StandardCopyOption.COPY_ATTRIBUTES);
        }
        for (String name : new String[] {"pom.xml", "LICENSE", "NOTICE"}) {
            Files.writeString(home.resolve(name), "");
        }
        for (String module : new String[] {"rxe-core", "rxe-net", "rxe-bench", "tools"}) {
            Files.createDirectories(home.resolve(module).resolve("src/main"));
            Files.writeString(home.resolve(module).resolve("pom.xml"), "");
        }
        Path maven = Files.createDirectories(folder.resolve("bin")).resolve("mvn");
        Files.writeString(maven, "#!/bin/sh\ntouch " + folder.resolve("started") + "\nexec sleep 3600\n");
        Files.setPosixFilePermissions(maven, PosixFilePermissions.fromString("rwxr-xr-x"));
        return home;
    }

    /** Runs a script; its output and errors together. SIGINT is not ignored, even if these tests run in the background of a script. */
    private String bash(String script, String javaHome) throws Exception {
        ProcessBuilder builder = new ProcessBuilder("env", "--default-signal=INT", "bash", "-c", script).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", javaHome);
        builder.environment().merge("PATH", folder.resolve("bin").toString(), (path, first) -> first + ":" + path);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS), output);
        return output;
    }

    @Test
    void aJavaHomeWithoutJavaIsAnErrorThatNamesIt() throws Exception {
        String output = bash(checkout() + "/tools/rxe version; echo status $?", "/nonexistent");
        assertEquals("rxe: JAVA_HOME=/nonexistent has no bin/java: set it to the folder of a JDK, or unset it to let rxe"
            + " find one\nstatus 1\n", output);
    }

    @Test
    void aJavaIsFoundWithoutProc() throws Exception {
        assumeTrue(bash("unshare -Urm mount -t tmpfs none /proc && echo yes", "").equals("yes\n"), "needs namespaces of the user");
        Path home = checkout();
        Files.writeString(folder.resolve("bin").resolve("mvn"), "#!/bin/sh\nexit 1\n");
        String output = bash("unshare -Urm sh -c 'mount -t tmpfs none /proc && exec \"$0\" version' " + home + "/tools/rxe; echo status $?",
            System.getProperty("java.home"));
        assertTrue(output.startsWith("rxe: building (once; " + System.getProperty("java.home") + ") ...\n"), output);
    }

    @Test
    void anInterruptedBuildSaysSo() throws Exception {
        // With job control the job has a process group, which gets SIGINT as from a terminal.
        String script = "set -m; " + checkout() + "/tools/rxe version & job=$!; while [ ! -e " + folder.resolve("started")
            + " ]; do kill -0 $job || exit; sleep 0.05; done; kill -INT -- -$job; wait $job; echo status $?";
        String output = bash(script, System.getProperty("java.home"));
        assertTrue(output.contains("rxe: interrupted; the next call builds again\n"), output);
        assertTrue(!output.contains("the build failed"), output);
        assertTrue(output.endsWith("status 130\n"), output);
    }

    @Test
    void tooFewFileDescriptorsAreAnErrorWithTheRemedy() throws Exception {
        String output = bash("ulimit -n 40; " + checkout() + "/tools/rxe version; echo status $?", System.getProperty("java.home"));
        assertEquals("rxe: the limit of 40 file descriptors is too low for Java and a NIC: raise it (ulimit -n 1024)\nstatus 1\n", output);
    }

    @Test
    void theRunThatWritesTheArchiveOfClassesIsUnderstood() throws IOException {
        Matcher words = Pattern.compile(StartRehearsal.class.getName() + " (.*) --port ").matcher(Files.readString(TOOLS.resolve("rxe")));
        assertTrue(words.find());
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said);
        assertEquals(0, Main.run(out, out, (words.group(1) + " --port 0 --help").split(" ")), said::toString);
    }

    /** A call by a user who has no home and may not write to the checkout; what it prints, and the mode of its folder in TMPDIR. */
    private String withoutHome(String before) throws Exception {
        String script = "cd " + folder + "; " + before + "; chmod 555 checkout/tools; [ $(id -u) != 0 ] || chown 65534 checkout; set -m;"
            + " HOME=/proc/none XDG_CACHE_HOME= TMPDIR=$PWD checkout/tools/rxe version & job=$!; while [ ! -e started ] && kill -0 $job; do"
            + " sleep 0.05; done 2>&-; kill -INT -- -$job 2>&-; wait $job; echo status $?; stat -c %a rxe-$(id -u)";
        return bash("(" + script.replace("checkout/tools/rxe", checkout() + "/tools/rxe") + ")", System.getProperty("java.home"));
    }

    @Test
    void aUserWithoutHomeBuildsWhereNobodyElseMayWrite() throws Exception {
        assertTrue(withoutHome("umask 022").endsWith("status 130\n700\n"));
    }

    @Test
    void aFolderThatMayBeOfAnotherUserIsNotRunFrom() throws Exception {
        String output = withoutHome("mkdir theirs && ln -s theirs rxe-$(id -u)");
        assertTrue(output.contains("is not a folder of this user alone: remove it, or set XDG_CACHE_HOME"), output);
        assertTrue(output.contains("status 1\n"), output);
    }
}
