package io.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.rxe.counters.NicCounter;
import io.rxe.golden.GoldenCaptures;
import io.rxe.golden.GoldenFrame;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.WorkCompletion;
import io.rxe.wire.Gid;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Replays the responses of the golden cases into our requester, which got the same requests as the kernel. It sends and completes what
 * kernel 6.1 sent and completed, or {@link #DIFFERENCES} lists what it does instead, and why.
 */
class GoldenRequesterReplayTest {
    private static final Gid REQUESTER = Gid.parse("10.99.0.2");
    private static final Gid RESPONDER = Gid.parse("10.99.0.3");

    /** How the kernel's requests completed, as measured, as far as they reached the wire. */
    private static final String KERNEL = """
        01a_send_too_long_single: operation
        01b_send_too_long_multi: operation
        01c_send_too_long_multi_first: operation
        01d_send_too_long_then_more: operation flush flush
        02a_write_badrkey: access
        02b_write_badrkey_multi: access flush
        02c_write_badkeybyte: access
        02d_read_badrkey: access
        02e_read_badrkey_multi: access
        02f_write_range: access
        02g_write_range_multi: access
        02h_read_range: access
        02i_write_mrflags: access
        02j_read_mrflags: access
        02k_write_qpflags: invalid
        02l_read_qpflags: invalid
        02m_fadd_qpflags: invalid
        02n_wimm_badrkey: access
        02o_wimm_badrkey_multi: access
        02p_wimm_qpflags: invalid
        02q_write_range_multi_tail_send: access flush
        03c_fadd_mrflags: access
        03d_fadd_badrkey: access
        03e_fadd_range: access
        03h_fadd_sge16: ok
        04_rnr_t0_r0: rnr
        04_rnr_t0_r1: rnr
        04_rnr_t0_r7: ok
        04_rnr_t12_r0: rnr
        04_rnr_t12_r1: rnr
        04_rnr_t12_r7: ok
        04_rnr_t1_r0: rnr
        04_rnr_t1_r1: rnr
        04_rnr_t1_r7: ok
        04q_rnr0_timeout14_retry3: retries
        04r_rnr31_timeout10_retry1: retries
        04s_rnr12_timeout8_retry1: retries
        04t_rnr12_retry0: retries
        04u_pipelined_rnr7_retry0: retries flush flush
        04w_rnr_t12_r3: rnr
        04x_rnr_t31_r1: rnr
        05_dead_t10_r0: retries
        05_dead_t10_r1: retries
        05_dead_t10_r3: retries
        05_dead_t14_r0: retries
        05_dead_t14_r1: retries
        05_dead_t14_r3: retries
        05m_dead_multi_t10_r3: retries
        05r_dead_read_t10_r3: retries
        06a_reads8_maxdest1: ok ok ok ok ok ok ok ok
        06b_reads8_maxdest0: invalid flush flush flush flush flush flush flush
        06c_reads16_maxrd16_maxdest1_4k: ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok
        06e_fadd_maxdest0: invalid
        06f_maxrd3_6reads: ok ok ok ok ok ok
        08a_sinv_badrkey: ok retries
        08b_sinv_userMR_rkey: ok retries
        08c_sinv_badrkey_multi: ok retries
        08d_sinv_badkeybyte: ok retries
        09a_write0_badrkey: ok
        09b_read0_badrkey: ok
        09c_write0_qpflags: invalid
        09d_read0_qpflags: invalid
        09e_wimm0_badrkey: ok
        12a_wimm_norecv_single: rnr
        12c_wimm_norecv_len0: rnr
        30a_readmiddle_no_first: ok
        30b_readlast_no_first: ok
        30c_readonly_for_multi: retries
        30d_readfirst_for_single: protection
        30e_readonly_short: -
        30f_readonly_long: protection
        30g_read_gap: retries
        30h_ack_for_read: ok
        30i_implied_nak_read: retries flush
        30j_ack_beyond_sent: ok ok ok
        30k_ack_cumulative: ok ok ok
        30l_ack_partial: ok ok retries
        30m_nak_inv_mid: ok invalid flush
        30n2_nak_64_rdreq: operation flush flush
        30n_nak_unknown_65: operation flush flush
        30o_syndrome_reserved_40: ok flush flush
        30p_ack_credit0: ok ok ok
        30q_rnr_mid: ok retries flush
        30r_nak_seq_mid: ok retries flush
        30s_ack_old_psn: retries flush flush
        30t_aack_for_send: ok flush flush
        30u_nak_inv_while_read: ok
        30v_nak_seq_twice: retries flush flush
        30w_send_multi_partial_ack: retries
        30x_write_multi_partial_ack: retries
        30y_read_partial_then_timeout: retries
        31a_ack_for_fadd: ok
        31b_ack_mid_read: ok
        31c_nakseq_mid_read: ok
        31d_rnr_mid_read: ok
        31e_nak62_read_start: access
        31f_ack_read_multi_firstpsn: retries
        31g_ack_read_multi_lastpsn: retries
        31j_read_resp_nak_in_last: ok
        31k_read_then_send_ack_only: retries flush
        31l_nak62_beyond_read: retries flush
        """;

    private static final Map<String, CompletionStatus> WORDS = Map.of("ok", CompletionStatus.SUCCESS,
        "flush", CompletionStatus.WR_FLUSH_ERR, "access", CompletionStatus.REM_ACCESS_ERR,
        "invalid", CompletionStatus.REM_INV_REQ_ERR, "operation", CompletionStatus.REM_OP_ERR,
        "retries", CompletionStatus.RETRY_EXC_ERR, "rnr", CompletionStatus.RNR_RETRY_EXC_ERR,
        "protection", CompletionStatus.LOC_PROT_ERR, "bad", CompletionStatus.BAD_RESP_ERR);

    /** What we do instead of what the kernel did, and why. After a tilde each frame is listed once. */
    private record Difference(String frames, String completions, String reason) {
    }

    private static final Map<String, Difference> DIFFERENCES = new LinkedHashMap<>();

    static {
        String postedLater = "Q9: the queue pair went to ERROR before the next request was posted; the kernel had sent "
            + "it already";
        put("01d_send_too_long_then_more", "SEND_ONLY 100.512", "operation flush", postedLater);
        String rnr = "T6, T8: an RNR NAK charges no retry_cnt, and the ACK timer rests meanwhile; what "
            + "follows here is not answered any more";
        put("04q_rnr0_timeout14_retry3", "~SEND_ONLY 100.64", "retries", rnr);
        put("04r_rnr31_timeout10_retry1", "~SEND_ONLY 100.64", "retries", rnr);
        put("04s_rnr12_timeout8_retry1", "~SEND_ONLY 100.64", "retries", rnr);
        put("04t_rnr12_retry0", "~SEND_ONLY 100.64", "retries", rnr);
        put("04u_pipelined_rnr7_retry0", "~SEND_ONLY 100.64 SEND_ONLY 101.64 SEND_ONLY 102.64", "retries flush flush", rnr);
        String probed = "T3: a peer that has answered before is probed beside the 1 + retry_cnt transmissions";
        put("08a_sinv_badrkey", "~SEND_ONLY_WITH_INVALIDATE 100.64 SEND_ONLY 101.64", "ok retries", probed);
        put("08b_sinv_userMR_rkey", "~SEND_ONLY_WITH_INVALIDATE 100.64 SEND_ONLY 101.64", "ok retries", probed);
        put("08c_sinv_badrkey_multi", "~SEND_FIRST 100.1024 SEND_MIDDLE 101.1024 SEND_LAST_WITH_INVALIDATE 102.952 SEND_ONLY 103.64",
            "ok retries", probed);
        put("08d_sinv_badkeybyte", "~SEND_ONLY_WITH_INVALIDATE 100.64 SEND_ONLY 101.64", "ok retries", probed);
        String bad = "Q10: a response that does not fit its request is a bad response; rxe reports success, or hangs";
        put("30a_readmiddle_no_first", "READ 100.len3000", "bad", bad);
        put("30b_readlast_no_first", "READ 100.len3000", "bad", bad);
        put("30c_readonly_for_multi", "READ 100.len3000", "bad", bad);
        put("30d_readfirst_for_single", "READ 100.len64", "bad", bad);
        put("30e_readonly_short", "READ 100.len64", "bad", bad);
        put("30f_readonly_long", "READ 100.len64", "bad", bad);
        String missing = "Q5: only missing responses are requested again";
        put("30g_read_gap", "~READ 100.len3000 READ 101.len1024", "retries", missing);
        String plain = "K1: a plain ACK does not complete a READ or an atomic; rxe reports success with data missing";
        put("30h_ack_for_read", "READ 100.len64 READ 100.len64", "retries", plain);
        String executed = "Q4: executed requests are not retransmitted; the READ is, and then probed";
        put("30i_implied_nak_read", "~READ 100.len64 SEND_ONLY 101.64", "retries flush", executed);
        String ghost = "P5: an ACK for a PSN that was never sent is a ghost";
        put("30j_ack_beyond_sent", "SEND_ONLY 100.64 SEND_ONLY 101.64 SEND_ONLY 102.64 SEND_ONLY 100.64 SEND_ONLY 101.64 SEND_ONLY 102.64",
            "retries flush flush", ghost);
        put("30l_ack_partial", "~SEND_ONLY 100.64 SEND_ONLY 101.64 SEND_ONLY 102.64", "ok ok retries", probed);
        String reserved = "a reserved syndrome is ignored; rxe takes it for success";
        put("30o_syndrome_reserved_40",
            "SEND_ONLY 100.64 SEND_ONLY 101.64 SEND_ONLY 102.64 SEND_ONLY 100.64 SEND_ONLY 101.64 SEND_ONLY 102.64",
            "retries flush flush", reserved);
        put("30q_rnr_mid", "~SEND_ONLY 100.64 SEND_ONLY 101.64 SEND_ONLY 102.64", "ok retries flush", probed);
        String probe = "Q7: the missing packet alone is retransmitted first";
        put("30r_nak_seq_mid", "~SEND_ONLY 100.64 SEND_ONLY 101.64 SEND_ONLY 102.64", "ok retries flush", probe);
        put("30v_nak_seq_twice", "~SEND_ONLY 100.64 SEND_ONLY 101.64 SEND_ONLY 102.64", "retries flush flush", probe);
        put("30t_aack_for_send", "SEND_ONLY 100.64 SEND_ONLY 101.64 SEND_ONLY 102.64", "bad flush flush", bad);
        String inRead = "Q9: a NAK inside a READ fails it; rxe reports success with data missing";
        put("30u_nak_inv_while_read", "READ 100.len3000", "access", inRead);
        put("31a_ack_for_fadd", "FETCH_ADD 100 FETCH_ADD 100", "retries", plain);
        put("31b_ack_mid_read", "~READ 100.len3000 READ 101.len1976", "retries", plain);
        String nakInRead = "Q7: after a sequence NAK inside a READ the rest is requested; rxe reports success with data missing";
        put("31c_nakseq_mid_read", "~READ 100.len3000 READ 101.len1976", "retries", nakInRead);
        String rnrInRead = "Q8: an RNR NAK inside a READ delays it; rxe reports success with data missing";
        put("31d_rnr_mid_read", "~READ 100.len3000 READ 101.len1976", "retries", rnrInRead);
        String noProgress = "Q5: an ACK inside a READ brings no data; rxe requests the wrong part";
        put("31f_ack_read_multi_firstpsn", "READ 100.len3000 READ 100.len3000", "retries", noProgress);
        put("31j_read_resp_nak_in_last", "READ 100.len3000", "bad", bad);
        put("31k_read_then_send_ack_only", "~READ 100.len3000 SEND_ONLY 103.64 READ 101.len1976", "retries flush", executed);
        put("31l_nak62_beyond_read", "~READ 100.len64 SEND_ONLY 101.64", "retries flush", executed);
    }

    private static void put(String name, String frames, String completions, String reason) {
        DIFFERENCES.put(name, new Difference(frames, completions, reason));
    }

    private static Map<String, String> kernel() {
        return KERNEL.lines().map(String::trim).collect(Collectors.toMap(line -> line.substring(0, line.indexOf(':')),
            line -> line.substring(line.indexOf(':') + 1).trim(), (a, b) -> a, LinkedHashMap::new));
    }

    @TestFactory
    @DisplayName("Q3 to Q10, T3 as a kernel requester, or better: golden responses replayed into our requester")
    Stream<DynamicTest> everyAnswerIsTakenAsTheKernelTookIt() {
        return kernel().entrySet().stream().map(row -> dynamicTest(row.getKey(), () -> replay(row.getKey(), row.getValue())));
    }

    @Test
    void everyListedDifferenceIsOfAReplayedCase() {
        Set<String> unknown = DIFFERENCES.keySet().stream().filter(name -> !kernel().containsKey(name)).collect(Collectors.toSet());
        assertEquals(Set.of(), unknown);
        assertTrue(DIFFERENCES.values().stream().allMatch(difference -> difference.reason().length() > 10));
        assertTrue(kernel().size() > 80);
    }

    private static boolean isRequest(GoldenFrame frame) {
        return frame.roce().source().equals(REQUESTER);
    }

    private static void replay(String name, String kernelWords) {
        List<GoldenFrame> frames = GoldenCaptures.open("cases/" + name);
        List<GoldenFrame> requests = frames.stream().filter(GoldenRequesterReplayTest::isRequest).toList();
        CapturedMessages messages = new CapturedMessages(requests, 0x100);
        int own = frames.stream().filter(frame -> !isRequest(frame)).findFirst().map(GoldenFrame::destinationQpn).orElse(0x99);
        ReplayRig rig = new ReplayRig(REQUESTER, RESPONDER, own, 64, 1024);
        rig.pair.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_READ));
        rig.pair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(RESPONDER), PathMtu.MTU_1024,
            requests.get(0).destinationQpn(), 0));
        rig.pair.modify(attributes(name));
        for (GoldenFrame frame : frames) {
            rig.advanceTo(frame);
            if (isRequest(frame)) {
                messages.postUpTo(frame, rig);
            } else {
                rig.deliver(frame);
            }
        }
        rig.advanceToNs(rig.nowNs() + 3_000_000_000L);
        String completions = rig.takeCompletions().stream().map(GoldenRequesterReplayTest::word).collect(Collectors.joining(" "));
        String expected = Stream.of(kernelWords.replace("-", "").split(" ")).limit(messages.count()).collect(Collectors.joining(" "));
        List<String> ours = rig.sent.stream().map(ReplayRig::text).toList();
        List<String> theirs = requests.stream().map(ReplayRig::text).toList();
        boolean once = rig.nic.counter(NicCounter.LOSS_PROBE) > 0;
        Difference difference = DIFFERENCES.get(name);
        if (difference == null) {
            assertEquals(line(theirs, once, expected), line(ours, once, completions), name + ": not equal, and no difference is listed");
            return;
        }
        assertNotEquals(line(theirs, false, expected), line(ours, false, completions), "the difference is listed but does not exist");
        boolean anyOften = once || difference.frames().startsWith("~");
        List<String> listed = List.of(difference.frames().replace("~", "").split(" (?=[A-Z])"));
        assertEquals(line(listed, anyOften, difference.completions()), line(ours, anyOften, completions), difference.reason());
    }

    /** Frames and completions. A peer that has answered before is probed, so the number of retransmissions of a frame may differ. */
    private static String line(List<String> frames, boolean once, String completions) {
        return String.join(" ", once ? frames.stream().distinct().toList() : frames) + " | " + completions;
    }

    private static String word(WorkCompletion completion) {
        return WORDS.entrySet().stream().filter(word -> word.getValue() == completion.status()).findFirst().orElseThrow().getKey();
    }

    /** Timeout 14, 3 retries, infinite RNR retries, unless the case's name says otherwise; 30 and 31: timeout 16, one retry. */
    private static QueuePairAttributes attributes(String name) {
        QueuePairAttributes rts = QueuePairAttributes.toReadyToSend(0x100).timeout(14).retryCount(3).rnrRetry(7).maxRdAtomic(16);
        if (name.startsWith("3")) {
            rts.timeout(16).retryCount(1);
        } else if (name.startsWith("04_rnr")) {
            rts.rnrRetry(name.charAt(name.length() - 1) - '0');
        } else if (name.startsWith("05_dead")) {
            rts.timeout(Integer.parseInt(name.substring(9, 11))).retryCount(name.charAt(13) - '0');
        } else if (name.startsWith("05m") || name.startsWith("05r")) {
            rts.timeout(10);
        } else if (name.startsWith("04w") || name.startsWith("04x")) {
            rts.rnrRetry(name.charAt(name.length() - 1) - '0');
        } else if (name.startsWith("12")) {
            rts.rnrRetry(1);
        }
        return rts;
    }
}
