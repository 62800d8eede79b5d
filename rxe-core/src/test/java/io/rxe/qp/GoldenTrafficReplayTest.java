package io.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.golden.GoldenCaptures;
import io.rxe.golden.GoldenFrame;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.wire.Aeth;
import io.rxe.wire.AtomicAckEth;
import io.rxe.wire.AtomicEth;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Reth;
import io.rxe.wire.Syndrome;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Replays one side of stock tools' traffic between two kernels into our side. Without faults we send the same frames as the kernel. Under
 * loss and reordering the frames differ, because we keep packets behind a gap: there we are never behind the kernel, agree with every value
 * it sent, and fail no request.
 */
class GoldenTrafficReplayTest {
    private static final Gid SERVER = Gid.parse("10.99.0.2");
    private static final Gid CLIENT = Gid.parse("10.99.0.3");
    private static final Gid SERVER_IPV6 = Gid.parse("fd99::2");
    private static final Gid CLIENT_IPV6 = Gid.parse("fd99::3");

    /** One direction of a capture: the requests of one end to a queue pair of the other, and the responses. */
    private static final class Direction {
        private final List<GoldenFrame> frames;
        private final Gid requester;
        private final Gid responder;

        Direction(String capture, String requesterName) {
            List<GoldenFrame> all = GoldenCaptures.open(capture).stream()
                .filter(frame -> frame.opcode() != null && frame.opcode().name().startsWith("RC_")).toList();
            boolean ipv4 = all.get(0).roce().isIpv4();
            Gid server = ipv4 ? SERVER : SERVER_IPV6;
            Gid client = ipv4 ? CLIENT : CLIENT_IPV6;
            requester = requesterName.equals("client") ? client : server;
            responder = requesterName.equals("client") ? server : client;
            frames = all.stream().filter(frame -> frame.opcode().isRequest() == frame.roce().source().equals(requester)).toList();
        }

        boolean isRequest(GoldenFrame frame) {
            return frame.opcode().isRequest();
        }

        List<GoldenFrame> requests() {
            return frames.stream().filter(this::isRequest).toList();
        }

        List<GoldenFrame> answers() {
            return frames.stream().filter(frame -> !isRequest(frame)).toList();
        }
    }

    @ParameterizedTest
    @CsvSource({"rdma_read, client", "rdma_write, client", "atomic_cas, client", "atomic_fetch_add, client", "rc_pingpong, client",
        "rc_pingpong, server", "rc_pingpong_v6, client", "rc_pingpong_v6, server", "rping_udaddy_cm, client", "rping_udaddy_cm, server"})
    @DisplayName("R1 to R15 our responder sends the same responses to clean traffic as the kernel")
    void ourResponderAnswersAsTheKernel(String capture, String requester) {
        Direction direction = new Direction(capture, requester);
        Responding responding = new Responding(direction);
        direction.frames.forEach(responding::see);
        assertSameUpToTheCut(direction.answers().stream().map(ReplayRig::text).toList(),
            responding.rig.sent.stream().map(ReplayRig::text).toList());
        responding.expectHealthy();
    }

    @ParameterizedTest
    @CsvSource({"rdma_read, client", "rdma_write, client", "atomic_cas, client", "atomic_fetch_add, client", "rc_pingpong, client",
        "rc_pingpong, server", "rc_pingpong_v6, client", "rc_pingpong_v6, server", "rping_udaddy_cm, client", "rping_udaddy_cm, server"})
    @DisplayName("P2, Q4 our requester sends the same clean traffic as the kernel, and everything completes")
    void ourRequesterSendsAsTheKernel(String capture, String requester) {
        Direction direction = new Direction(capture, requester);
        List<GoldenFrame> requests = direction.requests();
        int start = ReplayRig.lowest(requests);
        CapturedMessages messages = new CapturedMessages(requests, start);
        ReplayRig rig = requesting(direction, start);
        for (GoldenFrame frame : direction.frames) {
            if (direction.isRequest(frame)) {
                messages.postUpTo(frame, rig);
            } else {
                rig.deliver(frame);
            }
        }
        assertSameUpToTheCut(requests.stream().map(ReplayRig::text).distinct().toList(),
            rig.sent.stream().map(ReplayRig::text).distinct().toList());
        assertTrue(rig.takeCompletions().stream().allMatch(WorkCompletion::isSuccess));
        assertEquals(QueuePairState.RTS, rig.pair.state());
    }

