package io.rxe.net.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.CmEvent;
import io.rxe.fault.ConnectionFault;
import io.rxe.fault.TimedFault;
import io.rxe.fault.Verb;
import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.fault.VerbFaults;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.QueuePairType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The words of faults at the verbs, and when they strike")
class VerbsFaultSpecTest {
    private static final String ALL = "poll_cq: status=RETRY_EXC_ERR every 1000 qp 0x17; post_send: EAGAIN 1%; create_cq: ENOMEM nth 3;"
        + " reg_mr: ENOMEM after 100MB; async: PORT_ERR after 2s, PORT_ACTIVE after 4s; qp: ERR after 100MB; device: FATAL after 5s;"
        + " rdma_resolve_route: event=ROUTE_ERROR 10%; cm: REJECT reason 28 nth 2";

    private final AtomicLong clock = new AtomicLong();

    private VerbsFaults faults(String spec, long seed) {
        return new VerbsFaults(VerbsFaultSpec.parse(spec).rules(), List.of(), seed, clock::get);
    }

    private static List<Integer> refused(VerbFaults faults, Verb verb, int calls, long bytes) {
        List<Integer> refused = new ArrayList<>();
        for (int call = 1; call <= calls; call++) {
            try {
                faults.onCall(verb, bytes);
            } catch (IllegalStateException e) {
                refused.add(call);
            }
        }
        return refused;
    }

    @Test
    void everyKindIsParsedAndWrittenBack() {
        VerbsFaultSpec spec = VerbsFaultSpec.parse(ALL);
        assertEquals(10, spec.rules().size());
        String written = spec.toString();
        assertEquals("poll_cq: status=RETRY_EXC_ERR every 1000 qp 0x17; post_send: EAGAIN 1%; create_cq: ENOMEM nth 3; reg_mr: ENOMEM after"
            + " 100000000B; async: PORT_ERR after 2000000000ns; async: PORT_ACTIVE after 4000000000ns; qp: ERR after 100000000B; async:"
            + " DEVICE_FATAL after 5000000000ns; rdma_resolve_route: event=ROUTE_ERROR status ETIMEDOUT 10%; cm: REJECT reason 28 nth 2",
            written.replace("device: FATAL", "async: DEVICE_FATAL"));
        assertEquals(spec.rules(), VerbsFaultSpec.parse(written).rules());
    }

    @ParameterizedTest
    @EnumSource(CompletionStatus.class)
    void everyStatusHasAWord(CompletionStatus status) {
        if (status == CompletionStatus.SUCCESS) {
            assertTrue(refusal("poll_cq: status=success").contains("status=SUCCESS is no fault"));
        } else {
            assertEquals(status, faults("poll_cq: status=" + status, 1).onRequest(7, QueuePairType.RC, 1).status());
        }
    }

    @ParameterizedTest
    @EnumSource(QueuePairType.class)
    void aTransportWithoutAcknowledgementsHasNoStatusOfAnswers(QueuePairType type) {
        List<CompletionStatus> missing = Arrays.stream(CompletionStatus.values()).filter(status -> status != CompletionStatus.SUCCESS
            && faults("poll_cq: status=" + status, 1).onRequest(7, type, 1) == null).toList();
        List<CompletionStatus> ofAnswers = List.of(CompletionStatus.BAD_RESP_ERR, CompletionStatus.REM_INV_REQ_ERR,
            CompletionStatus.REM_ACCESS_ERR, CompletionStatus.REM_OP_ERR, CompletionStatus.RETRY_EXC_ERR,
            CompletionStatus.RNR_RETRY_EXC_ERR, CompletionStatus.REM_INV_RD_REQ_ERR, CompletionStatus.REM_ABORT_ERR,
            CompletionStatus.RESP_TIMEOUT_ERR);
        assertEquals(type == QueuePairType.UC || type == QueuePairType.UD ? ofAnswers : List.of(), missing);
    }

    @ParameterizedTest
    @EnumSource(VerbError.class)
    void everyErrorHasAWord(VerbError error) {
        VerbFaults faults = faults("create_qp: " + error, 1);
        RuntimeException thrown = assertThrows(RuntimeException.class, () -> faults.onCall(Verb.CREATE_QP, 0));
        assertEquals(error, ((VerbFailure) thrown).error());
        assertEquals(error == VerbError.EINVAL, thrown instanceof IllegalArgumentException);
    }

