package io.rxe.device;

import io.rxe.memory.ScatterGatherList;
import io.rxe.qp.ReceiveQueue;
import io.rxe.qp.ReceiveWqe;
import io.rxe.ring.Ring;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.SharedReceiveQueue;

/**
 * A shared receive queue. It lives on one engine, and so do the queue pairs that use it: taking from it needs no lock. Posting may
 * come from several threads and is serialized here.
 */
final class NicSharedReceiveQueue implements SharedReceiveQueue {
    private final Engine engine;
    private final int engineIndex;
    private final int maxElements;
    private final ReceiveQueue queue;
    private final NicProtectionDomain domain;
    private boolean closed;

    NicSharedReceiveQueue(NicProtectionDomain domain, Engine engine, int engineIndex, EventQueue events, int minimumCapacity,
                          int maxElements) {
        this.domain = domain;
        this.engine = engine;
        this.engineIndex = engineIndex;
        this.maxElements = maxElements;
        checkCapacity(minimumCapacity);
        if (maxElements < 1 || maxElements > ScatterGatherList.MAX_ELEMENTS) {
            throw new IllegalArgumentException("maxElements " + maxElements + " is not in 1.." + ScatterGatherList.MAX_ELEMENTS);
        }
        this.queue = new ReceiveQueue(new Ring<>(minimumCapacity, ReceiveWqe::new), true);
        queue.onLimitReached(() -> events.add(new AsyncEvent(AsyncEvent.Type.SRQ_LIMIT_REACHED, null, null, this,
            queue.ring().size() + " requests left")));
    }

    private static void checkCapacity(int capacity) {
        if (capacity < 1 || capacity > QueuePairConfig.MAX_REQUESTS) {
            throw new IllegalArgumentException("shared receive queue of " + capacity + " requests: use 1 to "
                + QueuePairConfig.MAX_REQUESTS);
        }
    }

    ReceiveQueue queue() {
        return queue;
    }

    int engineIndex() {
        return engineIndex;
    }

    boolean belongsTo(NicProtectionDomain other) {
        return domain == other;
    }

    @Override
    public synchronized int capacity() {
        return queue.ring().capacity();
    }

    @Override
    public synchronized boolean postReceive(ReceiveRequest request) {
        if (closed) {
            throw new IllegalStateException("the shared receive queue is closed: create another");
        }
        if (request.scatterGather().count() > maxElements) {
            throw new IllegalArgumentException("receive request with " + request.scatterGather().count() + " elements > maxElements "
                + maxElements + ": use fewer, or create the queue with more");
        }
        ReceiveWqe slot = queue.ring().claim();
        if (slot == null) {
            return false;
        }
        slot.fill(request);
        queue.ring().publish();
        return true;
    }

    @Override
    public void armLimit(int requests) {
        if (requests < 0 || requests > capacity()) {
            throw new IllegalArgumentException("limit " + requests + " is not in 0.." + capacity());
        }
        queue.limit(requests);
    }

    @Override
    public int limit() {
        return queue.limit();
    }

    @Override
    public synchronized void resize(int minimumCapacity) {
        checkCapacity(minimumCapacity);
        engine.thread().call(() -> queue.resize(minimumCapacity));
    }

    @Override
    public int size() {
        return queue.ring().size();
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            engine.thread().call(() -> queue.ring().release(queue.ring().producerIndex()));
            domain.forget(this);
        }
    }
}
