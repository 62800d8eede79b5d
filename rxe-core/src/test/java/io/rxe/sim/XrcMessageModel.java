package io.rxe.sim;

import io.rxe.verbs.Operation;

/**
 * A message that takes a receive request.
 *
 * @param operation what it is at the sender.
 * @param immediate its immediate data; 0 without.
 * @param data      bytes of a SEND.
 * @param bytes     length, also of a WRITE.
 */
record XrcMessageModel(Operation operation, int immediate, byte[] data, int bytes) {
    boolean isWrite() {
        return operation == Operation.RDMA_WRITE_WITH_IMMEDIATE;
    }
}
