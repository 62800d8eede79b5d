package io.rxe.testkit.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.testkit.host.SignalledTestKit;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@DisplayName("The table of faults, with scripts in the place of the programs")
@Timeout(120)
class FaultTableTest {
    private static final int PROGRAMS = 2;
    private static final String ROW = "^alloc_pd: ENOMEM rping$";

    @TempDir
    private Path folder;

    /** A script in the place of {@code tools/rxe}, with what it does with the fault, as the next user, and as the other side. */
    private String script(String withFault, String next, String other) throws IOException {
        return script("case $* in\n  *--verbs-fault*) " + withFault.strip() + ";;\n  *ibv_rc_pingpong*) " + next + ";;\n  *) " + other
            + ";;\nesac\n");
    }

    /** @param body of a script that gets the arguments of {@code tools/rxe}. */
    private String script(String body) throws IOException {
        Path script = Files.writeString(folder.resolve("script"), "#!/usr/bin/env bash\n" + body);
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        return script.toString();
    }

    private static String table(int status, String script) {
        return table(status, ROW, script);
    }

    private static String table(int status, String row, String script) {
        StringWriter printed = new StringWriter();
        CommandLine table = new CommandLine(new FaultTableCommand()).setOut(new PrintWriter(printed));
        assertEquals(status, table.execute("--only", row, "--limit", "1", "--other", "20", "--rxe", script), printed::toString);
        return printed.toString();
    }

    @Test
    @DisplayName("of what a program prints without end the last 4 MiB are read")
    void endlessOutput() throws IOException {
        Path output = Files.write(folder.resolve("output"), new byte[5 << 20]);
        Files.writeString(output, "again", StandardOpenOption.APPEND);
        String text = FaultRun.text(output);
        assertEquals(4 << 20, text.length());
        assertTrue(text.endsWith("\0again"));
    }

    @Test
    @DisplayName("a row says what each side did, its own last line, and how the next user fared")
    void aRow() throws Exception {
        String printed = table(0, script("""
            echo 'no memory' >&2; echo 'rxe: at 127.88.0.2' >&2
            echo ' 1  rping(+0x51f1) [0x55c1]' >&2; exit 3
            """, "exit 0", "echo 'rxe: listener' >&2; echo 'no peer'; exit 4"));
        assertTrue(printed.contains("| alloc_pd: ENOMEM | rping | status 3, no memory | status 4, no peer | no | unharmed |"), printed);
        assertTrue(printed.contains("1 runs, 0 without the fault, 0 hung, 0 crashed, 0 harmed the next user"), printed);
    }

    @Test
    @DisplayName("a row says where a program ended before its fault was made")
    void notMade() throws Exception {
        String printed = table(0, script("echo 'rxe: made 0 times: alloc_pd: ENOMEM' >&2; exit 0", "exit 0",
            "echo 'rxe: listener' >&2; exit 0"));
        assertTrue(printed.contains("| rping | no fault, status 0,  | status 0,  | no | unharmed |"), printed);
        assertTrue(printed.contains("1 runs, 1 without the fault, 0 hung, 0 crashed, 0 harmed the next user"), printed);
    }

    @Test
    @DisplayName("a side with a fault that does not end, one that crashes and a next user that fails are counted")
    void aBadRow() throws Exception {
        String printed = table(1, script("exec sleep 60", "echo 'no NIC' >&2; exit 1",
            "echo 'rxe: listener' >&2; echo 'free(): corrupted unsorted chunks' >&2; kill -ABRT $$"));
        assertTrue(printed.contains("| no fault, killed,  | CRASH, status 134, free(): corrupted unsorted chunks | YES: 0 faults, "),
            printed);
        assertTrue(printed.contains(" | HARMED: [status 1, no NIC, status 1, no NIC] |"), printed);
        assertTrue(printed.contains("1 runs, 1 without the fault, 1 hung, 1 crashed, 1 harmed the next user"), printed);
    }

