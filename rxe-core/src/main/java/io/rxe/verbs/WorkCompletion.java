package io.rxe.verbs;

/**
 * One completion, filled in by {@link CompletionQueue#poll}; {@code ibv_wc}. Create a few and reuse them.
 *
 * <p>After an error only {@link #workRequestId}, {@link #status}, {@link #queuePair}, {@link #queuePairNumber} and {@link #explanation} are
 * valid. Not thread safe: owned by the thread that polls.
 */
public final class WorkCompletion {
    private static final int GRH_BYTES = 40;

    private long workRequestId;
    private CompletionStatus status = CompletionStatus.SUCCESS;
    private Operation operation = Operation.SEND;
    private long byteLength;
    private int immediate;
    private boolean hasImmediate;
    private int invalidatedKey;
    private boolean hasInvalidatedKey;
    private boolean solicited;
    private boolean hasGrh;
    private QueuePair queuePair;
    private int queuePairNumber;
    private int sourceQueuePairNumber;
    private String explanation = "";

    /** Id of the request, given by the application. */
    public long workRequestId() {
        return workRequestId;
    }

    public CompletionStatus status() {
        return status;
    }

    public boolean isSuccess() {
        return status == CompletionStatus.SUCCESS;
    }

    /** Operation of the request. Valid on success. */
    public Operation operation() {
        return operation;
    }

    /** Bytes received (on a UD queue pair including the 40 bytes of the GRH), bytes read, or 8 for an atomic. Valid on success. */
    public long byteLength() {
        return byteLength;
    }

    /** Whether the peer sent immediate data. */
    public boolean hasImmediate() {
        return hasImmediate;
    }

    /** The four bytes of immediate data, read as a big-endian number; valid when {@link #hasImmediate}. */
    public int immediate() {
        return immediate;
    }

    /** Whether the peer invalidated a key (SEND_WITH_INVALIDATE). */
    public boolean hasInvalidatedKey() {
        return hasInvalidatedKey;
    }

    /** The key the peer invalidated; valid when {@link #hasInvalidatedKey}. */
    public int invalidatedKey() {
        return invalidatedKey;
    }

    /** Whether the peer set the solicited event bit. */
    public boolean isSolicited() {
        return solicited;
    }

    /** Whether the first 40 bytes of the receive buffer hold a GRH: true for every UD receive. */
    public boolean hasGrh() {
        return hasGrh;
    }

    /** Where the data of a receive begin in its buffer: behind the GRH of a datagram, 40, else 0. */
    public int dataOffset() {
        return hasGrh ? GRH_BYTES : 0;
    }

    /** Bytes of data received, without the GRH. Valid on success. */
    public long dataLength() {
        return byteLength - dataOffset();
    }

    /**
     * The local queue pair, whose {@link QueuePair#attachment} leads to the application's own object. Null in a completion that was never
     * filled in.
     */
    public QueuePair queuePair() {
        return queuePair;
    }

    /** Number of the local queue pair. */
    public int queuePairNumber() {
        return queuePairNumber;
    }

    /** Number of the sender's queue pair; valid for UD receives. */
    public int sourceQueuePairNumber() {
        return sourceQueuePairNumber;
    }

    /** On an error: the request, the peer and what to check. Empty on success and on a flush. */
    public String explanation() {
        return explanation;
    }

    /** Used by the NIC: sets the fields that every completion has and resets all others. */
    public WorkCompletion reset(long id, CompletionStatus newStatus, Operation newOperation, int qpNumber) {
        workRequestId = id;
        status = newStatus;
        operation = newOperation;
        queuePairNumber = qpNumber;
        byteLength = 0;
        immediate = 0;
        hasImmediate = false;
        invalidatedKey = 0;
        hasInvalidatedKey = false;
        solicited = false;
        hasGrh = false;
        sourceQueuePairNumber = 0;
        explanation = "";
        return this;
    }

    /** Used by the NIC. */
    public WorkCompletion queuePair(QueuePair owner) {
        if (queuePair != owner) {
            // Mostly the same as before, and storing a reference costs the garbage collector more than comparing it.
            queuePair = owner;
        }
        return this;
    }

    /** Used by the NIC. */
    public WorkCompletion byteLength(long bytes) {
        byteLength = bytes;
        return this;
    }

    /** Used by the NIC. */
    public WorkCompletion immediate(int value) {
        immediate = value;
        hasImmediate = true;
        return this;
    }

    /** Used by the NIC. */
    public WorkCompletion invalidatedKey(int key) {
        invalidatedKey = key;
        hasInvalidatedKey = true;
        return this;
    }

    /** Used by the NIC. */
    public WorkCompletion solicited(boolean isSolicited) {
        solicited = isSolicited;
        return this;
    }

    /** Used by the NIC. */
    public WorkCompletion source(int qpNumber) {
        sourceQueuePairNumber = qpNumber;
        hasGrh = true;
        return this;
    }

    /** Used by the NIC. */
    public WorkCompletion explanation(String text) {
        explanation = text;
        return this;
    }

    /** Copies all fields of another completion. */
    public void copyFrom(WorkCompletion other) {
        queuePair(other.queuePair);
        workRequestId = other.workRequestId;
        status = other.status;
        operation = other.operation;
        byteLength = other.byteLength;
        immediate = other.immediate;
        hasImmediate = other.hasImmediate;
        invalidatedKey = other.invalidatedKey;
        hasInvalidatedKey = other.hasInvalidatedKey;
        solicited = other.solicited;
        hasGrh = other.hasGrh;
        queuePairNumber = other.queuePairNumber;
        sourceQueuePairNumber = other.sourceQueuePairNumber;
        explanation = other.explanation;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(96);
        text.append("wr ").append(workRequestId).append(' ').append(status).append(' ').append(operation)
            .append(" qp 0x").append(Integer.toHexString(queuePairNumber)).append(' ').append(byteLength).append(" bytes");
        if (hasImmediate) {
            text.append(" imm 0x").append(Integer.toHexString(immediate));
        }
        if (!explanation.isEmpty()) {
            text.append(": ").append(explanation);
        }
        return text.toString();
    }
}
