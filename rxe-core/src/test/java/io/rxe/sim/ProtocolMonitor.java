package io.rxe.sim;

import io.rxe.verbs.Operation;
import io.rxe.wire.AtomicEth;
import io.rxe.wire.Bth;
import io.rxe.wire.GapReport;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Ieth;
import io.rxe.wire.ImmDt;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Reth;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Checks the requests of one queue pair and the responses to them against the rules, on the wire. It knows what was posted, but nothing of
 * the state inside the NICs. Each direction of a connection has one, and each incarnation a new one.
 *
 * <pre>{@code
 *   requester --- request ---> [onRequestSent] ~~~~ [onDelivered] ---> responder
 *   requester <-- [onDelivered] ~~~~ [onResponseSent] <--- response -- responder
 * }</pre>
 *
 * <p>Sequence numbers are 64 bits wide and start at the first PSN.
 */
final class ProtocolMonitor {
    /** Most packets without AckReq between two with it. */
    private static final int MAX_ACK_INTERVAL = 32;
    /** Most packets that one READ request asks for. */
    private static final int MAX_READ_PACKETS = 256;
    /** Send windows do not shrink below. */
    private static final int MIN_WINDOW_PACKETS = 4;

    final ApplicationSettings settings;
    final String name;
    private final ArrayDeque<Request> posted = new ArrayDeque<>();
    private final List<WirePacket> packets = new ArrayList<>();
    private final ArrayDeque<WireMessage> openReads = new ArrayDeque<>();
    private final ResponderRules responder;
    private final CreditRules credits;
    private final KeepAliveRules keepAlive = new KeepAliveRules(this);
    private final RetryRules retries = new RetryRules(this);
    private final long startSeq;
    private final int mtu;
    private final long windowPackets;
    private long nextSeq;
    private Request current;
    private long currentBytes;
    private WireMessage currentMessage;
    private int sinceAckRequest;

    // State of the requester, as far as the responses that reached it determine it.
    private long executedSeq;
    private long ackedSeq;
    private long rnrSeq = -1;
    private int rnrTransmissions;
    private long rnrUntilNs = Long.MIN_VALUE;

    private long missingSeq = -1;
    private boolean frozen;

    long requestsSent;
    long retransmitted;
    long rnrNaks;
    /** Missing responses: responses to READs and atomics that a later one overtook. */
    long overtakenResponses;

    /**
     * @param settings    of the requester.
     * @param windowBytes upper bound of the bytes in flight of the requester.
     * @param receivesPosted receive requests that the responder's application has posted for this connection.
     */
    ProtocolMonitor(String name, ApplicationSettings settings, int startPsn, int maxDestRdAtomic, long windowBytes,
                    LongSupplier receivesPosted) {
        this.name = name;
        this.settings = settings;
        this.mtu = settings.mtu.bytes();
        this.windowPackets = Math.max(MIN_WINDOW_PACKETS, windowBytes / mtu);
        this.startSeq = (1L << 24) + startPsn;
        this.nextSeq = startSeq;
        this.executedSeq = startSeq;
        this.ackedSeq = startSeq;
        this.responder = new ResponderRules(this, startSeq, maxDestRdAtomic);
        this.credits = new CreditRules(this, receivesPosted);
    }

    /** A request was posted: its packets must follow those of the requests posted before. */
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

    /** Messages whose last packet was sent. */
    long wholeMessages() {
        boolean isMidMessage = current != null && currentBytes > 0 && !current.operation.isReadOrAtomic();
        return credits.messages() - (isMidMessage ? 1 : 0);
    }

    CreditRules credits() {
        return credits;
    }

    KeepAliveRules keepAlive() {
        return keepAlive;
    }

    RetryRules retries() {
        return retries;
    }

    WirePacket packet(long seq) {
        return packets.get((int) (seq - startSeq));
    }

    /** The message of a sequence number; null when none was sent with it. */
    WireMessage sentMessage(long seq) {
        return seq < startSeq || seq >= nextSeq ? null : packet(seq).message;
    }

