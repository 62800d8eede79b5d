package io.rxe.sim;

import io.rxe.verbs.Operation;

/** One posted work request, and what is known of it. */
final class Request {
    final long id;
    final Operation operation;
    final int length;
    Wrong wrong = Wrong.NONE;
    boolean signaled;
    boolean fence;
    boolean solicited;
    boolean inline;
    /** Payload of a SEND or WRITE. */
    byte[] data;
    /** Where it goes in the peer's window; unused for SENDs and for atomics on a shared counter. */
    int targetOffset;
    SharedCounter counter;
    long compare;
    long operand;
    long remoteAddress;
    int remoteKey;
    int immediate;
    int invalidatedKey;
    int localSlot;
    Pieces pieces;
    /** Which of the messages that take a receive request it is, from 1. */
    long messageNumber;
    /** One past its last sequence number on the wire; -1 until all of it was sent for the first time. */
    long endSeq = -1;

    Request(long id, Operation operation, int length) {
        this.id = id;
        this.operation = operation;
        this.length = length;
    }

    boolean takesReceive() {
        return operation.isSend() || operation == Operation.RDMA_WRITE_WITH_IMMEDIATE;
    }

    /** Whether it changes the peer's window. */
    boolean changesWindow() {
        return operation.isWrite() || operation.isAtomic() && counter == null;
    }

    /** Bytes of the window it reads or writes. */
    int windowBytes() {
        return operation.isAtomic() ? Long.BYTES : length;
    }

    @Override
    public String toString() {
        return operation + " #" + id + " of " + length + " bytes" + (wrong == Wrong.NONE ? "" : " (" + wrong + ")")
            + (fence ? " fenced" : "") + (signaled ? "" : " unsignaled");
    }
}
