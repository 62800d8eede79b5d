package io.rxe.guard;

import io.rxe.verbs.Operation;
import io.rxe.wire.Aeth;
import io.rxe.wire.Bth;
import io.rxe.wire.DropReason;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Opcode;
import io.rxe.wire.PacketText;
import io.rxe.wire.Psn;
import io.rxe.wire.Reth;
import io.rxe.wire.Syndrome;
import io.rxe.wire.Transport;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.agrona.DirectBuffer;

/**
 * Checks every frame that one end of an RC connection sends against rules K1 to K13 of docs/rules.md: frames that make a kernel peer
 * report success with data missing, lose its connection, hang, or crash.
 *
 * <p>One object for each end. Report every good packet that arrives at this end ({@link #onDelivered}) and every frame it sends
 * ({@link #onEmitted}), in order. A violation throws an AssertionError with the frame.
 */
public final class KernelSafety {
    /** Requests are kept for this many packets: more than any send window. */
    private static final long MEMORY_PACKETS = 1 << 14;

    private enum Kind {
        DATA,
        READ,
        ATOMIC,
        /** ATOMIC_WRITE or FLUSH, which an empty READ response answers. */
        CONFIRMED
    }

    /** A delivered request of the peer. */
    private static final class Delivered {
        private final Kind kind;
        private final long seq;
        private final long packets;
        private final long lengthBytes;
        private long answered;

        Delivered(Kind kind, long seq, long packets, long lengthBytes) {
            this.kind = kind;
            this.seq = seq;
            this.packets = packets;
            this.lengthBytes = lengthBytes;
        }
    }

    private final int mtu;
    private final NavigableMap<Long, List<Delivered>> delivered = new TreeMap<>();
    private long longestPackets = 1;
    private long lastDelivered = -1;
    private long nextEmitted = -1;
    private boolean messageOpen;
    /** Sequence number behind those that have all arrived, or -1. */
    private long arrivedEdge = -1;
    /** Where this end sent an RNR NAK and the peer has not retransmitted yet, or -1. */
    private long receiverNotReady = -1;
    private boolean placementPosted;
    /** A packet of the peer had the mark, or a response had none while no packet of it ever had. */
    private boolean peerMarks;
    private boolean peerResponds;
    /** PSNs of the requests that were sent before the first positive response. */
    private final Set<Integer> outstanding = new HashSet<>();

    /**
     * For frames of a connection whose beginning may be missing: the first request that arrives begins it.
     *
     * @param mtu payload bytes of a full packet of the connection.
     */
    public KernelSafety(int mtu) {
        this.mtu = mtu;
    }

    /**
     * @param mtu      payload bytes of a full packet of the connection.
     * @param firstPsn the PSN of the peer's first request.
     */
    public KernelSafety(int mtu, int firstPsn) {
        this(mtu);
        arrivedEdge = unwrap(firstPsn, -1);
        lastDelivered = arrivedEdge - 1;
    }

    /** The application of this end posts a request: it may ask for ATOMIC_WRITE and FLUSH, which older kernels do not know. */
    public void onPosted(Operation operation) {
        placementPosted |= operation == Operation.ATOMIC_WRITE || operation == Operation.FLUSH;
    }

    /** A good packet, with right ICRC and queue pair, arrived at this end. Of a response, only the mark counts. */
    public void onDelivered(DirectBuffer buffer, int offset, int length) {
        if (HeaderValidator.check(buffer, offset, length) != DropReason.NONE) {
            return;
        }
        Opcode opcode = Opcode.of(Bth.opcode(buffer, offset));
        peerMarks |= Bth.isMarked(buffer, offset);
        if (!opcode.isRequest()) {
            int at = offset + opcode.aethOffset();
            boolean isPositive = !opcode.hasAeth() || Syndrome.isAck(Aeth.syndrome(buffer, at));
            peerResponds |= isPositive && outstanding.contains(Bth.psn(buffer, offset));
            return;
        }
        long seq = unwrap(Bth.psn(buffer, offset), lastDelivered);
        lastDelivered = Math.max(lastDelivered, seq);
        if (seq == receiverNotReady) {
            receiverNotReady = -1;
        }
        Kind kind = opcode.isReadRequest() ? Kind.READ : opcode.isAtomic() ? Kind.ATOMIC
            : opcode.isReadOrAtomic() ? Kind.CONFIRMED : Kind.DATA;
        long bytes = kind == Kind.READ ? Reth.dmaLength(buffer, offset + opcode.rethOffset()) : 0;
        long packets = Math.max(1, (bytes + mtu - 1) / mtu);
        List<Delivered> sameSeq = delivered.computeIfAbsent(seq, key -> new ArrayList<>());
        if (kind == Kind.DATA && !sameSeq.isEmpty()) {
            return;
        }
        sameSeq.add(new Delivered(kind, seq, packets, bytes));
        if (packets <= MEMORY_PACKETS) {
            longestPackets = Math.max(longestPackets, packets);
        }
        moveArrivedEdge(seq);
        delivered.headMap(lastDelivered - MEMORY_PACKETS).clear();
    }

