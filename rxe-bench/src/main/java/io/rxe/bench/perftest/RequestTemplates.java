package io.rxe.bench.perftest;

import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;

/**
 * The requests of one queue pair, ready to post. Small messages step through the cycle buffer, each a cache line or more behind the
 * one before, on both sides; large ones all use the same bytes.
 */
final class RequestTemplates {
    private final WorkRequest[] requests;

    RequestTemplates(final PerftestPlan plan, final TestEndpoint endpoint, final PerftestHandshake agreed, final int index,
                     final int sizeBytes) {
        final int step = step(sizeBytes, agreed.cacheLineBytes());
        final boolean steps = !plan.kind().isLatency() && sizeBytes <= agreed.cycleBufferBytes() / 2;
        requests = new WorkRequest[steps ? Math.max(1, agreed.cycleBufferBytes() / step) : 1];
        for (int slot = 0; slot < requests.length; slot++) {
            requests[slot] = request(plan, endpoint, index, slot * step, sizeBytes);
        }
    }

    /** Distance of small messages: at least a cache line. */
    static int step(final int sizeBytes, final int cacheLineBytes) {
        final int line = Math.max(PerftestHandshake.CACHE_LINE_BYTES, cacheLineBytes);
        return (sizeBytes + line - 1) / line * line;
    }

    private static WorkRequest request(final PerftestPlan plan, final TestEndpoint endpoint, final int index, final int offset,
                                       final int sizeBytes) {
        final WorkRequest request = new WorkRequest();
        final int source = endpoint.memory().source(index) + offset;
        if (sizeBytes <= plan.queues().inlineBytes() && !plan.verb().isReadOrAtomic()) {
            final ByteBuffer data = endpoint.memory().bytes().duplicate();
            data.limit(source + sizeBytes).position(source);
            request.inline(data);
        } else {
            request.add(endpoint.memory().region(), source, sizeBytes);
        }
        endpoint.address(request, index);
        final KeyRecord remote = endpoint.remote(index);
        final long address = remote.address() + offset;
        return switch (plan.verb()) {
            case SEND -> request.send();
            case WRITE -> request.write(address, remote.rKey());
            case READ -> request.read(address, remote.rKey());
            // The original compares with 0 and swaps in 0.
            case ATOMIC -> plan.isCompareAndSwap() ? request.compareAndSwap(address, remote.rKey(), 0, 0)
                : request.fetchAndAdd(address, remote.rKey(), 1);
        };
    }

    /** The request of message number {@code count}, from 0. */
    WorkRequest of(final long count) {
        return requests[(int) (count % requests.length)];
    }
}
