package io.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.rxe.golden.GoldenCaptures;
import io.rxe.golden.GoldenFrame;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.wire.Aeth;
import io.rxe.wire.AtomicAckEth;
import io.rxe.wire.AtomicEth;
import io.rxe.wire.Gid;
import io.rxe.wire.Opcode;
import io.rxe.wire.Reth;
import io.rxe.wire.Syndrome;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Replays the requests of the golden cases, frame by frame, into our responder. Its responses equal those of kernel 6.1, or
 * {@link #DIFFERENCES} lists ours, and why. The queue pair and its memory are set up as the case's row in the measurements says; the
 * contents of memory are taken from the kernel's responses.
 */
class GoldenResponderReplayTest {
    private static final Gid REQUESTER = Gid.parse("10.99.0.2");
    private static final Gid RESPONDER = Gid.parse("10.99.0.3");
    private static final int ALL_REMOTE = AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;

    /** How our responses differ from the kernel's, and why. */
    private record Difference(UnaryOperator<String> ours, String reason) {
    }

    private static final Map<String, Difference> DIFFERENCES = new LinkedHashMap<>();

    static {
        String tooLong = "R9, R12: a SEND longer than its receive request is an invalid request; rxe answers remote operational error";
        replace(".63.", ".61.", tooLong, "01a_send_too_long_single", "01b_send_too_long_multi", "01c_send_too_long_multi_first",
            "01d_send_too_long_then_more");
        String held = "R8, K10: no sequence NAK behind an RNR NAK, which would charge a kernel's retry_cnt";
        replace("ACK \\d+\\.60\\.m\\d ?", "", held, "04m_rnr_multi", "04u_pipelined_rnr7_retry0", "04v_pipelined_rnr7_retry1",
            "11c_sqd_outstanding_notify", "11d_sqd_outstanding_nomask");
        put("14u_dup_send_rq_empty", "ACK 100.1f.m1 ACK 100.1f.m1 ACK 101.2c.m1 ACK 100.1f.m1 ACK 100.1f.m1", held + "; R19: the receive"
            + " posted for the retransmission is granted");
        String invalidate = "R10: a key that cannot be invalidated is an access error; rxe acknowledges the SEND and then goes silent";
        replace(".1f.", ".62.", invalidate, "08a_sinv_badrkey", "08b_sinv_userMR_rkey", "08c_sinv_badrkey_multi",
            "08d_sinv_badkeybyte");
        String copy = "R5: an identical READ within 1 ms is taken for a network copy";
        put("14e_dup_read", "RR_ONLY 100.1f.m1.64", copy);
        put("14f_dup_read_multi", "RR_FIRST 100.1f.m1.1024 RR_MIDDLE 101.1024 RR_LAST 102.1f.m1.952", copy);
        replace("ACK 106.1f.m5", "ACK 101.1f.m5", "K1: an acknowledgement never carries the PSN of an atomic",
            "14k_late_dup_write_send");
        String first = "R5: the response to a duplicate READ begins with FIRST or ONLY; rxe continues with MIDDLE or LAST";
        replace("RR_MIDDLE 104.1024 RR_LAST 105.1f.m5", "RR_FIRST 104.1f.m5.1024 RR_LAST 105.1f.m5", first,
            "14m_late_dup_read_partial_tail");
        replace("RR_LAST 103.1f.m5.1024 RR_MIDDLE 103.1024", "RR_ONLY 103.1f.m5.1024 RR_FIRST 103.1f.m5.1024", first,
            "14n_late_dup_read_partial_mid");
        replace("64 RR_MIDDLE 103.1024", "64 RR_FIRST 103.1f.m5.1024", first, "14o_late_dup_read_bad");
        replace(" ATOMIC_ACK 105\\.[^ ]+", "", "R6: an atomic at the PSN of a READ is unknown; rxe responds with the READ's address",
            "14p_late_dup_fadd");
        replace("ATOMIC_ACK 102.1f.m6.=2 ", "", "R7: the ring holds max_dest_rd_atomic entries; rxe rounds 3 up to 4",
            "14r_dup_ring_maxdest3");
        String kept = "R1: requests behind the gap were kept and are executed with it; a NAK acknowledges too (R2)";
        replace("ACK 100.1f.m1 ", "", kept, "21a_psn_ahead_twice");
        replace("ACK 100.1f.m1", "ACK 101.1f.m2", kept, "50_unknown_op_15", "50_unknown_op_1f",
            "50_unknown_op_81", "50_unknown_op_ff");
        String placement = "R20, R21: kernel 6.1 does not know ATOMIC_WRITE and FLUSH; these are malformed";
        put("50_unknown_op_1c", "ACK 100.61.m0", placement);
        put("50_unknown_op_1d", "ACK 100.61.m0", placement);
        String length = "R9: first and middle packets are one MTU, last ones 1 to MTU, only ones up to MTU; rxe does not check";
        put("21f_first_short", "ACK 100.61.m0", length);
        put("21g_only_over_mtu", "ACK 100.61.m0", length);
        put("21h2_last_over_mtu", "ACK 100.1f.m0 ACK 101.61.m0", length);
        put("21h_last_zero", "ACK 100.1f.m0 ACK 101.61.m0", length);
        put("21q_write_first_len_le_mtu", "ACK 100.61.m0", length);
        put("21t_write_zero_last", "ACK 100.61.m0", length);
        put("34b_path_mtu_mismatch_1024_256", "ACK 100.61.m0", length);
        replace(".62.", ".61.", "R9: DMALen beyond 2^31 is an invalid request whatever the key; rxe checks the range first",
            "21k_write_reth_0x80000001", "21l_read_reth_0x80000001");
        put("21x_read_with_payload", "ACK 100.61.m0", "R9: a READ request carries no payload; rxe ignores it");
        put("21s_nak_dup_ahead", "ACK 100.1f.m1 ACK 101.60.m1 ACK 100.1f.m1 ACK 100.1f.m1", "R19: a receive posted while the peer has no"
            + " credit is granted; a kernel drops that ACK as a duplicate");
        put("22h_udpcsum_bad", "ACK 100.1f.m1", "the socket below checks the UDP checksum, which the ICRC does not cover");
    }

    private static void replace(String regex, String replacement, String reason, String... names) {
        for (String name : names) {
            DIFFERENCES.put(name, new Difference(kernel -> kernel.replaceAll(regex, replacement).trim(), reason));
        }
    }

    private static void put(String name, String ours, String reason) {
        DIFFERENCES.put(name, new Difference(kernel -> ours, reason));
    }

    /**
     * UC and UD, captures without a frame, captures cut before the response, responders that did not exist or whose responses were forged:
     * an RC responder cannot respond alike.
     */
    private static final Predicate<String> NOT_RC =
        name -> name.matches("cases/(13|40|41|05|34_|06d|07[acdh]_|11g|11h|30|31|32[bcd]).*");

    static List<String> replayed() {
        return GoldenCaptures.caseNames().stream().filter(NOT_RC.negate()).toList();
    }

    @TestFactory
    @DisplayName("R1 to R15 as a kernel responds: golden cases replayed into our responder")
    Stream<DynamicTest> everyCaseIsAnsweredAsTheKernelDid() {
        return replayed().stream().map(name -> dynamicTest(name.substring("cases/".length()), () -> replay(name)));
    }

    @Test
    void everyListedDifferenceIsOfAReplayedCase() {
        Set<String> names = replayed().stream().map(name -> name.substring("cases/".length())).collect(Collectors.toSet());
        assertEquals(Set.of(), DIFFERENCES.keySet().stream().filter(name -> !names.contains(name)).collect(Collectors.toSet()));
        assertTrue(DIFFERENCES.values().stream().allMatch(difference -> difference.reason().length() > 10));
        assertTrue(names.size() > 130, () -> "only " + names.size() + " cases are replayed");
    }

    private static void replay(String capture) {
        String name = capture.substring("cases/".length());
        List<GoldenFrame> frames = GoldenCaptures.open(capture);
        String kernel = frames.stream().filter(frame -> !isRequest(frame)).map(ReplayRig::text).collect(Collectors.joining(" "));
        String ours = new Replay(name, frames).run();
        Difference difference = DIFFERENCES.get(name);
        if (difference == null) {
            assertEquals(kernel, ours, name + ": differs from the kernel's responses, and no difference is listed");
        } else {
            assertNotEquals(kernel, ours, "the difference is listed but does not exist");
            assertEquals(difference.ours().apply(kernel), ours, difference.reason());
        }
    }

    private static boolean isRequest(GoldenFrame frame) {
        return !frame.roce().source().equals(RESPONDER);
    }

    /** One case. */
    private static final class Replay {
        private final String name;
        private final List<GoldenFrame> frames;
        private final ReplayRig rig;
        private final Map<Integer, long[]> ranges = new TreeMap<>();
        private final Map<Integer, ByteBuffer> memories = new HashMap<>();
        private final Set<Integer> served = new HashSet<>();
        private long nextReceive = 100;

        Replay(String name, List<GoldenFrame> frames) {
            this.name = name;
            this.frames = frames;
            int qpn = frames.stream().filter(GoldenResponderReplayTest::isRequest).findFirst().orElseThrow().destinationQpn();
            rig = new ReplayRig(RESPONDER, REQUESTER, qpn, is("10b") ? 1 : 1024,
                is("14o", "14p") ? 0 : is("34") ? 256 : 1024);
        }

        private boolean is(String... prefixes) {
            for (String prefix : prefixes) {
                if (name.startsWith(prefix)) {
                    return true;
                }
            }
            return false;
        }

        String run() {
            register();
            preload();
            int peerQpn = frames.stream().filter(frame -> !isRequest(frame)).findFirst().map(GoldenFrame::destinationQpn).orElse(1);
            int access = is("02k", "02p", "09c") ? ALL_REMOTE & ~AccessFlags.REMOTE_WRITE
                : is("02l", "09d") ? ALL_REMOTE & ~AccessFlags.REMOTE_READ
                : is("02m") ? ALL_REMOTE & ~AccessFlags.REMOTE_ATOMIC : ALL_REMOTE;
            int places = is("06b", "06e") ? 0 : is("06a", "06c", "14v") ? 1 : is("14q") ? 2 : is("14r") ? 3 : 8;
            rig.pair.modify(QueuePairAttributes.toInit(access));
            rig.pair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(REQUESTER), PathMtu.ofBytes(is("34b", "34c")
                ? 256 : 1024), peerQpn, 0x100).maxDestRdAtomic(places).minRnrTimer(rnrTimer()));
            if (!is("21r")) {
                rig.pair.modify(QueuePairAttributes.toReadyToSend(0x100));
            }
            for (GoldenFrame frame : frames) {
                if (isRequest(frame)) {
                    rig.advanceTo(frame);
                    postReceiveFor(frame);
                    rig.deliver(frame);
                }
            }
            return rig.sent.stream().map(ReplayRig::text).collect(Collectors.joining(" "));
        }

        private int rnrTimer() {
            for (GoldenFrame frame : frames) {
                if (!isRequest(frame) && frame.opcode() == Opcode.RC_ACKNOWLEDGE && Syndrome.isRnr(syndrome(frame))) {
                    return Syndrome.rnrTimerCode(syndrome(frame));
                }
            }
            return 12;
        }

        private static int syndrome(GoldenFrame frame) {
            return Aeth.syndrome(frame.buffer(), frame.offset() + frame.opcode().aethOffset());
        }

        /** Every key in the requests names memory that covers their ranges, unless the case is about the opposite. */
        private void register() {
            for (GoldenFrame frame : frames) {
                Opcode opcode = frame.opcode();
                if (!isRequest(frame) || opcode == null || !opcode.hasReth() && !opcode.hasAtomicEth()) {
                    continue;
                }
                long address = address(frame);
                long length = opcode.hasReth() ? Reth.dmaLength(frame.buffer(), frame.offset() + opcode.rethOffset()) : 8;
                int key = opcode.hasReth() ? Reth.rKey(frame.buffer(), frame.offset() + opcode.rethOffset())
                    : AtomicEth.rKey(frame.buffer(), frame.offset() + opcode.atomicEthOffset());
                grow(key, address, length);
            }
            if (is("02a", "02b", "02c", "02d", "02e", "02n", "02o", "03d", "03f", "09a", "09b", "09e", "21w")) {
                return;
            }
            int access = is("02i") ? AccessFlags.ALL & ~AccessFlags.REMOTE_WRITE : is("02j") ? AccessFlags.ALL & ~AccessFlags.REMOTE_READ
                : is("03c", "03i") ? AccessFlags.ALL & ~AccessFlags.REMOTE_ATOMIC : AccessFlags.ALL;
            ranges.forEach((key, range) -> {
                int shorter = is("02f", "02g", "02h", "02q", "03e") ? 1 : 0;
                int length = (int) Math.min(range[1] - range[0], 1 << 20) - shorter;
                memories.put(key, rig.memory(key, range[0], Math.max(1, length), access));
            });
        }

        private void grow(int key, long address, long length) {
            if (is("14o") && ranges.size() == 1 && !ranges.containsKey(key)) {
                return;
            }
            long[] range = ranges.computeIfAbsent(key, k -> new long[] {address & ~7, address});
            if (is("21y") && range[1] > (range[0] | 7)) {
                return;
            }
            range[0] = Math.min(range[0], address & ~7);
            if (length <= 1 << 20) {
                range[1] = Math.max(range[1], address + length);
            }
        }

        private static long address(GoldenFrame frame) {
            Opcode opcode = frame.opcode();
            return opcode.hasReth() ? Reth.virtualAddress(frame.buffer(), frame.offset() + opcode.rethOffset())
                : AtomicEth.virtualAddress(frame.buffer(), frame.offset() + opcode.atomicEthOffset());
        }

        /** Fills memory with what the kernel's memory held, as far as its responses show: each place as it was first read. */
        private void preload() {
            for (int i = frames.size() - 1; i >= 0; i--) {
                GoldenFrame request = frames.get(i);
                if (!isRequest(request) || request.opcode() == null || memories.isEmpty()) {
                    continue;
                }
                if (request.opcode().isReadRequest()) {
                    preloadRead(request);
                } else if (request.opcode().isAtomic()) {
                    frames.stream().filter(f -> f.opcode() == Opcode.RC_ATOMIC_ACKNOWLEDGE && f.psn() == request.psn()).findFirst()
                        .ifPresent(ack -> put(address(request), longBytes(AtomicAckEth.originalValue(ack.buffer(),
                            ack.offset() + Opcode.RC_ATOMIC_ACKNOWLEDGE.atomicAckEthOffset()))));
                }
            }
        }

        private static byte[] longBytes(long value) {
            return ByteBuffer.allocate(8).order(ByteOrder.nativeOrder()).putLong(value).array();
        }

        private void preloadRead(GoldenFrame request) {
            long length = Reth.dmaLength(request.buffer(), request.offset() + Opcode.RC_RDMA_READ_REQUEST.rethOffset());
            Set<Integer> seen = new HashSet<>();
            for (GoldenFrame response : frames) {
                int index = response.psn() - request.psn();
                boolean answers = !isRequest(response) && response.opcode().isReadResponse() && index >= 0 && index * 1024L < length;
                if (answers && seen.add(index)) {
                    byte[] bytes = new byte[response.payloadLength()];
                    response.buffer().getBytes(response.offset() + response.opcode().headerLength(), bytes);
                    put(address(request) + index * 1024L, bytes);
                }
            }
        }

        private void put(long address, byte[] bytes) {
            ranges.forEach((key, range) -> {
                ByteBuffer memory = memories.get(key);
                if (memory != null && address >= range[0] && address + bytes.length <= range[0] + memory.capacity()) {
                    memory.put((int) (address - range[0]), bytes);
                }
            });
        }

        /** The responder has a receive request whenever the kernel had one, that is, when it sent no RNR NAK. */
        private void postReceiveFor(GoldenFrame frame) {
            Opcode opcode = frame.opcode();
            boolean needed = opcode != null && opcode.isRequest()
                && (opcode.isSend() && opcode.isStart() || opcode.isWrite() && opcode.hasImmDt());
            if (!needed || rig.pair.state() == QueuePairState.ERROR || isAnsweredByRnr(frame) || !served.add(frame.psn())) {
                return;
            }
            ReceiveRequest receive = new ReceiveRequest().id(nextReceive++);
            int bytes = is("01a", "01d") ? 8 : is("01b") ? 2048 : is("01c") ? 100 : 1 << 16;
            rig.pair.postReceive(receive.add(ReplayRig.LOCAL_BASE, bytes, is("07i", "07j", "07k", "07l", "07o")
                ? 0xBAD : ReplayRig.LOCAL_KEY));
        }

        private boolean isAnsweredByRnr(GoldenFrame request) {
            for (int i = frames.indexOf(request) + 1; i < frames.size(); i++) {
                GoldenFrame answer = frames.get(i);
                if (!isRequest(answer) && answer.psn() == request.psn() && answer.opcode() == Opcode.RC_ACKNOWLEDGE
                    && syndrome(answer) != Syndrome.PSN_SEQUENCE_ERROR) {
                    return Syndrome.isRnr(syndrome(answer));
                }
            }
            return is("04", "11c", "11d", "12");
        }
    }
}
