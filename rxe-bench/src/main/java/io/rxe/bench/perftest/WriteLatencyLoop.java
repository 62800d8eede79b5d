package io.rxe.bench.perftest;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Ping-pong with RDMA WRITEs; the server opens. Nobody is told of a WRITE, so its last byte carries the number of the message, from 1
 * on, and the other side watches that byte of its memory.
 */
final class WriteLatencyLoop extends LatencyLoop {
    private final UnsafeBuffer memory;
    private final int sourceByte;
    private final int targetByte;
    private long received;

    WriteLatencyLoop(PerftestPlan plan, TestEndpoint endpoint, PerftestHandshake agreed, int sizeBytes) {
        super(plan, endpoint, agreed, sizeBytes, plan.isServer(), 2);
        memory = new UnsafeBuffer(endpoint.memory().bytes());
        sourceByte = endpoint.memory().source(0) + sizeBytes - 1;
        targetByte = endpoint.memory().target(0) + sizeBytes - 1;
    }

    @Override
    int receive() {
        // The engine's thread writes there.
        if (received < limit() && memory.getByteVolatile(targetByte) == (byte) (received + 1)) {
            received++;
            return 1;
        }
        return 0;
    }

    @Override
    long received() {
        return received;
    }

    @Override
    boolean isAnswered() {
        return true;
    }

    @Override
    void beforePost(long count) {
        memory.putByteVolatile(sourceByte, (byte) count);
    }
}
