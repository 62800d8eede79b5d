package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.fault.VerbError;
import io.rxe.net.FreePorts;
import io.rxe.net.process.ProcessSettings;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A C program meets the faults of RXE_VERBS_FAULT: faulty.c")
class VerbsFaultProgramTest {
    private static final String ADDRESS = "127.0.0.74";

    @TempDir
    private static Path folder;

    private static Path library;

    @BeforeAll
    static void build() throws Exception {
        library = CProgram.library();
    }

    private static List<String> run(String spec, int writes, int events) throws Exception {
        return run(Map.of(ProcessSettings.VERBS_FAULT, spec), writes, events, 0, 0);
    }

    private static List<String> run(Map<String, String> faults, int writes, int events, int sends, int status) throws Exception {
        CProgram.requireCmHeader();
        Path program = CProgram.compile(folder, "faulty", "-lrdmacm", "-libverbs");
        Map<String, String> variables = new HashMap<>(new ProgramStart(library).address(ADDRESS).udpPort(FreePorts.udp(ADDRESS)).seed(1)
            .variables());
        variables.putAll(faults);
        Path output = folder.resolve("faulty.out");
        Process process = CProgram.start(new ProcessBuilder(program.toString(), ADDRESS, Integer.toString(writes),
            Integer.toString(events), Integer.toString(sends)), output, variables);
        try {
            assertTrue(process.waitFor(CProgram.TIMEOUT_SECONDS, TimeUnit.SECONDS), () -> "still running: " + CProgram.text(output));
            assertEquals(status, process.exitValue(), () -> CProgram.text(output));
        } finally {
            process.destroyForcibly();
        }
        // Netty's logging has no provider among the tests.
        return Files.readAllLines(output).stream().filter(line -> !line.startsWith("SLF4J")).toList();
    }

    @Test
    @DisplayName("calls fail with their errno, once, and the program goes on")
    void calls() throws Exception {
        assertEquals(List.of("reg_mr Cannot allocate memory", "create_cq No space left on device",
            "post_send Resource temporarily unavailable", "completion 0", "rdma_resolve_route Address already in use", "all right"),
            run("reg_mr: ENOMEM nth 1; create_cq: ENOSPC nth 1; post_send: EAGAIN nth 1; rdma_resolve_route: EADDRINUSE", 2, 0));
    }

    @Test
    @DisplayName("every errno arrives as itself")
    void errnos() throws Exception {
        List<VerbError> errors = List.of(VerbError.values());
        String spec = errors.stream().map(error -> "create_cq: " + error + " nth 1").collect(Collectors.joining("; "));
        List<String> expected = new ArrayList<>(errors.stream().map(error -> "create_cq " + error.text()).toList());
        expected.addAll(List.of("completion 0", "all right"));
        assertEquals(expected, run(spec, 1, 0));
    }

    @Test
    @DisplayName("a request fails with its status, what is behind it is flushed, and the NIC says so with a number of ibv_wc_status")
    void completions() throws Exception {
        for (CompletionStatus status : List.of(CompletionStatus.RETRY_EXC_ERR, CompletionStatus.TM_RNDV_INCOMPLETE)) {
            assertEquals(List.of("completion 0", "completion " + status.code(), "completion 5", "all right"),
                run("poll_cq: status=" + status + " nth 2", 3, 0));
        }
    }

    @Test
    @DisplayName("a receive fails with its status, and what is behind it is flushed")
    void receives() throws Exception {
        for (CompletionStatus status : List.of(CompletionStatus.LOC_PROT_ERR, CompletionStatus.TM_ERR)) {
            assertEquals(List.of("received 0", "received " + status.code(), "received 5", "all right"),
                run(Map.of(ProcessSettings.VERBS_FAULT, "post_recv: status=" + status + " nth 2"), 0, 0, 3, 0));
        }
    }

    @Test
    @DisplayName("what frees an object fails with its errno, once, and the object is freed the second time")
    void freeing() throws Exception {
        List<String> verbs = List.of("rdma_destroy_id", "destroy_ah", "destroy_comp_channel", "destroy_qp", "destroy_cq", "dereg_mr",
            "dealloc_pd", "close_device");
        List<String> expected = new ArrayList<>(verbs.stream().map(verb -> verb + " Device or resource busy").toList());
        expected.add("all right");
        assertEquals(expected, run(verbs.stream().map(verb -> verb + ": EBUSY nth 1").collect(Collectors.joining("; ")), 0, 0));
    }

    @Test
    @DisplayName("events arrive with their numbers, and the port is down between two of them")
    void events() throws Exception {
        List<AsyncEvent.Type> types = Arrays.stream(AsyncEvent.Type.values()).filter(type -> type.ordinal()
            > AsyncEvent.Type.PORT_ERR.ordinal() && type != AsyncEvent.Type.DEVICE_FATAL).toList();
        List<String> expected = new ArrayList<>(List.of("completion 0", "event 10, port down", "event 9, port active"));
        types.forEach(type -> expected.add("event " + AsyncEvents.number(type) + ", port active"));
        expected.add("all right");
        assertEquals(expected, run("async: PORT_ERR after 2s, PORT_ACTIVE after 2500ms; "
            + types.stream().map(type -> "async: " + type + " after 3s").collect(Collectors.joining("; ")), 1, types.size() + 2));
    }

    @Test
    @DisplayName("an address or a route is not found")
    void routes() throws Exception {
        assertEquals(List.of("RDMA_CM_EVENT_ADDR_ERROR -19", "all right"), run("rdma_resolve_addr: event=ADDR_ERROR", 0, 0));
        assertEquals(List.of("RDMA_CM_EVENT_ROUTE_ERROR -113", "all right"),
            run("rdma_resolve_route: event=ROUTE_ERROR status EHOSTUNREACH", 0, 0));
    }

    @Test
    @DisplayName("a script whose expectation is met changes nothing; one that is not ends the program with its own status and a sentence")
    void scripts() throws Exception {
        Path met = Files.writeString(folder.resolve("met"), "at 1s async: GID_CHANGE\nexpect gid_change within 60s\n");
        assertEquals(List.of("event 18, port active", "all right"),
            run(Map.of(ProcessSettings.VERBS_SCRIPT, met.toString()), 0, 1, 0, 0));
        Path late = Files.writeString(folder.resolve("late"), "at 1s async: GID_CHANGE\nexpect established within 500ms\n");
        List<String> printed = run(Map.of(ProcessSettings.VERBS_SCRIPT, late.toString()), 0, 2, 0, ProcessSettings.SCRIPT_FAILED);
        assertTrue(printed.contains("rxe: line 2 of the script: ESTABLISHED did not follow within 500 ms, by 1500 ms after the start"),
            printed::toString);
        Path never = Files.writeString(folder.resolve("never"), "expect established within 900s\n");
        List<String> early = run(Map.of(ProcessSettings.VERBS_SCRIPT, never.toString()), 0, 0, 0, ProcessSettings.SCRIPT_FAILED);
        assertTrue(early.stream().anyMatch(line -> line.endsWith("the program ended before")), early::toString);
    }
}
