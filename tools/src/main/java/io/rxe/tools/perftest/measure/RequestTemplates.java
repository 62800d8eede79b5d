package io.rxe.tools.perftest.measure;

import io.rxe.tools.perftest.handshake.KeyRecord;
import io.rxe.tools.perftest.handshake.PerftestHandshake;
import io.rxe.tools.perftest.plan.PerftestPlan;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;

/**
 * The prepared requests of one queue pair. Small messages cycle through a buffer on both sides, each at least a cache line behind the
 * one before; large ones all use the same bytes.
 */
final class RequestTemplates {
    private final WorkRequest[] requests;

    RequestTemplates(PerftestPlan plan, PerftestEndpoint endpoint, PerftestHandshake handshake, int index, int sizeBytes) {
        int step = step(sizeBytes, handshake.cacheLineBytes());
        boolean steps = !plan.kind().isLatency() && sizeBytes <= handshake.cycleBufferBytes() / 2;
        requests = new WorkRequest[steps ? Math.max(1, handshake.cycleBufferBytes() / step) : 1];
        for (int slot = 0; slot < requests.length; slot++) {
            requests[slot] = request(plan, endpoint, index, slot * step, sizeBytes);
        }
    }

    /** Distance between small messages, a multiple of the cache line. */
    static int step(int sizeBytes, int cacheLineBytes) {
        int line = Math.max(PerftestHandshake.CACHE_LINE_BYTES, cacheLineBytes);
        return (sizeBytes + line - 1) / line * line;
    }

    private static WorkRequest request(PerftestPlan plan, PerftestEndpoint endpoint, int index, int offset, int sizeBytes) {
        WorkRequest request = operation(plan, endpoint.remote(index), offset);
        int source = endpoint.memory().source(index) + offset;
        if (sizeBytes <= plan.queues().inlineBytes() && !plan.verb().isReadOrAtomic()) {
            ByteBuffer data = endpoint.memory().bytes().duplicate();
            data.limit(source + sizeBytes).position(source);
            request.inline(data);
        } else {
            request.add(endpoint.memory().region(), source, sizeBytes);
        }
        endpoint.address(request, index);
        return request;
    }

    private static WorkRequest operation(PerftestPlan plan, KeyRecord remote, int offset) {
        WorkRequest request = new WorkRequest();
        long address = remote.address() + offset;
        return switch (plan.verb()) {
            case SEND -> request.send();
            case WRITE -> request.write(address, remote.rKey());
            case READ -> request.read(address, remote.rKey());
            // As the original: compares with 0 and swaps in 0.
            case ATOMIC -> plan.isCompareAndSwap() ? request.compareAndSwap(address, remote.rKey(), 0, 0)
                : request.fetchAndAdd(address, remote.rKey(), 1);
        };
    }

    /** The request of message number {@code count}, from 0. */
    WorkRequest of(long count) {
        return requests[(int) (count % requests.length)];
    }
}
