package io.rxe.qp.responder;

/**
 * A READ or an atomic in work, and afterwards what is remembered of it for a duplicate (rules R5 to R7; rxe: struct resp_res).
 *
 * <p>Owned by the engine thread; one slot of the ring in {@link Replies}.
 */
final class Reply {
    private boolean atomic;
    private long firstSeq;
    private long packets;
    private long sent;
    private long address;
    private int key;
    private long lengthBytes;
    private long originalValue;
    private int messageSequenceNumber;
    private long servedSeq;
    private long servedBytes;
    private boolean servedAckRequest;
    private long servedNs;
    private boolean copySeen;
    private boolean repetitionExpected;

    /** A READ: its responses are read from memory as they leave. */
    void read(long seq, long va, int rKey, long bytes, int mtu, int msn) {
        atomic = false;
        firstSeq = seq;
        packets = Math.max(1, (bytes + mtu - 1) / mtu);
        sent = 0;
        address = va;
        key = rKey;
        lengthBytes = bytes;
        messageSequenceNumber = msn;
    }

    /** An atomic that was executed: its result must never be lost. */
    void atomic(long seq, long original, int msn) {
        atomic = true;
        firstSeq = seq;
        packets = 1;
        sent = 0;
        lengthBytes = 0;
        originalValue = original;
        messageSequenceNumber = msn;
    }

    /** The answer to a duplicate of an atomic, with the messages completed by now (rule R15). */
    void replayAtomic(Reply original, int msn) {
        atomic(original.firstSeq, original.originalValue, msn);
    }

    /** Remembers which request was answered last and when, to know a copy of it. */
    void served(long seq, long bytes, boolean ackRequest, long nowNs) {
        servedSeq = seq;
        servedBytes = bytes;
        servedAckRequest = ackRequest;
        servedNs = nowNs;
        copySeen = false;
    }

    /** Whether this is the first copy of the request answered last. */
    boolean isFirstCopy() {
        boolean first = !copySeen;
        copySeen = true;
        return first;
    }

    /** Whether a request is the same, bit for bit, as the one answered last. */
    boolean isSameAsServed(long seq, long bytes, boolean ackRequest) {
        return seq == servedSeq && bytes == servedBytes && ackRequest == servedAckRequest;
    }

    /**
     * After a NAK that was needless: the request came late, but in its first copy (AckReq set), so a repetition is on its way that
     * nobody needs to be answered.
     */
    void expectRepetition(boolean expected) {
        repetitionExpected = expected;
    }

    /** Whether this is that repetition; true once. */
    boolean isExpectedRepetition(long seq, boolean ackRequest) {
        boolean is = repetitionExpected && seq == firstSeq && !ackRequest;
        repetitionExpected &= !is;
        return is;
    }

    /** When the request answered last arrived. */
    long servedNs() {
        return servedNs;
    }

    boolean isAtomic() {
        return atomic;
    }

    long firstSeq() {
        return firstSeq;
    }

    long endSeq() {
        return firstSeq + packets;
    }

    long packets() {
        return packets;
    }

    /** Response packets handed to the sink. */
    long sent() {
        return sent;
    }

    void sentOne() {
        sent++;
    }

    boolean isComplete() {
        return sent == packets;
    }

    /** No more responses will leave. */
    void abandon() {
        sent = packets;
    }

    long address() {
        return address;
    }

    int key() {
        return key;
    }

    long lengthBytes() {
        return lengthBytes;
    }

    long originalValue() {
        return originalValue;
    }

    int messageSequenceNumber() {
        return messageSequenceNumber;
    }

    /** Whether a repeated READ lies within this one: same key, address range and PSN range inside (rule R5). */
    boolean covers(long seq, long va, int rKey, long bytes, int mtu) {
        long count = Math.max(1, (bytes + mtu - 1) / mtu);
        long offset = va - address;
        return !atomic && rKey == key && seq >= firstSeq && seq + count <= endSeq()
            && Long.compareUnsigned(offset, lengthBytes) <= 0 && bytes <= lengthBytes - offset;
    }
}
