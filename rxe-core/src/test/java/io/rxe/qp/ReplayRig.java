package io.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.device.Engine;
import io.rxe.device.Nic;
import io.rxe.device.TestConfig;
import io.rxe.golden.GoldenFrame;
import io.rxe.guard.KernelSafety;
import io.rxe.port.Flow;
import io.rxe.port.MulticastPort;
import io.rxe.port.SameThread;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.WorkCompletion;
import io.rxe.wire.Aeth;
import io.rxe.wire.AtomicAckEth;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Reth;
import io.rxe.wire.Syndrome;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** One of our queue pairs in place of one end of a captured connection, with that end's address, number, keys and memory. */
final class ReplayRig {
    /** Memory of the application at this end. */
    static final long LOCAL_BASE = 0x7000_0000_0000L;
    static final int LOCAL_KEY = 0x0BAD_F00D;

    final Nic nic;
    final Engine engine;
    final ProtectionDomain domain;
    final CompletionQueue completions;
    final QueuePair pair;
    final ByteBuffer local = ByteBuffer.allocateDirect(1 << 20).order(ByteOrder.nativeOrder());
    final RecordingSink sink;
    /** Frames this end sent since they were last taken. */
    final List<SentFrame> sent = new ArrayList<>();
    private final ArrayDeque<Integer> draws = new ArrayDeque<>();
    private final Random random = new Random(3);
    private final KernelSafety safety;
    private final Gid peer;
    private long originNs = Long.MIN_VALUE;
    private long nowNs = 1_000_000_000L;

    /**
     * @param own        address of this end.
     * @param peer       address of the other end.
     * @param qpn        number of this end's queue pair.
     * @param completionEntries size of the completion queue.
     * @param guardedMtu path MTU of the check of rules K1 to K13; 0 = not checked.
     */
    ReplayRig(Gid own, Gid peer, int qpn, int completionEntries, int guardedMtu) {
        this.peer = peer;
        draws.add(LOCAL_KEY);
        draws.add(qpn);
        nic = new Nic(TestConfig.of(own, 4791, PathMtu.MTU_1024, 1), () -> draws.isEmpty() ? random.nextInt() : draws.poll(),
            List.of(SameThread.INLINE), MulticastPort.NONE, null);
        engine = nic.engine(0);
        domain = nic.allocateProtectionDomain();
        domain.register(1, LOCAL_BASE, local);
        completions = nic.createCompletionQueue(completionEntries);
        pair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions).withRequests(4096, 4096));
        assertEquals(qpn, pair.number());
        safety = guardedMtu > 0 ? new KernelSafety(guardedMtu) : null;
        sink = new RecordingSink(() -> nowNs, this::onFrame);
    }

    private void onFrame(SentFrame frame) {
        sent.add(frame);
        if (safety != null) {
            safety.onEmitted(frame.buffer(), 0, frame.bytes().length);
        }
    }

    /** Registers memory under the key and at the address the capture uses. */
    ByteBuffer memory(int key, long address, int length, int access) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(length + 8).order(ByteOrder.nativeOrder());
        ByteBuffer part = buffer.slice((int) (address & 7), length).order(ByteOrder.nativeOrder());
        draws.add(key);
        MemoryRegion region = domain.register(access, address, part);
        assertEquals(key, region.rKey());
        return part;
    }

    void connect(QueuePairAttributes init, QueuePairAttributes rtr, QueuePairAttributes rts) {
        pair.modify(init);
        pair.modify(rtr.addressVector(AddressVector.to(peer)).pathMtu(PathMtu.MTU_1024));
        pair.modify(rts);
    }

    /** Advances virtual time to that of a captured frame. */
    void advanceTo(GoldenFrame frame) {
        long atNs = frame.record().timestampNs();
        if (originNs == Long.MIN_VALUE) {
            originNs = atNs - nowNs;
        }
        advanceToNs(Math.max(nowNs, atNs - originNs));
    }

    void advanceToNs(long endNs) {
        run();
        while (engine.nextDeadlineNs() <= endNs) {
            nowNs = Math.max(nowNs, engine.nextDeadlineNs());
            run();
        }
        nowNs = endNs;
        run();
    }

    long nowNs() {
        return nowNs;
    }

    void run() {
        int idle = 0;
        for (int i = 0; idle < 2; i++) {
            assertTrue(i < 100_000, "the engine is never idle");
            idle = engine.poll(nowNs, sink) == 0 ? idle + 1 : 0;
        }
    }

    /** A captured frame arrives here. */
    void deliver(GoldenFrame frame) {
        UnsafeBuffer copy = new UnsafeBuffer(frame.packet());
        Flow flow = new Flow(frame.roce().source(), frame.roce().destination(), frame.roce().sourcePort(),
            frame.roce().destinationPort());
        if (safety != null && frame.destinationQpn() == pair.number()) {
            safety.onDelivered(copy, 0, frame.length());
        }
        engine.onPacket(copy, 0, frame.length(), flow, nowNs);
        run();
    }

    /** Takes the completions so far, as text: id and status. */
    List<WorkCompletion> takeCompletions() {
        List<WorkCompletion> all = new ArrayList<>();
        WorkCompletion next = new WorkCompletion();
        while (completions.poll(next)) {
            all.add(next);
            next = new WorkCompletion();
        }
        return all;
    }

    static String text(SentFrame frame) {
        return text(frame.buffer(), 0, frame.bytes().length);
    }

    static String text(GoldenFrame frame) {
        return text(frame.buffer(), frame.offset(), frame.length());
    }

    /** A frame in short: opcode, PSN, and the fields that distinguish it from others of its kind. */
    static String text(DirectBuffer buffer, int offset, int length) {
        Opcode opcode = Opcode.of(Bth.opcode(buffer, offset));
        String psn = Integer.toHexString(Bth.psn(buffer, offset));
        if (opcode == null || HeaderValidator.MIN_LENGTH > length) {
            return "?" + psn;
        }
        String name = opcode.name().replace("RC_", "").replace("RDMA_READ_RESPONSE", "RR").replace("RDMA_", "")
            .replace("ACKNOWLEDGE", "ACK").replace("READ_REQUEST", "READ");
        String rest = "";
        if (opcode.hasAeth()) {
            int at = offset + opcode.aethOffset();
            // The kernel gives no credits (R19); ours are left out of the comparison.
            int syndrome = Syndrome.isAck(Aeth.syndrome(buffer, at)) ? Syndrome.ACK_UNLIMITED : Aeth.syndrome(buffer, at);
            rest += "." + Integer.toHexString(syndrome) + ".m" + Aeth.messageSequenceNumber(buffer, at);
        }
        if (opcode.hasAtomicAckEth()) {
            rest += ".=" + Long.toHexString(AtomicAckEth.originalValue(buffer, offset + opcode.atomicAckEthOffset()));
        }
        if (opcode.isReadRequest()) {
            rest += ".len" + Reth.dmaLength(buffer, offset + opcode.rethOffset());
        } else if (opcode.hasPayload()) {
            rest += "." + HeaderValidator.payloadLength(buffer, offset, length, opcode);
        }
        return name + " " + psn + rest;
    }

    /** The lowest PSN, counted in a circle, of a connection's requests. */
    static int lowest(List<GoldenFrame> requests) {
        int lowest = requests.get(0).psn();
        for (GoldenFrame frame : requests) {
            lowest = Psn.subtract(frame.psn(), lowest) < 0 ? frame.psn() : lowest;
        }
        return lowest;
    }
}