    private void moveArrivedEdge(long seq) {
        arrivedEdge = arrivedEdge < 0 ? seq : arrivedEdge;
        for (Delivered next = original(arrivedEdge); next != null; next = original(arrivedEdge)) {
            arrivedEdge = next.seq + next.packets;
        }
    }

    /** This end sends a frame. */
    public void onEmitted(DirectBuffer buffer, int offset, int length) {
        String frame = PacketText.of(buffer, offset, length);
        DropReason reason = HeaderValidator.check(buffer, offset, length);
        require(reason == DropReason.NONE, "a malformed frame (" + reason.label() + ")", frame);
        checkShape(buffer, offset, length, frame);
        Opcode opcode = Opcode.of(Bth.opcode(buffer, offset));
        require(peerMarks || !Bth.isMarked(buffer, offset) || opcode.isRequest() && !peerResponds, "a mark that it does not know", frame);
        require(peerMarks && opcode.isReadRequest() || !Bth.isRepeated(buffer, offset), "a READ request sent several times", frame);
        boolean isTimed = Bth.isTimed(buffer, offset);
        require(peerMarks && (opcode.isRequest() || opcode.isMiddle() || opcode.isLast()) || !isTimed, "a send time", frame);
        require(peerMarks && (opcode.isReadResponse() || isTimed) || Bth.requestWait(buffer, offset) == 0, "how long a request waited",
            frame);
        require(peerMarks && (opcode.isReadRequest() || !opcode.isRequest() || isTimed) || Bth.hostDelay(buffer, offset) == 0,
            "a host delay, or a rate", frame);
        require(opcode.transport() != Transport.XRC, "an XRC frame, whose opcode no kernel defines", frame);
        if (opcode.isNotification()) {
            require(peerMarks, "a CNP, whose opcode no kernel defines", frame);
            return;
        }
        if (opcode.isRequest()) {
            boolean isKeepAlive = opcode == Opcode.RC_RDMA_WRITE_ONLY && Reth.rKey(buffer, offset + opcode.rethOffset()) == 0;
            if (!peerResponds && !isKeepAlive) {
                outstanding.add(Bth.psn(buffer, offset));
            }
            checkRequest(buffer, offset, length, opcode, frame);
        } else if (opcode.isAck()) {
            boolean hasReport = HeaderValidator.payloadLength(buffer, offset, length, opcode) > 0;
            require(peerMarks || !hasReport, "a gap report", frame);
            checkAcknowledgement(buffer, offset, frame);
        } else if (opcode.isAtomicAck()) {
            checkAtomicAck(buffer, offset, frame);
        } else {
            checkReadResponse(buffer, offset, length, opcode, frame);
        }
    }

    private static void checkShape(DirectBuffer buffer, int offset, int length, String frame) {
        require(Bth.partitionKey(buffer, offset) == Bth.DEFAULT_PARTITION_KEY, "a partition key that is not 0xFFFF", frame);
        boolean isNotification = Bth.opcode(buffer, offset) == Opcode.CNP.code();
        require(!Bth.isMigrationRequest(buffer, offset) && !Bth.isFecn(buffer, offset) && Bth.isBecn(buffer, offset) == isNotification,
            "MigReq, FECN or BECN", frame);
        int pad = Bth.padCount(buffer, offset);
        for (int i = 0; i < pad; i++) {
            require(buffer.getByte(offset + length - 5 - i) == 0, "pad bytes that are not zero", frame);
        }
    }

    private void checkRequest(DirectBuffer buffer, int offset, int length, Opcode opcode, String frame) {
        int payload = HeaderValidator.payloadLength(buffer, offset, length, opcode);
        require(placementPosted || !opcode.isAtomicWrite() && !opcode.isFlush(), "ATOMIC_WRITE or FLUSH that nobody posted", frame);
        require(payload <= mtu, "payload beyond the path MTU", frame);
        if (opcode.isFirst() || opcode.isMiddle()) {
            require(payload == mtu, "a first or middle packet that is not one MTU", frame);
        }
        if (opcode.isWrite() && opcode.isStart()) {
            long total = Reth.dmaLength(buffer, offset + opcode.rethOffset());
            require(opcode.isOnly() ? total == payload : total > payload, "a WRITE whose RETH length does not fit", frame);
        }
        if (opcode.isLast()) {
            require(payload > 0, "an empty last packet", frame);
        }
        long seq = unwrap(Bth.psn(buffer, offset), nextEmitted);
        if (nextEmitted < 0 || seq == nextEmitted) {
            require(opcode.isStart() != messageOpen, "a first, middle or last packet out of order", frame);
            messageOpen = !opcode.isEnd() && !opcode.isReadRequest() && !opcode.isAtomic();
            long packets = opcode.isReadRequest()
                ? Math.max(1, (Reth.dmaLength(buffer, offset + opcode.rethOffset()) + mtu - 1) / mtu) : 1;
            nextEmitted = seq + packets;
        } else {
            require(seq < nextEmitted, "a PSN that leaves a gap", frame);
        }
    }

