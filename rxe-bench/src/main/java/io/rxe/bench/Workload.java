package io.rxe.bench;

import io.rxe.verbs.Operation;
import java.util.ArrayList;
import java.util.List;

/**
 * One thing to do many times.
 *
 * @param operation what to post.
 * @param sizeBytes length of a message; 8 for atomics, always.
 */
public record Workload(Operation operation, int sizeBytes) {
    /** Length of an atomic operand. */
    public static final int ATOMIC_BYTES = 8;

    /** @throws IllegalArgumentException for a negative size, or an atomic of other than eight bytes. */
    public Workload {
        if (sizeBytes < 0) {
            throw new IllegalArgumentException("message size " + sizeBytes + " < 0");
        }
        if (isAtomic(operation) && sizeBytes != ATOMIC_BYTES) {
            throw new IllegalArgumentException("an atomic moves 8 bytes, not " + sizeBytes);
        }
    }

    /** Every operation with every size; atomics once. */
    public static List<Workload> of(List<Operation> operations, List<Integer> sizes) {
        List<Workload> all = new ArrayList<>();
        for (Operation operation : operations) {
            if (isAtomic(operation)) {
                all.add(new Workload(operation, ATOMIC_BYTES));
            } else {
                sizes.forEach(size -> all.add(new Workload(operation, size)));
            }
        }
        return all;
    }

    /** Whether the peer needs a receive request for each message. */
    public boolean takesReceive() {
        return operation == Operation.SEND || operation == Operation.SEND_WITH_IMMEDIATE
            || operation == Operation.RDMA_WRITE_WITH_IMMEDIATE;
    }

    /** Whether the message carries four bytes of immediate data. */
    public boolean hasImmediate() {
        return operation == Operation.SEND_WITH_IMMEDIATE || operation == Operation.RDMA_WRITE_WITH_IMMEDIATE;
    }

    public boolean isAtomic() {
        return isAtomic(operation);
    }

    private static boolean isAtomic(Operation operation) {
        return operation == Operation.COMPARE_AND_SWAP || operation == Operation.FETCH_AND_ADD;
    }

    @Override
    public String toString() {
        return OperationNames.label(operation) + " of " + sizeBytes + (sizeBytes == 1 ? " byte" : " bytes");
    }
}
