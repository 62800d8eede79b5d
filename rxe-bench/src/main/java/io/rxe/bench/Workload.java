package io.rxe.bench;

import io.rxe.verbs.Operation;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * One operation with one message size, measured many times.
 *
 * @param operation operation to post.
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

    /**
     * A request for one message between two buffers.
     *
     * @param localOffset  place of the message in {@code local}; the result of an atomic goes there.
     * @param remoteOffset place of the message in {@code remote}; unused by SENDs.
     * @param immediate    immediate data; unused if the operation has none.
     */
    WorkRequest request(RegisteredBuffer local, int localOffset, RegisteredBuffer remote, int remoteOffset, int immediate) {
        WorkRequest request = begin(new WorkRequest(), remote.address(remoteOffset), remote.region().rKey(), immediate);
        return sizeBytes > 0 ? request.add(local.region(), localOffset, sizeBytes) : request;
    }

    /** The operation of a request, without local memory; an atomic adds 1, or swaps 0 for 0. */
    WorkRequest begin(WorkRequest request, long address, int key, int immediate) {
        return switch (operation) {
            case SEND -> request.send();
            case SEND_WITH_IMMEDIATE -> request.sendWithImmediate(immediate);
            case RDMA_WRITE -> request.write(address, key);
            case RDMA_WRITE_WITH_IMMEDIATE -> request.writeWithImmediate(address, key, immediate);
            case RDMA_READ -> request.read(address, key);
            case COMPARE_AND_SWAP -> request.compareAndSwap(address, key, 0, 0);
            case FETCH_AND_ADD -> request.fetchAndAdd(address, key, 1);
            default -> throw new IllegalArgumentException(this + " cannot be measured");
        };
    }

    /** The receive request for one message; a WRITE with immediate data needs no memory there. */
    ReceiveRequest receive(RegisteredBuffer local, int offset) {
        ReceiveRequest receive = new ReceiveRequest();
        if (operation != Operation.RDMA_WRITE_WITH_IMMEDIATE && sizeBytes > 0) {
            receive.add(local.region(), offset, sizeBytes);
        }
        return receive;
    }

    @Override
    public String toString() {
        return OperationNames.label(operation) + " of " + sizeBytes + (sizeBytes == 1 ? " byte" : " bytes");
    }
}