    @Test
    @DisplayName("a crash in whose backtrace are only others' libraries is the program's own, and not counted")
    void itsOwnCrash() throws Exception {
        String printed = table(0, script("""
            echo 'double free or corruption (!prev)' >&2
            echo '[vm:00895] [ 0] /lib/x86_64-linux-gnu/libc.so.6(+0x3c050)[0x7f020d106050]' >&2
            echo '[vm:00895] [ 1] /lib/x86_64-linux-gnu/ucx/libuct_ib.so.0(+0x6a634)[0x7f01ec07d634]' >&2; kill -ABRT $$
            """, "exit 0", "echo 'rxe: listener' >&2; exit 4"));
        assertTrue(printed.contains("| its own crash in libuct_ib.so.0, status 134, double free or corruption (!prev) | status 4,  |"),
            printed);
        assertTrue(printed.contains("1 runs, 0 without the fault, 0 hung, 0 crashed, 0 harmed the next user"), printed);
    }

    @Test
    @DisplayName("a program that hangs after a known message, as it does on any device, is not counted as a hang of ours")
    void itsOwnHang() throws Exception {
        String printed = table(0, "^create_ah: ENOMEM nth 1 fi_pingpong$", script("""
            echo 'rxe: create_ah fails because a fault is made on purpose: create_ah: ENOMEM nth 1' >&2
            echo 'rxd_handle_error():1<warn> error from core provider' >&2; exec sleep 60
            """, "exit 0", "exit 4"));
        assertTrue(printed.contains("core provider | status 4,  | its own: rxd_handle_error of libfabric only warns"), printed);
        assertTrue(printed.contains("1 runs, 1 without the fault, 0 hung, 0 crashed, 0 harmed the next user"), printed);
    }

    @Test
    @DisplayName("a silent hang behind a dead port that waits in something else than the known one counts as ours")
    void aSilentHang() throws Exception {
        String printed = table(1, "^async: PORT_ERR after 500ms rping$", script(
            "echo 'rxe: PORT_ERR: a fault made on purpose: async: PORT_ERR after 500000000ns' >&2; exec sleep 60", "exit 0",
            "echo 'rxe: listener' >&2; exit 4"));
        assertTrue(printed.contains("| no fault, killed,  | status 4,  | YES: "), printed);
        assertTrue(printed.contains("1 runs, 1 without the fault, 1 hung, 0 crashed, 0 harmed the next user"), printed);
    }

    @Test
    @DisplayName("a hang is the program's own only where the fault was made, no request waits, and its thread is in the known place")
    void onlyTheKnownHang() {
        String stack = "__futex_abstimed_wait_common < do_futex_wait < __new_sem_wait_slow64 < ";
        assertEquals("its main thread waits for a message, with no request of its own that would tell it of a dead port",
            ownHang("1 faults, RTS 0, " + stack + "?? < __libc_start_call_main < ??"));
        assertNull(ownHang("0 faults, RTS 0, " + stack + "?? < __libc_start_call_main < ??"));
        assertNull(ownHang("1 faults, RTS 1, " + stack + "?? < __libc_start_call_main < ??"));
        assertNull(ownHang("1 faults, INIT 0, " + stack + "?? < __libc_start_call_main < ??"));
        assertNull(ownHang("1 faults, RTS 0, " + stack + "?? < ?? < __libc_start_call_main < ??"));
        assertNull(ownHang("1 faults, RTS 0, "));
    }

    @Test
    @DisplayName("a server that waits behind a rejected client hangs of its own, but not where the client was never rejected or got in")
    void waitsForTheNextClient() {
        String stack = "__new_sem_wait_slow64 < ?? < __libc_start_call_main < ??";
        assertEquals("the server waits for the next client, and nothing tells it of one that was rejected in its name",
            ownHang("rping", "cm: REJECT reason 28", "", "1 faults, " + stack));
        assertNull(ownHang("rping", "cm: REJECT reason 28", "", "0 faults, " + stack));
        assertNull(ownHang("rping", "cm: REJECT reason 28", "", "1 faults, RTS 0, " + stack));
    }

