package io.rxe.sim;

import io.rxe.verbs.Operation;
import io.rxe.wire.AtomicEth;
import io.rxe.wire.Bth;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Ieth;
import io.rxe.wire.ImmDt;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Reth;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Watches the requests of one queue pair and their answers on the wire, and holds both sides to the rules. Knows what was posted, but
 * nothing of the NICs' insides; one for each direction of a connection, and a new one for each life of it.
 *
 * <pre>{@code
 *   requester --- request ---> [onRequestSent] ~~~~ [onDelivered] ---> responder
 *   requester <-- [onDelivered] ~~~~ [onResponseSent] <--- response -- responder
 * }</pre>
 *
 * <p>Sequence numbers are 64 bits wide and start at the first PSN.
 */
final class ExchangeMonitor {
    final EndpointSettings settings;
    final String name;
    private final ArrayDeque<Request> posted = new ArrayDeque<>();
    private final List<WirePacket> packets = new ArrayList<>();
    private final ArrayDeque<WireMessage> openReads = new ArrayDeque<>();
    private final ResponderRules responder;
    private final long startSeq;
    private final int mtu;
    private long nextSeq;
    private long messages;
    private Request current;
    private long currentBytes;
    private WireMessage currentMessage;

    // What the requester must know from the answers it got.
    private long executedSeq;
    private long ackedSeq;
    private int rnrNaksSinceProgress;
    private int laterNaksSinceProgress;
    private long rnrSeq = -1;
    private int rnrTransmissions;
    private long rnrUntilNs = Long.MIN_VALUE;

    private long holeSeq = -1;

    // As it was when the requester failed.
    private boolean frozen;
    private long frozenSeq;
    private int frozenTransmissions;
    private int frozenLaterNaks;
    private int frozenRnrNaks;
    private int frozenUnanswered;

    long requestsSent;
    long repeated;
    long rnrNaks;
    /** Answers to READs and atomics that were overtaken. */
    long holes;

    /** @param settings of the requester. */
    ExchangeMonitor(String name, EndpointSettings settings, int startPsn, int maxDestRdAtomic) {
        this.name = name;
        this.settings = settings;
        this.mtu = settings.mtu.bytes();
        this.startSeq = (1L << 24) + startPsn;
        this.nextSeq = startSeq;
        this.executedSeq = startSeq;
        this.ackedSeq = startSeq;
        this.responder = new ResponderRules(this, startSeq, maxDestRdAtomic);
    }

    /** A request was posted: it has to appear on the wire after those posted before. */
    void posted(Request request) {
        posted.add(request);
    }

    SimulationFailure failure(String what) {
        return new SimulationFailure(name + ": " + what);
    }

    int mtu() {
        return mtu;
    }

    long nextSeq() {
        return nextSeq;
    }

    long ackedSeq() {
        return ackedSeq;
    }

    long messages() {
        return messages;
    }

    WirePacket packet(long seq) {
        return packets.get((int) (seq - startSeq));
    }

    /** The request that a PSN belongs to, which was sent at least once. */
    Request requestAt(int psn) {
        return packet(seqOf(psn)).message.request;
    }

    static String psn(long seq) {
        return "PSN 0x" + Psn.toString((int) seq & Psn.MASK);
    }

    private long seqOf(int psn) {
        return nextSeq + Psn.subtract(psn, (int) nextSeq & Psn.MASK);
    }

    /** The requester hands a packet to its sink. */
    void onRequestSent(UnsafeBuffer buffer, int length, long nowNs) {
        Opcode opcode = Opcode.of(Bth.opcode(buffer, 0));
        long seq = seqOf(Bth.psn(buffer, 0));
        if (seq > nextSeq) {
            throw failure(opcode + " skips from " + psn(nextSeq) + " to " + psn(seq) + " (rule P2)");
        }
        if (nowNs < rnrUntilNs && seq >= rnrSeq) {
            throw failure(opcode + " with " + psn(seq) + " is sent " + (rnrUntilNs - nowNs) + " ns before the RNR delay is over (rule T8)");
        }
        requestsSent++;
        if (seq == nextSeq) {
            sendNew(opcode, buffer, length);
        } else {
            repeated++;
            sendAgain(opcode, buffer, length, seq);
        }
    }