    @ParameterizedTest
    @CsvSource({"write_loss5", "send_loss5", "read_loss5", "atomic_loss5", "atomic_reorder"})
    @DisplayName("R1 to R6 under loss and reordering our responder is never behind the kernel and agrees with all of its responses")
    void ourResponderKeepsUpUnderLoss(String capture) {
        Direction direction = new Direction(capture, "client");
        Responding responding = new Responding(direction);
        Map<Integer, String> values = new HashMap<>();
        int kernelEdge = responding.start;
        for (GoldenFrame frame : direction.frames) {
            responding.see(frame);
            if (direction.isRequest(frame)) {
                responding.rig.sent.forEach(sent -> value(sent.buffer(), 0, sent.opcode(), values));
                continue;
            }
            if (frame.opcode() == Opcode.RC_ACKNOWLEDGE) {
                int syndrome = Aeth.syndrome(frame.buffer(), frame.offset() + frame.opcode().aethOffset());
                int edge = Syndrome.isAck(syndrome) ? Psn.next(frame.psn()) : frame.psn();
                kernelEdge = Psn.subtract(edge, kernelEdge) > 0 ? edge : kernelEdge;
            } else {
                Map<Integer, String> kernel = new HashMap<>();
                value(frame.buffer(), frame.offset(), frame.opcode(), kernel);
                assertEquals(kernel.get(frame.psn()), values.get(frame.psn()), frame::toString);
            }
            int behind = kernelEdge;
            assertTrue(Psn.subtract(kernelEdge, responding.edge()) <= 0, () -> "kernel is at " + Psn.toString(behind) + ", we are at "
                + Psn.toString(responding.edge()) + " when " + frame);
        }
        responding.expectHealthy();
    }

    /** The data of READ responses and AtomicAcks, by PSN. */
    private static void value(DirectBuffer buffer, int offset, Opcode opcode, Map<Integer, String> values) {
        int psn = Bth.psn(buffer, offset);
        if (opcode.hasAtomicAckEth()) {
            values.put(psn, "=" + AtomicAckEth.originalValue(buffer, offset + opcode.atomicAckEthOffset()));
        } else if (opcode.isReadResponse()) {
            values.put(psn, "data");
        }
    }

    @ParameterizedTest
    @CsvSource({"write_loss5", "send_loss5", "read_loss5", "atomic_loss5"})
    @DisplayName("Q3 to Q7 under loss our requester processes the kernel's responses and fails no request")
    void ourRequesterSurvivesLoss(String capture) {
        Direction direction = new Direction(capture, "client");
        int start = ReplayRig.lowest(direction.requests());
        CapturedMessages messages = new CapturedMessages(direction.requests(), start);
        ReplayRig rig = requesting(direction, start);
        for (GoldenFrame frame : direction.frames) {
            if (direction.isRequest(frame)) {
                messages.postUpTo(frame, rig);
            } else {
                rig.deliver(frame);
            }
        }
        List<WorkCompletion> completions = rig.takeCompletions();
        assertTrue(completions.stream().allMatch(WorkCompletion::isSuccess), completions::toString);
        assertTrue(completions.size() >= 3, () -> completions.size() + " of " + messages.count());
        assertEquals(QueuePairState.RTS, rig.pair.state());
    }

