package io.rxe.qp.responder;

import io.rxe.qp.congestion.SendRate;

/**
 * A READ, an atomic, an ATOMIC_WRITE or a FLUSH in progress, and afterwards
 * what is remembered of it for duplicates (rules R5 to R7; rxe: struct resp_res).
 *
 * <p>Owned by the engine thread; one slot of the ring in {@link ResponseQueue}.
 */
final class ResponderResource {
    /** The operation that it responds to. */
    enum Kind {
        /** Data from memory, read when a response is sent. */
        READ,
        /** The value that an atomic found. */
        ATOMIC,
        /** An empty READ response: an ATOMIC_WRITE or a FLUSH was carried out. */
        CONFIRMATION
    }

    private Kind kind = Kind.READ;
    private boolean flush;
    /** The protection domain whose memory a READ reads. */
    private int domain;
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
    private long order;
    private long arrivedNs;
    private long bytesPerSecond;
    private int requestWaitCode;
    private boolean retransmissionExpected;

    /** Responses of a READ. */
    static long packets(long bytes, int mtu) {
        return Math.max(1, (bytes + mtu - 1) / mtu);
    }

    /** A READ: each response is read from memory when it is sent. */
    void read(int inDomain, long seq, long va, int rKey, long bytes, int mtu, int msn) {
        kind = Kind.READ;
        flush = false;
        domain = inDomain;
        firstSeq = seq;
        packets = packets(bytes, mtu);
        sent = 0;
        address = va;
        key = rKey;
        lengthBytes = bytes;
        messageSequenceNumber = msn;
        bytesPerSecond = SendRate.UNPACED;
        requestWaitCode = 0;
    }

    /** An atomic that was executed; its result is kept for duplicates. */
    void atomic(long seq, long original, int msn) {
        kind = Kind.ATOMIC;
        flush = false;
        firstSeq = seq;
        packets = 1;
        sent = 0;
        lengthBytes = 0;
        originalValue = original;
        messageSequenceNumber = msn;
        bytesPerSecond = SendRate.UNPACED;
        requestWaitCode = 0;
    }

    /** An ATOMIC_WRITE or a FLUSH that was carried out; it is remembered for duplicates. */
    void confirm(boolean isFlush, long seq, int msn) {
        atomic(seq, 0, msn);
        kind = Kind.CONFIRMATION;
        flush = isFlush;
    }

    /** The response to a duplicate of an atomic, ATOMIC_WRITE or FLUSH, with the current MSN (rule R15). */
    void replay(ResponderResource original, int msn) {
        atomic(original.firstSeq, original.originalValue, msn);
        kind = original.kind;
    }

    /** Its place in the order in which requests became due. */
    void order(long newOrder) {
        order = newOrder;
    }

    /** When the request may have arrived at this host: then, or later. */
    void arrivedNs(long ns) {
        arrivedNs = ns;
    }

    long arrivedNs() {
        return arrivedNs;
    }

    long order() {
        return order;
    }

    /** How fast its responses may leave, in bytes of payload (rule G9), and how long its request waited on its way (rule G10). */
    void tell(long mostBytesPerSecond, int waitCode) {
        bytesPerSecond = mostBytesPerSecond;
        requestWaitCode = waitCode;
    }

    long bytesPerSecond() {
        return bytesPerSecond;
    }

    int requestWaitCode() {
        return requestWaitCode;
    }

    /** Remembers the request served last, and when, to recognize a copy of it. */
    void served(long seq, long bytes, boolean ackRequest, long nowNs) {
        servedSeq = seq;
        servedBytes = bytes;
        servedAckRequest = ackRequest;
        servedNs = nowNs;
        copySeen = false;
    }

    /** Whether this is the first copy of the request served last. */
    boolean isFirstCopy() {
        boolean first = !copySeen;
        copySeen = true;
        return first;
    }

    /** Whether a request is identical to the one served last. */
    boolean isSameAsServed(long seq, long bytes, boolean ackRequest) {
        return seq == servedSeq && bytes == servedBytes && ackRequest == servedAckRequest;
    }

    /**
     * After a needless NAK: the request was late, but it is the original (AckReq set). So a retransmission is on its way that needs no
     * response.
     */
    void expectRetransmission(boolean expected) {
        retransmissionExpected = expected;
    }

    /** Whether this is that retransmission; true once. */
    boolean isExpectedRetransmission(long seq, boolean ackRequest) {
        boolean is = retransmissionExpected && seq == firstSeq && !ackRequest;
        retransmissionExpected &= !is;
        return is;
    }

    /** When the request served last arrived. */
    long servedNs() {
        return servedNs;
    }

    Kind kind() {
        return kind;
    }

    boolean isFlush() {
        return flush;
    }

    int domain() {
        return domain;
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

    /** Payload of the next response to a READ. */
    int nextBytes(int mtu) {
        return (int) Math.min(mtu, lengthBytes - sent * mtu);
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

    long originalValue() {
        return originalValue;
    }

    int messageSequenceNumber() {
        return messageSequenceNumber;
    }

    /** Whether a duplicate READ is part of this one: same key, and its address and PSN ranges inside (rule R5). */
    boolean covers(long seq, long va, int rKey, long bytes, int mtu) {
        long count = packets(bytes, mtu);
        long offset = va - address;
        return kind == Kind.READ && rKey == key && seq >= firstSeq && seq + count <= endSeq()
            && Long.compareUnsigned(offset, lengthBytes) <= 0 && bytes <= lengthBytes - offset;
    }
}