    private void sendNew(Opcode opcode, UnsafeBuffer buffer, int length) {
        int payload = HeaderValidator.payloadLength(buffer, 0, length, opcode);
        if (current == null) {
            current = posted.poll();
            currentBytes = 0;
            if (current == null) {
                throw failure(opcode + " is sent, but nothing is posted");
            }
            checkFence();
        }
        if (current.operation.isReadOrAtomic()) {
            sendNewReadOrAtomic(opcode, buffer);
            return;
        }
        boolean start = currentBytes == 0;
        boolean end = currentBytes + payload == current.length;
        boolean fits = opcode.isSend() == current.operation.isSend() && opcode.isWrite() == current.operation.isWrite()
            && opcode.isStart() == start && opcode.isEnd() == end && (end || payload == mtu) && currentBytes + payload <= current.length;
        if (!fits) {
            throw failure(opcode + " with " + payload + " bytes does not continue " + current + " at byte " + currentBytes);
        }
        checkContent(opcode, buffer, payload);
        if (start) {
            currentMessage = new WireMessage(current, nextSeq, Math.max(1, (current.length + mtu - 1) / mtu), ++messages, false, false, 0,
                current.length);
        }
        add(new WirePacket(currentMessage, opcode.code(), digest(buffer, length)));
        currentBytes += payload;
        if (end) {
            endRequest();
        }
    }

    private void endRequest() {
        current.endSeq = nextSeq;
        current = null;
    }

    private void add(WirePacket packet) {
        packet.transmissions++;
        packets.add(packet);
        nextSeq++;
    }

    private void checkFence() {
        forgetAnswered();
        if (current.fence && !openReads.isEmpty()) {
            throw failure("fenced " + current + " begins although " + openReads.peek().request + " is not answered");
        }
    }

    private void checkContent(Opcode opcode, UnsafeBuffer buffer, int payload) {
        int at = opcode.headerLength();
        for (int i = 0; i < payload; i++) {
            if (buffer.getByte(at + i) != current.data[(int) currentBytes + i]) {
                throw failure(opcode + " of " + current + " carries a wrong byte at " + (currentBytes + i));
            }
        }
        if (opcode.hasReth() && (Reth.virtualAddress(buffer, opcode.rethOffset()) != current.remoteAddress
            || Reth.rKey(buffer, opcode.rethOffset()) != current.remoteKey
            || Reth.dmaLength(buffer, opcode.rethOffset()) != current.length)) {
            throw failure(opcode + " of " + current + " has a wrong RETH");
        }
        boolean withImmediate = current.operation == Operation.SEND_WITH_IMMEDIATE
            || current.operation == Operation.RDMA_WRITE_WITH_IMMEDIATE;
        if (opcode.isEnd() && opcode.hasImmDt() != withImmediate
            || opcode.hasImmDt() && ImmDt.immediateData(buffer, opcode.immDtOffset()) != current.immediate
            || opcode.hasIeth() && Ieth.rKey(buffer, opcode.iethOffset()) != current.invalidatedKey) {
            throw failure(opcode + " of " + current + " has wrong immediate data or key");
        }
    }

    /** The responder remembers its last requests only: behind an unanswered one, answered ones take up room as well. */
    private void forgetAnswered() {
        while (!openReads.isEmpty() && openReads.peek().isAnswered()) {
            openReads.poll();
        }
    }

    private void sendNewReadOrAtomic(Opcode opcode, UnsafeBuffer buffer) {
        forgetAnswered();
        if (openReads.size() >= settings.maxRdAtomic) {
            throw failure(opcode + " is sent with " + openReads.size() + " READs and atomics since the oldest unanswered one,"
                + " max_rd_atomic is " + settings.maxRdAtomic + " (rule Q11)");
        }
        long address = opcode.isReadRequest() ? Reth.virtualAddress(buffer, opcode.rethOffset())
            : opcode.isAtomic() ? AtomicEth.virtualAddress(buffer, opcode.atomicEthOffset()) : -1;
        long bytes = opcode.isReadRequest() ? Reth.dmaLength(buffer, opcode.rethOffset()) : Long.BYTES;
        boolean fits = opcode.isReadRequest() == (current.operation == Operation.RDMA_READ)
            && opcode.isAtomic() == current.operation.isAtomic() && address == current.remoteAddress + currentBytes
            && currentBytes + bytes <= Math.max(current.length, current.windowBytes());
        if (!fits) {
            throw failure(opcode + " of " + bytes + " bytes does not continue " + current + " at byte " + currentBytes);
        }
        int count = opcode.isAtomic() ? 1 : (int) Math.max(1, (bytes + mtu - 1) / mtu);
        WireMessage message = new WireMessage(current, nextSeq, count, ++messages, opcode.isReadRequest(), opcode.isAtomic(), address,
            bytes);
        openReads.add(message);
        long digest = digest(buffer, opcode.headerLength() + 4);
        for (int i = 0; i < count; i++) {
            add(new WirePacket(message, opcode.code(), digest));
        }
        currentBytes += bytes;
        if (currentBytes >= current.windowBytes()) {
            endRequest();
        }
    }