    @Test
    @DisplayName("rping that joins its thread is not excused behind a queue pair in ERROR, whose flushed receive would end that thread")
    void joinsBehindAFlush() {
        String joins = " 0, __pthread_clockjoin_ex < ?? < __libc_start_call_main < ??";
        assertEquals("rping_run_client joins cq_thread, which waits in ibv_get_cq_event and is not cancelled",
            ownHang("rdma_connect: ECONNREFUSED", "connect error -1", "1 faults, INIT" + joins));
        assertNull(ownHang("rdma_connect: ECONNREFUSED", "connect error -1", "1 faults, ERROR" + joins));
    }

    @Test
    @DisplayName("fi_pingpong that waits behind a queue pair in ERROR hangs of its own once all of its requests are flushed")
    void waitsBehindAFlush() {
        String warning = "ofi_rxd:cq:rxd_handle_error():1205<warn> Received rx error from core provider: Operation canceled";
        String stack = "__GI_sched_yield < ?? < __libc_start_call_main";
        assertTrue(ownHang("fi_pingpong", "qp: ERR after 1s", warning, "1 faults, ERROR 0, " + stack).startsWith("rxd_handle_error"));
        assertNull(ownHang("fi_pingpong", "qp: ERR after 1s", warning, "1 faults, ERROR 3, " + stack));
        String tries = "ofi_rxd:ep_ctrl:rxd_ep_send_pkt():424<warn> error sending packet: -11 (Resource temporarily unavailable)";
        String ofJvm = "ObjArrayKlass::allocate(int, < BacktraceBuilder::expand(JavaThread*) < ??";
        assertEquals("vrb_post_send makes all FI_EAGAIN",
            ownHang("fi_pingpong", "device: FATAL after 1s", tries, "1 faults, ERROR 0, " + ofJvm));
        assertNull(ownHang("fi_pingpong", "device: FATAL after 1s", tries, "1 faults, ERROR 0, RTS 1, " + ofJvm));
        assertNull(ownHang("fi_pingpong", "device: FATAL after 1s", tries, "0 faults, ERROR 0, " + ofJvm));
        assertEquals("rxd_get_timeout overflows: nothing is sent or given up",
            ownHang("fi_pingpong", "async: PORT_ERR after 500ms", "rdma_bind_addr: Cannot assign", "1 faults, RTS 0, " + stack));
        assertNull(ownHang("fi_pingpong", "async: PORT_ERR after 500ms", "rdma_bind_addr: Cannot assign", "1 faults, RTS 1, " + stack));
        assertEquals("rxd_ep_progress of libfabric takes an error of fi_cq_read for the completion before it", ownHang("fi_pingpong",
            "poll_cq: EIO nth 1000", "rdma_bind_addr: Cannot assign", "1 faults, RTS 0, __GI_sched_yield < rxe_take_completions < ??"));
        assertNull(ownHang("fi_pingpong", "poll_cq: EIO nth 1000", "rdma_bind_addr: Cannot assign", "1 faults, RTS 1, " + stack));
        assertEquals("rxd_ep_enable of libfabric succeeds without a receive", ownHang("fi_pingpong", "post_recv: ENOMEM nth 1",
            "ofi_rxd:ep_ctrl:rxd_ep_post_buf():241<warn> failed to repost", "1 faults, RTS 0, " + stack));
    }

    private static String ownHang(String waiting) {
        return ownHang("async: PORT_ERR after 500ms", "", waiting);
    }

    private static String ownHang(String fault, String lastLine, String waiting) {
        return ownHang("rping", fault, lastLine, waiting);
    }

    private static String ownHang(String name, String fault, String lastLine, String waiting) {
        FaultedProgram program = FaultedProgram.ALL.stream().filter(one -> name.equals(one.name())).findFirst().orElseThrow();
        return program.ownHang(fault, new FaultRun.End(-1, lastLine, null, true, waiting));
    }

    @Test
    @DisplayName("no program outlives a table that a signal ends")
    void aSignal() throws Exception {
        SignalledTestKit.endsAll(PROGRAMS, connect -> new String[] {"faults", "--only", ROW, "--rxe",
            script("echo 'rxe: listener' >&2\n" + connect)});
    }
}