    private static ReplayRig requesting(Direction direction, int start) {
        int own = direction.answers().get(0).destinationQpn();
        ReplayRig rig = new ReplayRig(direction.requester, direction.responder, own, 4096, 1024);
        rig.pair.modify(QueuePairAttributes.toInit(0));
        rig.pair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(direction.responder), PathMtu.MTU_1024,
            direction.requests().get(0).destinationQpn(), 0));
        rig.pair.modify(QueuePairAttributes.toReadyToSend(start));
        return rig;
    }

    /** The captures were cut: the last responses, or requests that depend on them, may be missing on one side. */
    private static void assertSameUpToTheCut(List<String> theirs, List<String> ours) {
        int common = Math.min(theirs.size(), ours.size());
        assertEquals(theirs.subList(0, common), ours.subList(0, common));
        assertTrue(4 * common >= Math.max(theirs.size(), ours.size()), () -> theirs.size() + " frames against " + ours.size());
    }

    /** Our responder in place of the kernel's. */
    private static final class Responding {
        private final Direction direction;
        private final ReplayRig rig;
        private final int start;
        private final Map<Integer, long[]> ranges = new HashMap<>();
        private final Set<Integer> served = new HashSet<>();
        private int edge;
        private int looked;

        Responding(Direction direction) {
            this.direction = direction;
            List<GoldenFrame> requests = direction.requests();
            start = ReplayRig.lowest(requests);
            edge = start;
            rig = new ReplayRig(direction.responder, direction.requester, requests.get(0).destinationQpn(), 4096, 1024);
            requests.forEach(this::grow);
            Map<Integer, ByteBuffer> memories = new HashMap<>();
            ranges.forEach((key, range) -> memories.put(key, rig.memory(key, range[0], (int) (range[1] - range[0]), AccessFlags.ALL)));
            preloadAtomics(requests, memories);
            rig.pair.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC));
            rig.pair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(direction.requester), PathMtu.MTU_1024,
                direction.answers().get(0).destinationQpn(), start).maxDestRdAtomic(128));
            rig.pair.modify(QueuePairAttributes.toReadyToSend(0));
        }

        private void grow(GoldenFrame frame) {
            Opcode opcode = frame.opcode();
            if (!opcode.hasReth() && !opcode.hasAtomicEth()) {
                return;
            }
            int at = frame.offset() + (opcode.hasReth() ? opcode.rethOffset() : opcode.atomicEthOffset());
            long address = opcode.hasReth() ? Reth.virtualAddress(frame.buffer(), at) : AtomicEth.virtualAddress(frame.buffer(), at);
            int key = opcode.hasReth() ? Reth.rKey(frame.buffer(), at) : AtomicEth.rKey(frame.buffer(), at);
            long length = opcode.hasReth() ? Reth.dmaLength(frame.buffer(), at) : 8;
            long[] range = ranges.computeIfAbsent(key, k -> new long[] {address & ~7, address});
            range[0] = Math.min(range[0], address & ~7);
            range[1] = Math.max(range[1], address + length);
        }

        /** Each address holds the value that the first atomic found there. */
        private void preloadAtomics(List<GoldenFrame> requests, Map<Integer, ByteBuffer> memories) {
            Map<Integer, Long> originals = new HashMap<>();
            direction.answers().stream().filter(frame -> frame.opcode().hasAtomicAckEth()).forEach(frame -> originals.put(frame.psn(),
                AtomicAckEth.originalValue(frame.buffer(), frame.offset() + frame.opcode().atomicAckEthOffset())));
            requests.stream().filter(frame -> frame.opcode().isAtomic() && originals.containsKey(frame.psn()))
                .sorted((a, b) -> Psn.subtract(b.psn(), a.psn())).forEach(frame -> {
                    int at = frame.offset() + frame.opcode().atomicEthOffset();
                    int key = AtomicEth.rKey(frame.buffer(), at);
                    memories.get(key).putLong((int) (AtomicEth.virtualAddress(frame.buffer(), at) - ranges.get(key)[0]),
                        originals.get(frame.psn()));
                });
        }

        void see(GoldenFrame frame) {
            rig.advanceTo(frame);
            if (!direction.isRequest(frame)) {
                return;
            }
            Opcode opcode = frame.opcode();
            if ((opcode.isSend() && opcode.isStart() || opcode.isWrite() && opcode.hasImmDt()) && served.add(frame.psn())) {
                rig.pair.postReceive(new ReceiveRequest().add(ReplayRig.LOCAL_BASE, 1 << 16, ReplayRig.LOCAL_KEY));
            }
            rig.deliver(frame);
        }

        /** What we have acknowledged so far: one past the last PSN. */
        int edge() {
            for (; looked < rig.sent.size(); looked++) {
                SentFrame frame = rig.sent.get(looked);
                boolean negative = frame.opcode() == Opcode.RC_ACKNOWLEDGE && !Syndrome.isAck(frame.syndrome());
                int to = negative ? frame.psn() : Psn.next(frame.psn());
                edge = Psn.subtract(to, edge) > 0 ? to : edge;
            }
            return edge;
        }

        void expectHealthy() {
            assertEquals(QueuePairState.RTS, rig.pair.state());
            assertNull(rig.nic.pollAsyncEvent());
            assertTrue(rig.takeCompletions().stream().allMatch(WorkCompletion::isSuccess));
        }
    }
}