    private void sendAgain(Opcode opcode, UnsafeBuffer buffer, int length, long seq) {
        if (seq < startSeq) {
            throw failure(opcode + " with " + psn(seq) + " lies before the first PSN (rule P1)");
        }
        WirePacket packet = packet(seq);
        WireMessage message = packet.message;
        int count = 1;
        if (message.isRead) {
            count = checkReadAgain(opcode, buffer, seq, message);
        } else if (packet.opcode != opcode.code() || packet.digest != digest(buffer, length)) {
            throw failure(opcode + " with " + psn(seq) + " is not what was sent under that PSN at first (rule P6)");
        }
        for (int i = 0; i < count; i++) {
            packet(seq + i).transmissions++;
        }
    }

    /** A repeated READ may ask for a part, at the PSNs that part has (rules Q5, R5). */
    private int checkReadAgain(Opcode opcode, UnsafeBuffer buffer, long seq, WireMessage message) {
        if (!opcode.isReadRequest()) {
            throw failure(opcode + " with " + psn(seq) + ", which belongs to a READ");
        }
        long skipped = (seq - message.firstSeq) * mtu;
        long bytes = Reth.dmaLength(buffer, opcode.rethOffset());
        int count = (int) Math.max(1, (bytes + mtu - 1) / mtu);
        long end = seq + count == message.endSeq() ? message.bytes : skipped + (long) count * mtu;
        if (Reth.virtualAddress(buffer, opcode.rethOffset()) != message.address + skipped || seq + count > message.endSeq()
            || skipped + bytes != end || Reth.rKey(buffer, opcode.rethOffset()) != message.request.remoteKey) {
            throw failure("READ of " + bytes + " bytes repeated at " + psn(seq) + " does not match the first one of " + message.bytes
                + " bytes at " + psn(message.firstSeq));
        }
        return count;
    }

    /** Everything but AckReq and the ICRC. */
    private static long digest(UnsafeBuffer buffer, int length) {
        CRC32C crc = new CRC32C();
        byte[] bytes = buffer.byteArray();
        crc.update(bytes, 0, 8);
        crc.update(bytes, 9, length - 4 - 9);
        return crc.getValue() << 16 | length;
    }

    /** The responder hands an answer to its sink. */
    void onResponseSent(UnsafeBuffer buffer, int length) {
        Opcode opcode = Opcode.of(Bth.opcode(buffer, 0));
        responder.onSent(opcode, seqOf(Bth.psn(buffer, 0)), buffer, length);
    }

    /** A genuine datagram of this direction reaches the other side's NIC. */
    void onDelivered(UnsafeBuffer buffer, long nowNs) {
        Opcode opcode = Opcode.of(Bth.opcode(buffer, 0));
        long seq = seqOf(Bth.psn(buffer, 0));
        if (opcode.isRequest()) {
            responder.onRequestDelivered(opcode, seq, buffer);
        } else if (seq < nextSeq && seq >= ackedSeq) {
            RequesterView.onResponse(this, opcode, seq, buffer, nowNs);
            noteHole();
        }
    }

    /** Notes that a later answer has overtaken the one at the acknowledged edge. */
    private void noteHole() {
        if (ackedSeq == nextSeq || holeSeq == ackedSeq) {
            return;
        }
        WireMessage message = packet(ackedSeq).message;
        if (message.isReadOrAtomic() && (message.hasHole() || executedSeq >= message.endSeq())) {
            holeSeq = ackedSeq;
            holes++;
        }
    }

