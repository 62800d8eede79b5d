package io.rxe.tools.perftest.measure;

import io.rxe.tools.perftest.handshake.PerftestHandshake;
import io.rxe.tools.perftest.plan.PerftestPlan;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Ping-pong with RDMA WRITEs; the server sends first. A WRITE makes no completion at its target, so its last byte carries the number of
 * the message, from 1 on, and the other side polls that byte of its memory.
 */
public final class WriteLatencyLoop extends LatencyLoop {
    private final UnsafeBuffer memory;
    private final int sourceByte;
    private final int targetByte;
    private long received;

    public WriteLatencyLoop(PerftestPlan plan, PerftestEndpoint endpoint, PerftestHandshake handshake, int sizeBytes) {
        super(plan, endpoint, handshake, sizeBytes, plan.isServer(), 2);
        memory = new UnsafeBuffer(endpoint.memory().bytes());
        sourceByte = endpoint.memory().source(0) + sizeBytes - 1;
        targetByte = endpoint.memory().target(0) + sizeBytes - 1;
    }

    @Override
    int receive() {
        // Written by the engine's thread.
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
    boolean isPingPong() {
        return true;
    }

    @Override
    void beforePost(long count) {
        memory.putByteVolatile(sourceByte, (byte) count);
    }
}
