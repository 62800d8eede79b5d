package io.rxe.verbs;

/**
 * One completion, filled in by {@link CompletionQueue#poll}; {@code ibv_wc}. Create a few and reuse them.
 *
 * <p>After an error only {@link #workRequestId}, {@link #status}, {@link #queuePair}, {@link #queuePairNumber} and {@link #explanation} are
 * valid, and {@link #timestampNs} where the queue has timestamps. {@link #isValid} tells it of each field that is not always valid. Not
 * thread safe: owned by the thread that polls.
 */
public final class WorkCompletion {
    /** Fields that a completion may have; {@link #isValid} says whether this one has them. */
    public enum Field {
        /** {@link #operation}: on success. */
        OPERATION,
        /** {@link #byteLength}: on success. */
        BYTE_LENGTH,
        /** {@link #immediate}: the peer sent immediate data. */
        IMMEDIATE,
        /** {@link #invalidatedKey}: the peer invalidated a key. */
        INVALIDATED_KEY,
        /** {@link #sourceQueuePairNumber} and {@link #partitionKeyIndex}: a datagram was received. */
        SOURCE,
        /** {@link #dataOffset}: the first 40 bytes of the receive buffer hold a GRH. */
        GRH,
        /** {@link #timestampNs} and {@link #wallClockNs}: the completion queue was created with timestamps. */
        TIMESTAMP;

        private final int bit = 1 << ordinal();
    }

    private static final int GRH_BYTES = 40;
    private static final int ON_SUCCESS = Field.OPERATION.bit | Field.BYTE_LENGTH.bit;

    /** Bits of the valid fields. */
    private int valid;
    private long workRequestId;
    private CompletionStatus status = CompletionStatus.SUCCESS;
    private Operation operation = Operation.SEND;
    private long byteLength;
    private int immediate;
    private int invalidatedKey;
    private boolean solicited;
    private QueuePair queuePair;
    private int queuePairNumber;
    private int sourceQueuePairNumber;
    private int partitionKeyIndex;
    private long timestampNs;
    private long wallClockNs;
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

    /** Whether a field is valid in this completion; {@code wc_flags}, and what extended completions of libibverbs add. */
    public boolean isValid(Field field) {
        return (valid & field.bit) != 0;
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
        return isValid(Field.IMMEDIATE);
    }

    /** The four bytes of immediate data, read as a big-endian number; valid when {@link #hasImmediate}. */
    public int immediate() {
        return immediate;
    }

    /** Whether the peer invalidated a key (SEND_WITH_INVALIDATE). */
    public boolean hasInvalidatedKey() {
        return isValid(Field.INVALIDATED_KEY);
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
        return isValid(Field.GRH);
    }

    /** Where the data of a receive begin in its buffer: behind the GRH of a datagram, 40, else 0. */
    public int dataOffset() {
        return hasGrh() ? GRH_BYTES : 0;
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

    /** Index in {@link Device#partitionKeys} of the P_Key that a datagram matched; valid for UD receives, and 0 otherwise. */
    public int partitionKeyIndex() {
        return isValid(Field.SOURCE) ? partitionKeyIndex : 0;
    }

    /**
     * When the engine completed the request, in nanoseconds since the device was opened: the time at which its current round began, so
     * that requests completed together have the same; {@code ibv_wc_read_completion_ts}. Valid with {@link Field#TIMESTAMP}, after errors
     * too, and 0 otherwise.
     */
    public long timestampNs() {
        return isValid(Field.TIMESTAMP) ? timestampNs : 0;
    }

    /**
     * The same instant in nanoseconds since 1970: the time of day when the device was opened plus {@link #timestampNs}, so that it never
     * goes back and ignores clocks that are set later; {@code ibv_wc_read_completion_wallclock_ns}. Valid with {@link Field#TIMESTAMP},
     * and 0 otherwise.
     */
    public long wallClockNs() {
        return isValid(Field.TIMESTAMP) ? wallClockNs : 0;
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
        valid = newStatus == CompletionStatus.SUCCESS ? ON_SUCCESS : 0;
        byteLength = 0;
        immediate = 0;
        invalidatedKey = 0;
        solicited = false;
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
        valid |= Field.IMMEDIATE.bit;
        return this;
    }

    /** Used by the NIC. */
    public WorkCompletion invalidatedKey(int key) {
        invalidatedKey = key;
        valid |= Field.INVALIDATED_KEY.bit;
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
        valid |= Field.SOURCE.bit | Field.GRH.bit;
        return this;
    }

    /** Used by the NIC, with {@link #source}. */
    public WorkCompletion partitionKeyIndex(int index) {
        partitionKeyIndex = index;
        return this;
    }

    /** Used by the NIC, and only for a queue with timestamps. */
    public void timestamps(long sinceOpenNs, long epochNs) {
        timestampNs = sinceOpenNs;
        wallClockNs = epochNs;
        valid |= Field.TIMESTAMP.bit;
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
        invalidatedKey = other.invalidatedKey;
        solicited = other.solicited;
        queuePairNumber = other.queuePairNumber;
        sourceQueuePairNumber = other.sourceQueuePairNumber;
        partitionKeyIndex = other.partitionKeyIndex;
        explanation = other.explanation;
        valid = other.valid;
        if ((valid & Field.TIMESTAMP.bit) != 0) {
            timestampNs = other.timestampNs;
            wallClockNs = other.wallClockNs;
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(96);
        text.append("wr ").append(workRequestId).append(' ').append(status).append(' ').append(operation)
            .append(" qp 0x").append(Integer.toHexString(queuePairNumber)).append(' ').append(byteLength).append(" bytes");
        if (hasImmediate()) {
            text.append(" imm 0x").append(Integer.toHexString(immediate));
        }
        if (!explanation.isEmpty()) {
            text.append(": ").append(explanation);
        }
        return text.toString();
    }
}