    /** Gaps in the requests, as the responder has seen them. */
    long gaps() {
        return responder.gaps();
    }

    /** For {@link RequesterView}: everything before a sequence number was executed. */
    void executedTo(long seq) {
        executedSeq = Math.max(executedSeq, seq);
    }

    boolean isExecuted(long seq) {
        return seq < executedSeq;
    }

    /** Moves the acknowledged edge as far as answers allow. */
    void advance() {
        long before = ackedSeq;
        while (ackedSeq < nextSeq) {
            WireMessage message = packet(ackedSeq).message;
            long edge = message.isReadOrAtomic() ? message.firstSeq + message.arrivedEdge() : Math.min(executedSeq, message.endSeq());
            ackedSeq = Math.max(ackedSeq, edge);
            if (ackedSeq < message.endSeq()) {
                break;
            }
            executedSeq = Math.max(executedSeq, ackedSeq);
        }
        if (ackedSeq > before) {
            rnrNaksSinceProgress = 0;
            laterNaksSinceProgress = 0;
        }
        if (executedSeq > rnrSeq) {
            // The packet was executed after all: the NAK spoke of an earlier copy of it.
            rnrUntilNs = Long.MIN_VALUE;
        }
    }

    /** An RNR NAK told the requester to wait; a copy of one that was told before changes nothing. */
    void receiverNotReady(long seq, long delayNs, long nowNs) {
        rnrNaks++;
        rnrNaksSinceProgress++;
        int transmissions = packet(seq).transmissions;
        if (nowNs >= rnrUntilNs && (seq != rnrSeq || transmissions != rnrTransmissions)) {
            rnrSeq = seq;
            rnrTransmissions = transmissions;
            rnrUntilNs = nowNs + delayNs;
        }
    }

    /** A sequence NAK behind the oldest packet: it uses up a retry without that packet being sent again (rule T6). */
    void laterLossReported() {
        laterNaksSinceProgress++;
    }

    /** A request completed with success: its answer must have arrived. */
    void checkAnswered(Request request) {
        if (request.endSeq < 0 || ackedSeq < request.endSeq) {
            throw failure(request + " completed with success, but was " + (request.endSeq < 0 ? "not even sent" : "not acknowledged"));
        }
    }

    /** The requester's queue pair has just failed: what counts is what had happened by now. */
    void freeze() {
        if (!frozen) {
            frozen = true;
            frozenSeq = ackedSeq;
            frozenTransmissions = ackedSeq == nextSeq ? 0 : packet(ackedSeq).transmissions;
            frozenLaterNaks = laterNaksSinceProgress;
            frozenRnrNaks = rnrNaksSinceProgress;
            frozenUnanswered = ackedSeq == nextSeq ? 0 : packet(ackedSeq).deliveriesUnanswered;
        }
    }

    /** Rules T3, T6: the oldest packet must have been sent 1 + retry_cnt times in vain, less the retries that later ones have used up. */
    void checkRetriesExhausted(Request request, boolean peerIsAlive) {
        if (frozenTransmissions + frozenLaterNaks < 1 + settings.retryCount) {
            throw failure(request + " failed with RETRY_EXC_ERR after " + frozenTransmissions + " transmissions of " + psn(frozenSeq)
                + ", retry_cnt is " + settings.retryCount + " (rule T3)");
        }
        if (peerIsAlive) {
            checkPeerAnswered(request);
        }
    }

    /** Rules R4 to R6: a peer that is alive answers what reaches it, again and again. */
    private void checkPeerAnswered(Request request) {
        if (frozenUnanswered >= Math.max(3, settings.retryCount)) {
            throw failure(request + " failed with RETRY_EXC_ERR: " + psn(frozenSeq) + " reached a living peer " + frozenUnanswered
                + " times and was not answered (rules R4 to R6)");
        }
    }

    /** Rule T6: it must have been told so many times since the last progress. */
    void checkRnrRetriesExhausted(Request request) {
        if (settings.rnrRetry == 7 || frozenRnrNaks < 1 + settings.rnrRetry) {
            throw failure(request + " failed with RNR_RETRY_EXC_ERR after " + frozenRnrNaks + " RNR NAKs, rnr_retry is "
                + settings.rnrRetry + " (rule T6)");
        }
    }
}
