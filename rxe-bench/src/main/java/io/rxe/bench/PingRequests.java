package io.rxe.bench;

import io.rxe.verbs.Operation;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkRequest;

/**
 * The requests of a latency test, and the queue pair for them: each side has a slot that is sent and one that is received into, and
 * keeps a few receives posted.
 */
final class PingRequests {
    private static final int RECEIVES = 4;

    private PingRequests() {
    }

    /** One queue pair with room for these requests; path MTU and seed are those given. */
    static PairConfig pair(PairConfig given) {
        return new PairConfig(given.pathMtu(), 1, 2 * RECEIVES, 2 * RECEIVES, given.seed());
    }

    /** A request that sends slot 0, or fetches it, with slot 1 of the other side as its target. */
    static WorkRequest request(Workload workload, RegisteredBuffer local, RegisteredBuffer remote, int targetOffset) {
        WorkRequest request = new WorkRequest();
        if (workload.sizeBytes() > 0) {
            request.add(local.region(), 0, workload.sizeBytes());
        }
        long address = remote.address(targetOffset);
        int key = remote.region().rKey();
        return switch (workload.operation()) {
            case SEND -> request.send();
            case SEND_WITH_IMMEDIATE -> request.sendWithImmediate(0);
            case RDMA_WRITE -> request.write(address, key);
            case RDMA_WRITE_WITH_IMMEDIATE -> request.writeWithImmediate(address, key, 0);
            case RDMA_READ -> request.read(address, key);
            case COMPARE_AND_SWAP -> request.compareAndSwap(address, key, 0, 0);
            case FETCH_AND_ADD -> request.fetchAndAdd(address, key, 1);
            default -> throw new IllegalArgumentException(workload + " cannot be measured");
        };
    }

    /** A receive into slot 1. */
    static ReceiveRequest receive(Workload workload, RegisteredBuffer local, int offset) {
        ReceiveRequest receive = new ReceiveRequest();
        if (workload.operation() != Operation.RDMA_WRITE_WITH_IMMEDIATE && workload.sizeBytes() > 0) {
            receive.add(local.region(), offset, workload.sizeBytes());
        }
        return receive;
    }

    /** Posts the receives a side keeps. */
    static void postReceives(Endpoint side, ReceiveRequest receive) {
        for (int i = 0; i < RECEIVES; i++) {
            side.queuePair(0).postReceive(receive);
        }
    }
}
