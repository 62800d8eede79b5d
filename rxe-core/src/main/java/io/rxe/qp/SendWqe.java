package io.rxe.qp;

import io.rxe.memory.ScatterGatherList;
import io.rxe.port.Flow;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A slot of the send queue: what was posted, and how far it has come.
 *
 * <p>The application's thread fills the upper half before the slot is published; the rest belongs to the engine from then on until the
 * slot is released.
 *
 * <p>Sequence numbers here are 64 bits wide and never wrap; their low 24 bits are the PSN on the wire.
 */
public final class SendWqe {
    /** How far a request has come (rxe: wqe_state). */
    public enum State {
        /** Waits in the queue; nothing of it was sent. */
        POSTED,
        /** Some of its packets were sent. */
        PROCESSING,
        /** All of its packets were sent, not all are acknowledged. */
        PENDING,
        /** Answered; completes when all before it have. */
        DONE,
        /** Failed on this side; completes with its status when all before it have. */
        ERROR
    }

    private static final UnsafeBuffer NO_BYTES = new UnsafeBuffer(new byte[0]);

    // Posted.
    private final ScatterGatherList scatterGather = new ScatterGatherList();
    private UnsafeBuffer inlineBytes = NO_BYTES;
    private long id;
    private Operation operation;
    private boolean signaled;
    private boolean solicited;
    private boolean fence;
    private boolean inline;
    private int immediateOrKey;
    private long remoteAddress;
    private int remoteKey;
    private long compare;
    private long swapOrAdd;
    private long lengthBytes;
    private Flow datagramFlow;
    private int datagramQpn;
    private int datagramQueueKey;

    // Engine.
    private State state;
    private CompletionStatus status;
    private String explanation;
    private long firstSeq;
    private long packets;
    private long messageNumber;
    private final ReadProgress read = new ReadProgress();

    /** Application: takes over a request, which the caller has checked. */
    public void fill(WorkRequest request) {
        id = request.id();
        operation = request.operation();
        signaled = request.isSignaled();
        solicited = request.isSolicited();
        fence = request.isFence();
        inline = request.isInline();
        immediateOrKey = operation == Operation.SEND_WITH_INVALIDATE ? request.invalidateKey() : request.immediate();
        remoteAddress = request.remoteAddress();
        remoteKey = request.remoteKey();
        compare = request.compareValue();
        swapOrAdd = request.swapOrAddValue();
        datagramFlow = request.addressHandle() == null ? null : request.addressHandle().flow();
        datagramQpn = request.remoteQpn();
        datagramQueueKey = request.remoteQueueKey();
        if (inline) {
            fillInline(request.inlineData());
        } else {
            scatterGather.copyFrom(request.scatterGather());
            lengthBytes = operation.isAtomic() ? Long.BYTES : scatterGather.totalBytes();
        }
        state = State.POSTED;
        status = CompletionStatus.SUCCESS;
        explanation = "";
        packets = 0;
    }

    private void fillInline(ByteBuffer data) {
        scatterGather.clear();
        lengthBytes = data.remaining();
        if (inlineBytes.capacity() < lengthBytes) {
            inlineBytes = new UnsafeBuffer(ByteBuffer.allocateDirect((int) lengthBytes));
        }
        inlineBytes.putBytes(0, data, data.position(), data.remaining());
    }

    /** Begins it: gives it sequence numbers. */
    public void begin(long seq, long message, int mtu, int readChunkPackets) {
        firstSeq = seq;
        messageNumber = message;
        packets = operation.isAtomic() ? 1 : Math.max(1, (lengthBytes + mtu - 1) / mtu);
        state = State.PROCESSING;
        if (operation.isReadOrAtomic()) {
            read.begin(packets, readChunkPackets);
        }
    }

    /** All of it was sent. */
    public void sent() {
        state = State.PENDING;
    }

    /** It is acknowledged or answered. */
    public void done() {
        state = State.DONE;
    }

    /** It failed on this side. */
    public void fail(CompletionStatus newStatus, String why) {
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

    /** How it ends; SUCCESS unless it failed on this side. */
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

    /** One past the sequence number of its last packet; grows with its packets only when it begins. */
    public long endSeq() {
        return firstSeq + packets;
    }

    /** Packets of the message, or response packets of a READ; at least 1 once begun. */
    public long packets() {
        return packets;
    }

    /** Its place in the sequence of messages, from 1; what the peer counts in the MSN. */
    public long messageNumber() {
        return messageNumber;
    }

    /** What has been asked for and has arrived of a READ or atomic. */
    public ReadProgress read() {
        return read;
    }

    public ScatterGatherList scatterGather() {
        return scatterGather;
    }

    public UnsafeBuffer inlineBytes() {
        return inlineBytes;
    }

    public boolean isInline() {
        return inline;
    }

    public long id() {
        return id;
    }

    public Operation operation() {
        return operation;
    }

    public boolean isSignaled() {
        return signaled;
    }

    public boolean isSolicited() {
        return solicited;
    }

    public boolean isFence() {
        return fence;
    }

    /** Immediate data, or the key to invalidate. */
    public int immediateOrKey() {
        return immediateOrKey;
    }

    public long remoteAddress() {
        return remoteAddress;
    }

    public int remoteKey() {
        return remoteKey;
    }

    public long compareValue() {
        return compare;
    }

    public long swapOrAddValue() {
        return swapOrAdd;
    }

    /** UD: the way to the peer; null on a connected queue pair. */
    public Flow datagramFlow() {
        return datagramFlow;
    }

    public int datagramQpn() {
        return datagramQpn;
    }

    public int datagramQueueKey() {
        return datagramQueueKey;
    }

    /** Bytes of the message. */
    public long lengthBytes() {
        return lengthBytes;
    }
}
