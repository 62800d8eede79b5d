package io.rxe.qp.send;

import io.rxe.port.Flow;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A slot of the send queue: the posted request and its progress.
 *
 * <p>The application's thread fills in the posted fields before it publishes the slot. From then on the slot belongs to the engine, until
 * it is released.
 *
 * <p>Sequence numbers here are 64 bits wide and never wrap; their low 24 bits are the PSN on the wire.
 */
public final class SendWqe extends WorkRequest {
    /** Progress of a request (rxe: wqe_state). */
    public enum State {
        /** Queued; no packet of it was sent. */
        POSTED,
        /** Some of its packets were sent. */
        PROCESSING,
        /** All of its packets were sent, not all are acknowledged. */
        PENDING,
        /** Acknowledged; completes when all before it have. */
        DONE,
        /** Failed locally; completes with its status when all before it have. */
        ERROR
    }

    private static final UnsafeBuffer NO_BYTES = new UnsafeBuffer(new byte[0]);

    // Posted, with what WorkRequest has.
    private UnsafeBuffer inlineBytes = NO_BYTES;
    private boolean sendsInlineBytes;
    private long lengthBytes;
    private Flow datagramFlow;
    private LocalRequest local;

    // Engine.
    private State state;
    private CompletionStatus status;
    /** What a refused request completes with; null for LOC_QP_OP_ERR. */
    private CompletionStatus refusedStatus;
    private String explanation;
    private long firstSeq;
    private long packets;
    private long messageNumber;
    private final ReadProgress read = new ReadProgress();
    private int flushTransmissions;
    private boolean coveredTwice;

    /**
     * Application: takes a request, which the caller has checked.
     *
     * @param request copied; or this slot, in which the application has filled it in.
     */
    public void fill(WorkRequest request) {
        datagramFlow = request.addressHandle() == null ? null : request.addressHandle().flow();
        sendsInlineBytes = request.isInline() && !request.operation().isLocal();
        if (sendsInlineBytes) {
            copyInline(request.inlineData());
        }
        if (request == this) {
            releaseObjects();
        } else {
            copyFrom(request);
        }
        if (operation().isLocal()) {
            lengthBytes = 0;
        } else if (!sendsInlineBytes) {
            lengthBytes = operation().isAtomic() ? Long.BYTES : scatterGather().totalBytes();
        }
        state = State.POSTED;
        status = CompletionStatus.SUCCESS;
        explanation = "";
        packets = 0;
    }

    /**
     * Application: a request without a refusal of its own is to fail with a status when its turn comes; null for none, after every
     * {@link #fill} of a queue pair that calls this.
     */
    public void failAs(CompletionStatus planned, String why) {
        refusedStatus = planned;
        if (planned != null) {
            refuse(why);
        }
    }

    /** The status of a request that has a {@link #refusal}. */
    public CompletionStatus refusedStatus() {
        return refusedStatus == null ? CompletionStatus.LOC_QP_OP_ERR : refusedStatus;
    }

    private void copyInline(ByteBuffer data) {
        lengthBytes = data.remaining();
        if (inlineBytes.capacity() < lengthBytes) {
            inlineBytes = new UnsafeBuffer(ByteBuffer.allocateDirect((int) lengthBytes));
        }
        inlineBytes.putBytes(0, data, data.position(), data.remaining());
    }

    /** Gives the request its sequence numbers. */
    public void begin(long seq, long message, int mtu, int readChunkPackets) {
        firstSeq = seq;
        messageNumber = message;
        // The division is a good part of what a short message costs.
        packets = operation().isAtomic() || lengthBytes <= mtu ? 1 : (lengthBytes + mtu - 1) / mtu;
        state = State.PROCESSING;
        flushTransmissions = 0;
        if (operation().isReadOrAtomic()) {
            read.begin(packets, readChunkPackets);
        }
    }

    /** A request without packets has run. It takes its place in the order of completions, between two sequence numbers. */
    void ranLocally(long seq, long message) {
        firstSeq = seq;
        messageNumber = message;
        packets = 0;
        state = State.PENDING;
    }

    /** All of its packets were sent. */
    public void sent() {
        state = State.PENDING;
    }

    /** All of its packets are acknowledged. */
    public void done() {
        state = State.DONE;
    }

    /** The request failed. The first failure stands. */
    public void fail(CompletionStatus newStatus, String why) {
        if (state == State.ERROR) {
            return;
        }
        state = State.ERROR;
        status = newStatus;
        explanation = why;
    }

    /** Payload bytes of the packet at an index of this message. */
    public int payloadBytes(long index, int mtu) {
        return (int) payloadBytes(index, index + 1, mtu);
    }

    /** Payload bytes of the packets from one index to another, exclusive. */
    public long payloadBytes(long index, long endIndex, int mtu) {
        return Math.min((endIndex - index) * mtu, lengthBytes - index * mtu);
    }

    public State state() {
        return state;
    }

    /** The status it completes with; SUCCESS unless it failed. */
    public CompletionStatus status() {
        return status;
    }

    public String explanation() {
        return explanation;
    }

    /** Sequence number of its first packet. */
    public long firstSeq() {
        return firstSeq;
    }

    /** One past the sequence number of its last packet. */
    public long endSeq() {
        return firstSeq + packets;
    }

    /** Packets of the message, or response packets of a READ; at least 1 once begun, but 0 for a request that sends none. */
    public long packets() {
        return packets;
    }

    /** Its number in the sequence of messages, from 1, as the peer counts them in the MSN. */
    public long messageNumber() {
        return messageNumber;
    }

    /** What was requested and received of a READ or atomic. */
    public ReadProgress read() {
        return read;
    }

    /** What a request without packets changes. */
    public LocalRequest local() {
        if (local == null) {
            local = new LocalRequest();
        }
        return local;
    }

    public UnsafeBuffer inlineBytes() {
        return inlineBytes;
    }

    /** Whether it sends {@link #inlineBytes} instead of memory elements. */
    public boolean sendsInlineBytes() {
        return sendsInlineBytes;
    }

    /** How often this FLUSH was sent. */
    int flushTransmissions() {
        return flushTransmissions;
    }

    /** Whether the ICRC of the last transmission covered the headers twice. */
    boolean wasCoveredTwice() {
        return coveredTwice;
    }

    void flushTransmitted(boolean isCoveredTwice) {
        flushTransmissions++;
        coveredTwice = isCoveredTwice;
    }

    /** UD: the flow to the peer; null on a connected queue pair. */
    public Flow datagramFlow() {
        return datagramFlow;
    }

    public long lengthBytes() {
        return lengthBytes;
    }
}
