package io.rxe.sim;

import io.rxe.verbs.FlushLevel;
import io.rxe.verbs.Operation;

/** One posted work request and the state the checks keep for it. */
final class Request {
    final long id;
    final Operation operation;
    final int length;
    InjectedError error = InjectedError.NONE;
    boolean signaled;
    boolean fence;
    boolean solicited;
    boolean inline;
    /** Payload of a SEND or WRITE. */
    byte[] data;
    /** Offset in the target memory of the peer; unused for SENDs and for atomics on a shared counter. */
    int targetOffset;
    SharedCounter counter;
    /** The window of the peer that it uses, or null. */
    WindowOwner.Window window;
    long compare;
    long operand;
    long remoteAddress;
    int remoteKey;
    int immediate;
    int invalidatedKey;
    /** What a FLUSH names. */
    int flushBytes;
    FlushLevel flushLevel;
    int flushType;
    int localSlot;
    ElementLayout layout;
    /** Its number among the messages that consume a receive request, from 1. */
    long messageNumber;
    /** One past its last sequence number; -1 until all of it was sent for the first time. */
    long endSeq = -1;

    Request(long id, Operation operation, int length) {
        this.id = id;
        this.operation = operation;
        this.length = length;
    }

    boolean takesReceive() {
        return operation.isSend() || operation == Operation.RDMA_WRITE_WITH_IMMEDIATE;
    }

    /** Whether it changes the target memory of the peer. */
    boolean changesTarget() {
        return writes() || operation.isAtomic() && counter == null;
    }

    /** Whether it writes its data to the target memory. */
    boolean writes() {
        return operation.isWrite() || operation == Operation.ATOMIC_WRITE;
    }

    /** Bytes of target memory it reads or writes. */
    int targetBytes() {
        return operation.isAtomic() ? Long.BYTES : length;
    }

    @Override
    public String toString() {
        return operation + " #" + id + " of " + length + " bytes" + (error == InjectedError.NONE ? "" : " (" + error + ")")
            + (fence ? " fenced" : "") + (signaled ? "" : " unsignaled");
    }
}
