package io.rxe.testkit.neighbour;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rxe.net.JavaProcess;
import io.rxe.testkit.host.HostCommand;
import java.io.BufferedReader;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class BottleneckTest {
    @Test
    @DisplayName("namespaces of a run that has ended are taken away, those of one that lives and of other programs stay")
    void leftNamespaces() {
        // No process has a number beyond 4194304, the largest pid_max.
        String own = "rxe-run-" + ProcessHandle.current().pid() + "-router";
        assertEquals(List.of("rxe-run-4194305-router", "rxe-run-4194305-a"), Stream.of("rxe-run-4194305-router", "rxe-run-4194305-a", own,
            "rxe-peer-4194305", "rxe-run-x-a", "docker-4194305-a").filter(Bottleneck::isLeft).toList());
    }

    @Test
    @DisplayName("no namespace outlives a process that a signal ends")
    @Timeout(120)
    void aSignal() throws Exception {
        assumeTrue(Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid")), "needs root for network namespaces");
        assumeTrue(Stream.of("ip", "tc", "sysctl").allMatch(BottleneckTest::isInstalled), "needs ip, tc and sysctl");
        Process process = JavaProcess.start(BottleneckTest.class);
        try (BufferedReader printed = process.inputReader(StandardCharsets.UTF_8)) {
            assertEquals("made", printed.readLine());
            process.destroy();
            process.waitFor();
            assertFalse(HostCommand.run("ip", "netns", "list").contains("rxe-run-" + process.pid() + "-"));
        } finally {
            process.destroyForcibly();
        }
    }

    private static boolean isInstalled(String program) {
        return Stream.of("/sbin", "/usr/sbin", "/bin", "/usr/bin").anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    /** Makes namespaces, and does not end by itself. */
    public static void main(String[] none) throws Exception {
        Bottleneck made = new Bottleneck("10mbit", "40kb", 1500, 1);
        System.out.println("made");
        made.onReceiver(new File("/dev/null"), "", List.of("sleep", "600")).waitFor();
    }
}