    private void checkAcknowledgement(DirectBuffer buffer, int offset, String frame) {
        int syndrome = Aeth.syndrome(buffer, offset + Opcode.RC_ACKNOWLEDGE.aethOffset());
        require(!Syndrome.isReserved(syndrome), "a reserved syndrome", frame);
        long seq = unwrap(Bth.psn(buffer, offset), lastDelivered);
        require(!Syndrome.isAck(syndrome) || seq < arrivedEdge, "an ACK for a packet that has not arrived", frame);
        require(syndrome != Syndrome.PSN_SEQUENCE_ERROR || receiverNotReady < 0, "a sequence NAK behind an RNR NAK", frame);
        if (Syndrome.isRnr(syndrome)) {
            receiverNotReady = seq;
        }
        Delivered first = original(seq);
        if (first == null || first.kind == Kind.DATA) {
            return;
        }
        require(!Syndrome.isAck(syndrome), "a plain ACK at the PSN of a READ or an atomic", frame);
        if (peerMarks && isMemoryGone(syndrome) && seq == first.seq + first.answered) {
            // Memory of this end has gone half-way, and the peer, no kernel, completes nothing by such a NAK (rule R14).
            return;
        }
        require(first.answered == 0, "a NAK or RNR inside a READ or atomic that is being answered", frame);
        require(seq == first.seq, "a NAK or RNR inside a READ", frame);
    }

    /** Whether a NAK says what the responder says when memory of a READ is gone (rule R14). */
    public static boolean isMemoryGone(int syndrome) {
        return syndrome == Syndrome.REMOTE_OPERATIONAL_ERROR || syndrome == Syndrome.REMOTE_ACCESS_ERROR;
    }

    private void checkAtomicAck(DirectBuffer buffer, int offset, String frame) {
        Delivered first = original(unwrap(Bth.psn(buffer, offset), lastDelivered));
        require(first != null && first.kind == Kind.ATOMIC, "an AtomicAck where no atomic was", frame);
        require(Syndrome.isAck(Aeth.syndrome(buffer, offset + Opcode.RC_ATOMIC_ACKNOWLEDGE.aethOffset())),
            "an AtomicAck with a NAK in it", frame);
        first.answered = 1;
    }

    private void checkReadResponse(DirectBuffer buffer, int offset, int length, Opcode opcode, String frame) {
        if (opcode.hasAeth()) {
            require(Syndrome.isAck(Aeth.syndrome(buffer, offset + opcode.aethOffset())), "a READ response with a NAK in it", frame);
        }
        int payload = HeaderValidator.payloadLength(buffer, offset, length, opcode);
        long seq = unwrap(Bth.psn(buffer, offset), lastDelivered);
        boolean found = false;
        for (List<Delivered> requests : delivered.subMap(seq - longestPackets, false, seq, true).values()) {
            for (Delivered read : requests) {
                found |= read.kind == Kind.CONFIRMED && seq == read.seq && opcode.isOnly() && payload == 0
                    || read.kind == Kind.READ && isResponseTo(read, seq - read.seq, opcode, payload);
            }
        }
        require(found, "a READ response that fits no open READ: too short, or a middle or last before its first", frame);
    }

    /** Whether a response is the next one of a request, or a retransmission. */
    private boolean isResponseTo(Delivered read, long index, Opcode opcode, int payload) {
        if (index >= read.packets || index > read.answered) {
            return false;
        }
        boolean last = index == read.packets - 1;
        boolean fits = payload == Math.min(mtu, read.lengthBytes - index * mtu) && opcode.isEnd() == last
            && opcode.isStart() == (index == 0);
        if (fits) {
            read.answered = Math.max(read.answered, index + 1);
        }
        return fits;
    }

    /** Returns the first request delivered for a sequence number. */
    private Delivered original(long seq) {
        Delivered found = null;
        for (List<Delivered> requests : delivered.subMap(seq - longestPackets, false, seq, true).values()) {
            Delivered request = requests.get(0);
            if (seq < request.seq + request.packets && (found == null || request.kind != Kind.DATA)) {
                found = request;
            }
        }
        return found;
    }

    private static long unwrap(int psn, long near) {
        return near < 0 ? (1L << 24) + psn : near + Psn.subtract(psn, (int) near & Psn.MASK);
    }

    private static void require(boolean condition, String what, String frame) {
        if (!condition) {
            throw new AssertionError("a kernel peer must never be sent " + what + ": " + frame);
        }
    }
}
