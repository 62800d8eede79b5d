package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.process.ProcessSettings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("the environment for Open MPI's daemon on another host")
class ProgramStartTest {
    private static final String AGENT = "OMPI_MCA_orte_launch_agent";
    private static final Path LIBRARY = Path.of("/folder", NativeLibrary.NAME);

    @TempDir
    private Path folder;

    /** What a daemon gets that a shell with an empty environment starts, as ssh does. */
    private Map<String, String> overSsh(String agent) throws Exception {
        Path daemon = Files.writeString(folder.resolve("orted"),
            "#!/bin/sh\n[ \"$*\" = '-mca ess env' ] && unset LD_PRELOAD && exec env -0\n");
        assertTrue(daemon.toFile().setExecutable(true));
        Process process = new ProcessBuilder("env", "-i", "PATH=" + folder + ":/usr/bin:/bin", "sh", "-c", agent + " -mca ess \"env\"")
            .redirectError(ProcessBuilder.Redirect.DISCARD).redirectOutput(folder.resolve("output").toFile()).start();
        assertTrue(process.waitFor(CProgram.TIMEOUT_SECONDS, TimeUnit.SECONDS));
        String output = Files.readString(folder.resolve("output"), StandardCharsets.UTF_8);
        assertEquals(0, process.exitValue(), output);
        Map<String, String> variables = new TreeMap<>(Arrays.stream(output.split("\0")).map(line -> line.split("=", 2))
            .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1])));
        variables.keySet().removeAll(List.of("PATH", "PWD", "LD_PRELOAD"));
        return variables;
    }

    @Test
    @DisplayName("has what the NIC is made with, of rxe run and of the user, whatever a shell makes of it")
    void travels() throws Exception {
        Map<String, String> made = new HashMap<>(new ProgramStart(LIBRARY).fault("loss 1%")
            .verbsFault("reg_mr: ENOMEM nth 3; qp: ERR").variables());
        Map<String, String> users = Map.of("RXE_CAPTURE", "it's $HOME.pcapng", "UCX_TLS", "rc_verbs,ud_verbs", "RXE_FAULT", "",
            "HOME", "/root", "RXE_LINES", "one\ntwo");
        made.remove("UCX_TLS");
        String agent = ProgramStart.launchAgent(made, users).orElseThrow();
        assertTrue(agent.startsWith("env FI_MR_CACHE_MONITOR=disabled LD_PRELOAD=" + made.get("LD_PRELOAD")
            + " MPIR_CVAR_NOLOCAL=1 RXE_CAPTURE='it'"), agent);
        Map<String, String> expected = new TreeMap<>(Map.of("_JAVA_SR_SIGNUM", "63", "MPIR_CVAR_NOLOCAL", "1", "UCX_NET_DEVICES", "rxe0:1",
            "UCX_TLS", "rc_verbs,ud_verbs", "RXE_FAULT", "loss 1%", "RXE_VERBS_FAULT", "reg_mr: ENOMEM nth 3; qp: ERR",
            "RXE_CAPTURE", "it's $HOME.pcapng", "FI_MR_CACHE_MONITOR", "disabled"));
        assertEquals(expected, overSsh(agent));
    }

    @Test
    @DisplayName("is that of the last option, and none over the user's own, for Slurm, which carries it, or for DiSNI")
    void isMadeLast() {
        ProgramStart start = new ProgramStart(LIBRARY);
        start.variables();
        String agent = start.fault("none").variables().get(AGENT);
        assertTrue(agent.contains(" " + ProcessSettings.FAULT + "=none ") && agent.indexOf("env ") == agent.lastIndexOf("env "), agent);
        assertEquals(Optional.of(agent), ProgramStart.launchAgent(start.variables(), Map.of(AGENT, agent.replace("none", "other"))));
        assertEquals(Optional.empty(), ProgramStart.launchAgent(start.variables(), Map.of(AGENT, "valgrind orted")));
        assertEquals(Optional.empty(), ProgramStart.launchAgent(start.variables(), Map.of("SLURM_JOB_ID", "7")));
        assertEquals(Map.of(), new ProgramStart().variables());
    }
}