    @ParameterizedTest
    @EnumSource(Verb.class)
    void everyVerbHasAWord(Verb verb) {
        VerbFaults faults = faults(verb.word() + ": EIO", 1);
        assertTrue(faults.concerns(verb));
        if (verb == Verb.POST_SEND) {
            assertThrows(VerbFailure.Failed.class, () -> faults.onRequest(7, QueuePairType.RC, 1));
        } else {
            assertThrows(VerbFailure.Failed.class, () -> faults.onCall(verb, 0));
        }
    }

    @ParameterizedTest
    @EnumSource(AsyncEvent.Type.class)
    void everyAsynchronousEventHasAWord(AsyncEvent.Type type) {
        TimedFault due = faults("async: " + type, 1).takeDue();
        assertEquals(TimedFault.Kind.EVENT, due.kind());
        assertEquals(type, due.event());
    }

    @ParameterizedTest
    @EnumSource(ConnectionFault.Event.class)
    void everyEventOfAFailedConnectionHasAWord(ConnectionFault.Event event) {
        ConnectionFault fault = faults(event.verb().word() + ": event=" + event, 1).onConnection(event.verb());
        assertEquals(event, fault.event());
        assertEquals(event.status() == null ? 28 : -event.status().number(), fault.status());
    }

    @Test
    void everyOtherEventOfConnectionsHasAWordOrFollowsWithoutAFault() {
        for (TimedFault.Kind kind : TimedFault.Kind.values()) {
            if (kind != TimedFault.Kind.EVENT && kind != TimedFault.Kind.QUEUE_PAIR_ERROR) {
                assertEquals(kind, faults("cm: " + kind, 1).takeDue().kind());
            }
        }
        assertEquals(Arrays.stream(CmEvent.Type.values()).filter(type -> type != CmEvent.Type.ALTERNATE_PATH).map(Enum::name).sorted()
            .toList(), VerbsScript.CONNECTION_EVENTS.stream().sorted().toList());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "create_cq: ENOMEM nth 3|3", "create_cq: ENOMEM every 4|4,8", "create_cq: ENOMEM|1,2,3,4,5,6,7,8,9,10", "create_qp: EINTR nth 1|",
        "create_cq: ENOMEM 100%|1,2,3,4,5,6,7,8,9,10"})
    void callsAreCounted(String spec, String expected) {
        assertEquals(expected == null ? "" : expected,
            refused(faults(spec, 1), Verb.CREATE_CQ, 10, 0).stream().map(String::valueOf).collect(Collectors.joining(",")));
    }

    @Test
    void bytesAndTimesAreThresholds() {
        assertEquals(List.of(4, 5), refused(faults("reg_mr: ENOMEM after 3MB", 1), Verb.REG_MR, 5, 1_000_000));
        VerbFaults later = faults("reg_mr: ENOMEM after 2s", 1);
        assertEquals(List.of(), refused(later, Verb.REG_MR, 3, 0));
        clock.set(2_000_000_000L);
        assertEquals(List.of(1, 2, 3), refused(later, Verb.REG_MR, 3, 0));
        VerbFaults ends = faults("qp: ERR after 2KB", 1);
        assertEquals(List.of(false, true, false), IntStream.range(0, 3)
            .mapToObj(i -> ends.onRequest(7, QueuePairType.RC, 1000) != null).toList());
    }

    @Test
    void anEventComesOnceAtItsTimeOrAfterItsBytes() {
        VerbsFaults timed = faults("async: PORT_ERR after 2s, PORT_ACTIVE after 4s; async: COMM_EST after 1KB", 1);
        AtomicLong woken = new AtomicLong();
        timed.open(woken::incrementAndGet);
        assertEquals(2_000_000_000L, timed.waitNs());
        timed.onRequest(7, QueuePairType.RC, 999);
        assertEquals(0, woken.get());
        timed.onRequest(7, QueuePairType.RC, 1);
        assertEquals(1, woken.get());
        assertEquals(AsyncEvent.Type.COMM_EST, timed.takeDue().event());
        assertEquals(null, timed.takeDue());
        clock.addAndGet(2_000_000_000L);
        assertTrue(timed.isPortUp());
        assertEquals(AsyncEvent.Type.PORT_ERR, timed.takeDue().event());
        assertEquals(false, timed.isPortUp());
        clock.addAndGet(2_000_000_000L);
        assertEquals(AsyncEvent.Type.PORT_ACTIVE, timed.takeDue().event());
        assertTrue(timed.isPortUp());
        assertEquals(Long.MAX_VALUE, timed.waitNs());
    }

    @Test
    void aSeedRepeatsAndEachRuleHasItsOwnStream() {
        List<Integer> one = refused(faults("create_cq: ENOMEM 20%", 42), Verb.CREATE_CQ, 1000, 0);
        assertEquals(one, refused(faults("create_cq: ENOMEM 20%; create_qp: ENOMEM 20%", 42), Verb.CREATE_CQ, 1000, 0));
        assertNotEquals(one, refused(faults("create_cq: ENOMEM 20%", 43), Verb.CREATE_CQ, 1000, 0));
        assertTrue(one.size() > 100 && one.size() < 300, one.size() + " of 1000");
    }

    @Test
    void strikesAreCounted() {
        VerbsFaults faults = faults("create_cq: ENOMEM every 2; cm: REJECT reason 3", 1);
        refused(faults, Verb.CREATE_CQ, 5, 0);
        assertEquals(3, faults.onConnectionRequest());
        assertEquals("{create_cq: ENOMEM every 2=2, cm: REJECT reason 3=1}", faults.counts().toString());
        assertEquals(3, faults.takeStrikes());
        assertEquals(0, faults.takeStrikes());
    }

    @ParameterizedTest
    @CsvSource({"ibv_reg_mr: ENOMEM, reg_mr: ENOMEM", "create_cq_ex: ENOTSUP, create_cq: ENOTSUP",
        "ibv_poll_cq: status=FATAL_ERR, poll_cq: status=FATAL_ERR", "rdma_join_multicast_ex: EINVAL, rdma_join_multicast: EINVAL"})
    @DisplayName("a verb may have its whole name of C")
    void namesOfC(String spec, String rule) {
        assertEquals(rule, VerbsFaultSpec.parse(spec).toString());
    }

    private static String refusal(String spec) {
        return assertThrows(IllegalArgumentException.class, () -> VerbsFaultSpec.parse(spec)).getMessage();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "\"\"|no fault is given", "reg_mr|names no place", "reg_nothing: EIO|'reg_nothing' is no place for a fault: use poll_cq",
        "reg_mr: EWRONG|'EWRONG' is no error: use EPERM", "poll_cq: status=BAD|'BAD' is no status of a completion: use SUCCESS",
        "reg_mr: status=FATAL_ERR|status= is for poll_cq",
        "post_recv: status=RETRY_EXC_ERR|'RETRY_EXC_ERR' is no status of a receive: use LOC_LEN_ERR",
        "post_recv: status=FATAL_ERR qp 1|qp '1'", "reg_mr: event=ADDR_ERROR|no event tells that reg_mr failed",
        "rdma_connect: event=ADDR_ERROR|'ADDR_ERROR' is no event of rdma_connect", "async: NOTHING|'NOTHING' is no asynchronous event",
        "reg_mr: EIO nth 0|nth '0' is not a whole number in 1..", "reg_mr: EIO nth 0x|nth '0x' is not a whole number",
        "reg_mr: EIO nth|nth is missing at the end",
        "reg_mr: EIO after 3|after '3' has no unit", "reg_mr: EIO after x|after 'x' is not a time or a size",
        "reg_mr: EIO 0%|the share '0%' is not in",
        "reg_mr: EIO 101%|the share '101%' is not a percentage in", "reg_mr: EIO nth 2 every 3|'every' is too much",
        "reg_mr: EIO qp 7|is about no queue pair", "create_cq: EIO after 3MB|is about no bytes",
        "async: PORT_ERR nth 3|is no call that could",
        "qp: DEAD|use ERR", "device: GONE|use FATAL", "cm: ESTABLISHED|cannot happen at cm: use REJECT", "reg_mr:|what happens at reg_mr",
        "cm: REJECT reason 34|the reason '34' is not a whole number in 1..33", "async: PORT_ERR after 90000s|is longer than 86400s"})
    void whatCannotBeReadSaysWhatCan(String spec, String sentence) {
        String refusal = refusal(spec);
        assertTrue(refusal.contains(sentence), refusal);
    }

    @Test
    void aScriptIsFaultsAndWhatMustFollow() {
        VerbsFaultSpec script = VerbsFaultSpec.script(List.of("# a comment", "at 2s async: PORT_ERR",
            "expect disconnected within 1s  # soon",
            "", "at 4s async: PORT_ACTIVE; reg_mr: EIO nth 1", "expect established within 2s"));
        assertEquals(List.of(new Expectation("DISCONNECTED", 2_000_000_000L, 1_000_000_000L, 3),
            new Expectation("ESTABLISHED", 4_000_000_000L, 2_000_000_000L, 6)), script.expectations());
        assertEquals(List.of(2_000_000_000L, 4_000_000_000L, 4_000_000_000L), script.rules().stream().map(VerbsRule::fromNs).toList());
        VerbsFaults faults = new VerbsFaults(script.rules(), script.expectations(), 1, clock::get);
        clock.set(1_000_000_000L);
        // Too early to count.
        faults.onEvent("DISCONNECTED");
        clock.set(2_000_000_000L);
        assertEquals(AsyncEvent.Type.PORT_ERR, faults.takeDue().event());
        faults.onEvent("DISCONNECTED");
        clock.set(5_999_999_999L);
        faults.takeDue();
        assertEquals(null, faults.takeDue());
        assertEquals(null, faults.failure(false));
        assertEquals(1, faults.waitNs());
        clock.set(6_000_000_000L);
        faults.takeDue();
        assertEquals("line 6 of the script: ESTABLISHED did not follow within 2000 ms, by 6000 ms after the start", faults.failure(false));
    }

    @Test
    @DisplayName("each event that may be expected meets its own expectation and no other, and misses it behind its time")
    void everyEventIsExpected() {
        for (String event : VerbsScript.EVENTS) {
            VerbsFaultSpec script = VerbsFaultSpec.script(List.of("at 1s create_cq: EIO", "expect " + event + " within 1s"));
            VerbsFaults met = new VerbsFaults(script.rules(), script.expectations(), 1, clock::get);
            VerbsFaults missed = new VerbsFaults(script.rules(), script.expectations(), 1, clock::get);
            clock.addAndGet(1_500_000_000L);
            met.onEvent(event);
            VerbsScript.EVENTS.stream().filter(other -> !other.equals(event)).forEach(missed::onEvent);
            clock.addAndGet(500_000_000L);
            missed.onEvent(event);
            met.takeDue();
            missed.takeDue();
            assertEquals(null, met.failure(true), event);
            assertTrue(missed.failure(false).startsWith("line 2 of the script: " + event + " did not follow within 1000 ms"), event);
            assertEquals(1, met.counts().get("expect " + event + " within 1000 ms, line 2"));
            assertEquals(0, missed.counts().get("expect " + event + " within 1000 ms, line 2"));
        }
    }

    @Test
    void aProgramThatEndsMeetsNothingAnyMore() {
        VerbsFaultSpec script = VerbsFaultSpec.script(List.of("expect established within 9s"));
        VerbsFaults faults = new VerbsFaults(script.rules(), script.expectations(), 1, clock::get);
        assertEquals(null, faults.failure(false));
        assertTrue(faults.failure(true).endsWith("the program ended before"));
    }

    @Test
    @DisplayName("threads that take events at the same time meet one expectation each")
    void expectationsAreMetByManyThreads() throws Exception {
        int events = 20_000;
        VerbsFaultSpec script = VerbsFaultSpec.script(Collections.nCopies(2 * events, "expect established within 9s"));
        VerbsFaults faults = new VerbsFaults(List.of(), script.expectations(), 1, clock::get);
        FutureTask<Void> half = new FutureTask<>(() -> IntStream.range(0, events).forEach(i -> faults.onEvent("ESTABLISHED")), null);
        new Thread(half).start();
        IntStream.range(0, events).forEach(i -> faults.onEvent("ESTABLISHED"));
        half.get();
        assertEquals(null, faults.failure(true));
    }

    @ParameterizedTest
    @ValueSource(strings = {"at 2s|at 2s: the fault is missing", "then async: PORT_ERR|'then' begins no line",
        "expect nothing within 2s|'NOTHING' is no event", "expect established|within is missing",
        "expect established within 3MB|is no time",
        "at 2s async: NO|'NO' is no asynchronous event"})
    void aWrongLineIsNamed(String both) {
        String[] parts = both.split("\\|");
        String refusal = assertThrows(IllegalArgumentException.class, () -> VerbsFaultSpec.script(List.of("", parts[0]))).getMessage();
        assertTrue(refusal.startsWith("line 2 '" + parts[0] + "'"), refusal);
        assertTrue(refusal.contains(parts[1].replaceFirst("^at 2s: ", "")), refusal);
    }

    @Test
    void linesOutOfOrderAreRefused() {
        assertTrue(assertThrows(IllegalArgumentException.class, () -> VerbsFaultSpec.script(List.of("at 2s async: PORT_ERR",
            "at 1s async: PORT_ACTIVE"))).getMessage().contains("into the order of their times"));
    }
}