    /** The request of a PSN that was sent at least once. */
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
            throw failure(opcode + " with " + psn(seq) + " is sent " + (rnrUntilNs - nowNs) + " ns before the RNR delay ends (rule T8)");
        }
        if (keepAlive.onSent(opcode, seq, buffer, length, nowNs)) {
            return;
        }
        requestsSent++;
        checkAckRequested(opcode, seq, Bth.isAckRequested(buffer, 0));
        if (seq == nextSeq) {
            checkWindow(opcode, seq);
            checkNewPacket(opcode, buffer, length);
        } else {
            retransmitted += Bth.isRepeated(buffer, 0) ? 0 : 1;
            checkRetransmission(opcode, buffer, length, seq);
        }
    }

    /** The window never closes behind packets without AckReq, since some of every {@link #MAX_ACK_INTERVAL} have it. */
    private void checkAckRequested(Opcode opcode, long seq, boolean ackRequested) {
        sinceAckRequest = ackRequested || opcode.isReadOrAtomic() ? 0 : sinceAckRequest + 1;
        if (sinceAckRequest >= MAX_ACK_INTERVAL) {
            throw failure(opcode + " with " + psn(seq) + " is packet " + sinceAckRequest + " without AckReq in a row");
        }
    }

    /** A window that shrank lets one packet more out when none of those in flight has AckReq. */
    private void checkWindow(Opcode opcode, long seq) {
        if (seq - ackedSeq > windowPackets) {
            throw failure(opcode + " with " + psn(seq) + " is sent with " + (seq - ackedSeq) + " packets in flight, the send window is "
                + windowPackets);
        }
    }

    private void checkNewPacket(Opcode opcode, UnsafeBuffer buffer, int length) {
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
            checkNewReadOrAtomic(opcode, buffer, length);
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
            long number = credits.begin(current, ackedSeq < nextSeq);
            currentMessage = new WireMessage(current, nextSeq, Math.max(1, (current.length + mtu - 1) / mtu), number, false, false, 0,
                current.length);
        }
        add(new WirePacket(currentMessage, opcode.code(), WirePacket.digest(buffer, length)));
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

    /** Responder resources are freed in order: an answered READ behind an unanswered one still occupies its place. */
    private void forgetAnswered() {
        while (!openReads.isEmpty() && openReads.peek().isAnswered()) {
            openReads.poll();
        }
    }

    private void checkNewReadOrAtomic(Opcode opcode, UnsafeBuffer buffer, int length) {
        forgetAnswered();
        if (openReads.size() >= settings.maxRdAtomic) {
            throw failure(opcode + " is sent with " + openReads.size() + " READs and atomics since the oldest unanswered one,"
                + " max_rd_atomic is " + settings.maxRdAtomic + " (rule Q11)");
        }
        long address = opcode.hasReth() ? Reth.virtualAddress(buffer, opcode.rethOffset())
            : opcode.isAtomic() ? AtomicEth.virtualAddress(buffer, opcode.atomicEthOffset()) : -1;
        long bytes = opcode.isReadRequest() ? Reth.dmaLength(buffer, opcode.rethOffset()) : current.targetBytes();
        boolean fits = opcode.isReadRequest() == (current.operation == Operation.RDMA_READ)
            && opcode.isAtomic() == current.operation.isAtomic() && PlacementRules.fits(current, opcode, buffer)
            && address == current.remoteAddress + currentBytes
            && currentBytes + bytes <= Math.max(current.length, current.targetBytes());
        if (!fits) {
            throw failure(opcode + " of " + bytes + " bytes does not continue " + current + " at byte " + currentBytes);
        }
        int count = !opcode.isReadRequest() ? 1 : (int) Math.max(1, (bytes + mtu - 1) / mtu);
        if (count > MAX_READ_PACKETS || count > windowPackets) {
            throw failure(opcode + " asks for " + count + " packets at once, more than " + MAX_READ_PACKETS + " or the send window of "
                + windowPackets);
        }
        WireMessage message = new WireMessage(current, nextSeq, count, credits.begin(current, false), opcode.isReadRequest(),
            !opcode.isReadRequest(), address, bytes);
        openReads.add(message);
        long digest = WirePacket.digest(buffer, length);
        for (int i = 0; i < count; i++) {
            add(new WirePacket(message, opcode.code(), digest));
        }
        currentBytes += bytes;
        if (currentBytes >= current.targetBytes()) {
            endRequest();
        }
    }

    private void checkRetransmission(Opcode opcode, UnsafeBuffer buffer, int length, long seq) {
        if (seq < startSeq) {
            throw failure(opcode + " with " + psn(seq) + " lies before the first PSN (rule P1)");
        }
        WirePacket packet = packet(seq);
        WireMessage message = packet.message;
        int count = 1;
        if (message.isRead) {
            count = checkReadRetransmission(opcode, buffer, seq, message);
        } else if (packet.opcode != opcode.code() || packet.digest != WirePacket.digest(buffer, length)) {
            throw failure(opcode + " with " + psn(seq) + " differs from the first packet with that PSN (rule P6)");
        }
        for (int i = 0; i < count; i++) {
            packet(seq + i).transmissions++;
        }
    }

    /** A retransmitted READ may request a part, at the PSNs of that part (rules Q5, R5). */
    private int checkReadRetransmission(Opcode opcode, UnsafeBuffer buffer, long seq, WireMessage message) {
        if (!opcode.isReadRequest()) {
            throw failure(opcode + " with " + psn(seq) + ", which belongs to a READ");
        }
        long skipped = (seq - message.firstSeq) * mtu;
        long bytes = Reth.dmaLength(buffer, opcode.rethOffset());
        int count = (int) Math.max(1, (bytes + mtu - 1) / mtu);
        long end = seq + count == message.endSeq() ? message.bytes : skipped + (long) count * mtu;
        if (Reth.virtualAddress(buffer, opcode.rethOffset()) != message.address + skipped || seq + count > message.endSeq()
            || skipped + bytes != end || Reth.rKey(buffer, opcode.rethOffset()) != message.request.remoteKey) {
            throw failure("READ of " + bytes + " bytes retransmitted at " + psn(seq) + " does not match the original of " + message.bytes
                + " bytes at " + psn(message.firstSeq));
        }
        return count;
    }

    /** The responder hands a response to its sink. */
    void onResponseSent(UnsafeBuffer buffer, int length) {
        Opcode opcode = Opcode.of(Bth.opcode(buffer, 0));
        responder.onSent(opcode, seqOf(Bth.psn(buffer, 0)), buffer, length);
    }

    /** An {@link RxeResponder} sends a response, to which the rules for our responder do not apply. */
    void onRxeResponseSent(UnsafeBuffer buffer) {
        responder.markAnswered(Opcode.of(Bth.opcode(buffer, 0)), seqOf(Bth.psn(buffer, 0)));
    }

    /** An {@link RxeResponder} discards a request behind a gap. */
    void onRxeDiscarded(UnsafeBuffer buffer) {
        responder.onDiscarded(Opcode.of(Bth.opcode(buffer, 0)), seqOf(Bth.psn(buffer, 0)), buffer);
    }

    /** A genuine request or response arrives at the other NIC. */
    void onDelivered(UnsafeBuffer buffer, int length, long nowNs) {
        Opcode opcode = Opcode.of(Bth.opcode(buffer, 0));
        long seq = seqOf(Bth.psn(buffer, 0));
        if (opcode.isRequest()) {
            responder.onRequestDelivered(opcode, seq, buffer);
            return;
        }
        credits.onDelivered(opcode, buffer);
        keepAlive.onAnswer();
        onReportDelivered(opcode, buffer, length);
        if (seq < nextSeq && seq >= ackedSeq) {
            RequesterRules.onResponse(this, opcode, seq, buffer, nowNs);
            noteMissingResponse();
        } else if (seq == nextSeq) {
            RequesterRules.onResponseAhead(this, opcode, seq, buffer);
            noteMissingResponse();
        }
    }

    /** A gap report: everything before the expected PSN was executed (rule G2). */
    private void onReportDelivered(Opcode opcode, UnsafeBuffer buffer, int length) {
        int at = opcode.headerLength();
        if (opcode.isAck() && GapReport.isValid(buffer, at, HeaderValidator.payloadLength(buffer, 0, length, opcode))) {
            long expected = seqOf(GapReport.expectedPsn(buffer, at));
            if (expected <= nextSeq) {
                executedTo(expected);
                advance();
            }
        }
    }

    /** Counts a missing response: a later response has overtaken the one at the acknowledged edge. */
    private void noteMissingResponse() {
        if (ackedSeq == nextSeq || missingSeq == ackedSeq) {
            return;
        }
        WireMessage message = packet(ackedSeq).message;
        if (message.isReadOrAtomic() && (message.isOvertaken() || executedSeq >= message.endSeq())) {
            missingSeq = ackedSeq;
            overtakenResponses++;
        }
    }

    /** Gaps in the requests that reached the responder. */
    long gaps() {
        return responder.gaps();
    }

    /** For {@link RequesterRules}: everything before a sequence number was executed. */
    void executedTo(long seq) {
        executedSeq = Math.max(executedSeq, seq);
    }

    boolean isExecuted(long seq) {
        return seq < executedSeq;
    }

    /** Advances the acknowledged edge as far as responses have arrived. */
    void advance() {
        long before = ackedSeq;
        while (ackedSeq < nextSeq) {
            WireMessage message = packet(ackedSeq).message;
            message.executedTo(executedSeq);
            long edge = message.isReadOrAtomic() ? message.firstSeq + message.arrivedEdge() : Math.min(executedSeq, message.endSeq());
            ackedSeq = Math.max(ackedSeq, edge);
            if (ackedSeq < message.endSeq()) {
                break;
            }
            executedSeq = Math.max(executedSeq, ackedSeq);
        }
        if (ackedSeq > before) {
            retries.onProgress();
        }
        if (executedSeq > rnrSeq) {
            // A retransmission of the packet was executed: the RNR NAK answered an earlier transmission.
            rnrUntilNs = Long.MIN_VALUE;
        }
    }

    /** An RNR NAK starts an RNR wait. A duplicate of an RNR NAK that was counted before changes nothing. */
    void receiverNotReady(long seq, long delayNs, long nowNs) {
        rnrNaks++;
        retries.receiverNotReady(seq);
        int transmissions = packet(seq).transmissions;
        if (nowNs >= rnrUntilNs && (seq != rnrSeq || transmissions != rnrTransmissions)) {
            rnrSeq = seq;
            rnrTransmissions = transmissions;
            rnrUntilNs = nowNs + delayNs;
        }
    }

    /** A request completed with success: its response must have arrived. */
    void checkAnswered(Request request) {
        if (request.endSeq < 0 || ackedSeq < request.endSeq) {
            throw failure(request + " completed with success, but was " + (request.endSeq < 0 ? "not even sent" : "not acknowledged"));
        }
    }

    /** Saves the state: the queue pair of the requester has just failed. */
    void freeze() {
        if (!frozen) {
            frozen = true;
            keepAlive.freeze();
            retries.freeze();
        }
    }
}
