package io.rxe.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs tools/netem with fake tc, ip and id commands, so that it needs neither root nor sch_netem. */
class NetemScriptTest {
    private static final Path SCRIPT = Path.of(System.getProperty("basedir", "."), "netem").toAbsolutePath().normalize();
    private static final String TC = """
        echo "tc $*" >>"$FAKE/log"
        case "$*" in
          *show*) cat "$FAKE/disciplines" 2>/dev/null ;;
          *replace*) [ ! -e "$FAKE/error" ] || { cat "$FAKE/error" >&2; exit 2; } ;;
        esac
        """;
    private static final String IP = """
        case "$*" in
          "netns list") echo "lab (id: 0)" ;;
          "netns exec lab "*) echo "in lab" >>"$FAKE/log"; shift 3; exec "$@" ;;
          "link show dev eth7") ;;
          "-o link show") echo "1: lo: <LOOPBACK>"; echo "2: eth7@if3: <UP>" ;;
          *) exit 1 ;;
        esac
        """;

    @TempDir
    private Path fake;

    /** Result of a run of the script. */
    private record Result(int status, String out, String err) {
    }

    @BeforeEach
    void installFakeCommands() throws IOException {
        command("tc", TC);
        command("ip", IP);
        command("id", "echo 0");
        Files.writeString(fake.resolve("disciplines"), "qdisc noqueue 0: root refcnt 2\n");
    }

    private void command(String name, String body) throws IOException {
        Path file = fake.resolve(name);
        Files.writeString(file, "#!/bin/sh\n" + body);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Result run(String... arguments) throws Exception {
        List<String> line = new ArrayList<>(List.of("bash", SCRIPT.toString()));
        line.addAll(List.of(arguments));
        Path out = fake.resolve("out");
        Path err = fake.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(line).redirectOutput(out.toFile()).redirectError(err.toFile());
        Map<String, String> environment = builder.environment();
        environment.put("PATH", fake + ":" + environment.get("PATH"));
        environment.put("FAKE", fake.toString());
        int status = builder.start().waitFor();
        return new Result(status, Files.readString(out), Files.readString(err));
    }

    private List<String> log() throws IOException {
        return Files.readAllLines(fake.resolve("log"));
    }

    private void refuses(int status, String sentence, String... arguments) throws Exception {
        Result result = run(arguments);
        assertEquals(status, result.status(), result.toString());
        assertTrue(result.err().contains(sentence), result.err());
        assertEquals("", result.out());
    }

    @Test
    void applyAcceptsTheSpecInOneArgumentOrSeveral() throws Exception {
        for (String[] arguments : new String[][] {{"apply", "eth7", "loss 3%  delay 1ms 200us"},
            {"apply", "eth7", "loss", "3%", "delay", "1ms", "200us"}}) {
            Files.deleteIfExists(fake.resolve("log"));
            Result result = run(arguments);
            assertEquals(0, result.status(), result.err());
            assertEquals("eth7: faults applied to what it sends: loss 3% delay 1ms 200us\n", result.out());
            assertEquals(List.of("tc qdisc show dev eth7", "tc qdisc replace dev eth7 root netem loss 3% delay 1ms 200us"), log());
        }
    }

    @Test
    void everyCommandRunsInTheNamedNamespace() throws Exception {
        assertEquals(0, run("apply", "-n", "lab", "eth7", "loss 3%").status());
        assertEquals(List.of("in lab", "in lab", "tc qdisc show dev eth7", "in lab", "tc qdisc replace dev eth7 root netem loss 3%"),
            log());
    }

    @Test
    void aKernelWithoutNetemIsExplained() throws Exception {
        Files.writeString(fake.resolve("error"), "Error: Specified qdisc kind is unknown.\n");
        Result result = run("apply", "eth7", "loss 3%");
        assertEquals(1, result.status());
        for (String remedy : List.of("has no sch_netem", "modprobe sch_netem", "--fault \"loss 3%\"", "tools/kernel-peer")) {
            assertTrue(result.err().contains(remedy), result.err());
        }
    }

    @Test
    void aRejectedSpecIsReportedWithTheMessageOfTc() throws Exception {
        Files.writeString(fake.resolve("error"), "What is \"lose\"?\nUsage: ...\n");
        refuses(1, "tc rejects 'lose 3%' (What is \"lose\"?): see 'tools/netem help'", "apply", "eth7", "lose 3%");
    }

    @Test
    void aForeignDisciplineIsNotReplaced() throws Exception {
        Files.writeString(fake.resolve("disciplines"), "qdisc htb 1: root refcnt 2 r2q 10\n");
        refuses(1, "eth7 has another queueing discipline (htb 1:)", "apply", "eth7", "loss 3%");
        assertEquals("eth7: no netem to remove\n", run("clear", "eth7").out());
    }

    @Test
    void clearRemovesNetem() throws Exception {
        Files.writeString(fake.resolve("disciplines"), "qdisc netem 8001: root refcnt 2 limit 1000 loss 3%\n");
        assertEquals("eth7: netem removed\n", run("clear", "eth7").out());
        assertEquals("tc qdisc del dev eth7 root", log().get(1));
    }

    @Test
    void showPrintsNetemAndNothingElse() throws Exception {
        assertEquals("no netem on eth7\n", run("show", "eth7").out());
        Files.writeString(fake.resolve("disciplines"), """
            qdisc noqueue 0: dev lo root refcnt 2
             Sent 0 bytes
            qdisc netem 8001: dev eth7 root refcnt 2 limit 1000 loss 3%
             Sent 9 bytes 1 pkt (dropped 4, overlimits 0 requeues 0)
            qdisc noqueue 0: dev eth8 root refcnt 2
             Sent 0 bytes
            """);
        assertEquals("""
            qdisc netem 8001: dev eth7 root refcnt 2 limit 1000 loss 3%
             Sent 9 bytes 1 pkt (dropped 4, overlimits 0 requeues 0)
            """, run("show").out());
    }

    @Test
    void wrongUsageEndsWithStatusTwo() throws Exception {
        refuses(2, "unknown command 'spoil'", "spoil");
        refuses(2, "apply needs an interface and a SPEC", "apply", "eth7");
        refuses(2, "the SPEC is empty", "apply", "eth7", " ");
        refuses(2, "-n needs the name of a namespace", "show", "-n");
        refuses(2, "clear needs one interface", "clear");
    }

    @Test
    void aMissingInterfaceIsReportedWithTheExistingOnes() throws Exception {
        refuses(1, "no interface 'eth9': choose one of lo eth7", "apply", "eth9", "loss 3%");
        refuses(1, "no network namespace 'attic': 'ip netns list' shows: lab", "show", "-n", "attic");
    }

    @Test
    void withoutRootItNamesTheOptionThatNeedsNone() throws Exception {
        command("id", "echo 1000");
        refuses(1, "use sudo, or the --fault option of tools/rxe", "apply", "eth7", "loss 3%");
    }
}
