package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.fault.Verb;
import io.rxe.fault.VerbError;
import io.rxe.net.FreePorts;
import io.rxe.net.fault.VerbsFaultSpec;
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

@DisplayName("C programs meet the faults of RXE_VERBS_FAULT: faulty.c, and words.c, which meets every word")
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
        return run("faulty", faults, status, Integer.toString(writes), Integer.toString(events), Integer.toString(sends));
    }

    private static List<String> words(String spec, Object... arguments) throws Exception {
        return run("words", Map.of(ProcessSettings.VERBS_FAULT, spec), 0, Arrays.stream(arguments).map(Object::toString)
            .toArray(String[]::new));
    }

    private static List<String> run(String name, Map<String, String> faults, int status, String... arguments) throws Exception {
        CProgram.requireCmHeader();
        Path program = CProgram.compile(folder, name, "-lrdmacm", "-libverbs");
        List<String> command = new ArrayList<>(List.of(program.toString(), ADDRESS));
        command.addAll(List.of(arguments));
        Map<String, String> variables = new HashMap<>(new ProgramStart(library).address(ADDRESS).udpPort(FreePorts.udp(ADDRESS)).seed(1)
            .variables());
        variables.putAll(faults);
        Path output = folder.resolve(name + ".out");
        Process process = CProgram.start(new ProcessBuilder(command), output, variables);
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
    @DisplayName("every verb of a word fails once, with the errno of the rule, and succeeds the next time: of a parent domain, too")
    void verbs() throws Exception {
        for (VerbError error : List.of(VerbError.EBUSY, VerbError.EINVAL)) {
            String spec = Arrays.stream(Verb.values()).map(verb -> verb.word() + ": " + error + " nth 1").collect(Collectors.joining("; "));
            List<String> expected = new ArrayList<>(Arrays.stream(Verb.values()).map(verb -> verb.word() + " " + error.text()).toList());
            expected.add("all right");
            assertEquals(expected.stream().sorted().toList(), words(spec, "verbs").stream().sorted().toList());
        }
    }

    @Test
    @DisplayName("every status of a request and of a receive arrives as its number of ibv_wc_status")
    void statuses() throws Exception {
        List<CompletionStatus> sends = Arrays.stream(CompletionStatus.values()).filter(one -> one != CompletionStatus.SUCCESS).toList();
        List<CompletionStatus> receives = sends.stream().filter(VerbsFaultSpec::isOfReceive).toList();
        List<String> rules = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        sends.forEach(status -> rules.add("poll_cq: status=" + status + " nth 1"));
        sends.forEach(status -> expected.add("W " + status.code()));
        for (String verb : List.of("post_recv", "post_srq_recv")) {
            receives.forEach(status -> rules.add(verb + ": status=" + status + " nth 1"));
            receives.forEach(status -> expected.add((verb.equals("post_recv") ? "R " : "S ") + status.code()));
        }
        expected.add("all right");
        assertEquals(expected, words(String.join("; ", rules), "statuses", sends.size(), receives.size(), receives.size()));
    }

    @Test
    @DisplayName("every event of a failed connection, and of a device that connections are on, arrives with its status")
    void connections() throws Exception {
        List<String> printed = words("rdma_resolve_addr: event=ADDR_ERROR nth 1; rdma_resolve_route: event=ROUTE_ERROR nth 1;"
            + " rdma_connect: event=UNREACHABLE nth 1; rdma_connect: event=REJECTED reason 10 nth 1; cm: REJECT reason 3 nth 1;"
            + " rdma_connect: event=CONNECT_ERROR nth 2; rdma_join_multicast: event=MULTICAST_ERROR;"
            + " cm: DISCONNECTED after 1B, DEVICE_REMOVAL after 1B, ADDR_CHANGE after 1B", "connections", 7);
        List<String> tries = List.of("RDMA_CM_EVENT_ADDR_ERROR -19", "RDMA_CM_EVENT_ROUTE_ERROR -110", "RDMA_CM_EVENT_UNREACHABLE -110",
            "RDMA_CM_EVENT_REJECTED 10", "RDMA_CM_EVENT_REJECTED 3", "RDMA_CM_EVENT_CONNECT_ERROR -22", "connected",
            "RDMA_CM_EVENT_MULTICAST_ERROR -12");
        assertEquals(tries, printed.subList(0, tries.size()));
        assertEquals(List.of("RDMA_CM_EVENT_ADDR_CHANGE", "RDMA_CM_EVENT_DEVICE_REMOVAL", "RDMA_CM_EVENT_DISCONNECTED", "all right"),
            printed.subList(tries.size(), printed.size()).stream().sorted().toList());
    }

    @Test
    @DisplayName("a poll that is to fail behind a completion returns the completion, and the next poll fails")
    void polls() throws Exception {
        assertEquals(List.of("poll 1", "poll -5", "all right"), words("poll_cq: EIO nth 2", "poll"));
    }

    @Test
    @DisplayName("a device that fails says so, and its verbs fail")
    void device() throws Exception {
        assertEquals(List.of("event 8", "all right"), words("device: FATAL after 1B", "device"));
    }

    @Test
    @DisplayName("an id of a device that fails gets DEVICE_REMOVAL, so that no program waits for an event that cannot come")
    void deviceOfAnId() throws Exception {
        assertEquals(List.of("removed", "all right"), words("device: FATAL after 1B", "removal"));
    }

    @Test
    @DisplayName("a request fails with its status, and what is behind it is flushed")
    void completions() throws Exception {
        assertEquals(List.of("completion 0", "completion 12", "completion 5", "all right"),
            run("poll_cq: status=RETRY_EXC_ERR nth 2", 3, 0));
    }

    @Test
    @DisplayName("a receive fails with its status, and what is behind it is flushed")
    void receives() throws Exception {
        assertEquals(List.of("received 0", "received 4", "received 5", "all right"),
            run(Map.of(ProcessSettings.VERBS_FAULT, "post_recv: status=LOC_PROT_ERR nth 2"), 0, 0, 3, 0));
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
        assertEquals(expected, run("async: PORT_ERR after 2s, PORT_ACTIVE after 5s; "
            + types.stream().map(type -> "async: " + type + " after 6s").collect(Collectors.joining("; ")), 1, types.size() + 2));
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
        Path connected = Files.writeString(folder.resolve("connected"), """
            expect connect_request within 600s
            expect established within 600s
            expect disconnected within 600s
            """);
        run("words", Map.of(ProcessSettings.VERBS_SCRIPT, connected.toString(), ProcessSettings.VERBS_FAULT,
            "rdma_join_multicast: event=MULTICAST_ERROR; cm: DISCONNECTED after 1B, DEVICE_REMOVAL after 1B, ADDR_CHANGE after 1B"), 0,
            "connections", "1");
        Path unseen = Files.writeString(folder.resolve("unseen"), "at 1s async: GID_CHANGE\nexpect path_mig within 500ms\n");
        List<String> said = run(Map.of(ProcessSettings.VERBS_SCRIPT, unseen.toString()), 0, 2, 0, ProcessSettings.SCRIPT_FAILED);
        assertTrue(said.contains("rxe: line 2 of the script: PATH_MIG did not follow within 500 ms, by 1500 ms after the start"),
            said::toString);
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
