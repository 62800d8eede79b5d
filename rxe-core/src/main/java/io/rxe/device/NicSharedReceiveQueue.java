package io.rxe.device;

import io.rxe.memory.ScatterGatherList;
import io.rxe.qp.context.ReceiveQueue;
import io.rxe.qp.context.ReceiveWqe;
import io.rxe.ring.Ring;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.SharedReceiveQueue;

/**
 * A shared receive queue. It and all queue pairs that use it belong to one engine, so that engine takes requests without a lock. Several
 * threads may post, so a lock serializes the producers, and the engine's thread holds it while it replaces the ring. A listener posts on
 * the engine's thread: whoever holds the lock must not wait for that thread.
 */
final class NicSharedReceiveQueue implements SharedReceiveQueue {
    private final Engine engine;
    private final int engineIndex;
    private final int maxElements;
    private final ReceiveQueue queue;
    private final NicProtectionDomain domain;
    private final Object producer = new Object();
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
    public int capacity() {
        return queue.ring().capacity();
    }

    @Override
    public boolean postReceive(ReceiveRequest request) {
        if (request.scatterGather().count() > maxElements) {
            throw new IllegalArgumentException("receive request with " + request.scatterGather().count() + " elements > maxElements "
                + maxElements + ": use fewer, or create the queue with more");
        }
        synchronized (producer) {
            if (closed) {
                throw new IllegalStateException("the shared receive queue is closed: create another");
            }
            ReceiveWqe slot = queue.ring().claim();
            if (slot == null) {
                return false;
            }
            slot.fill(request);
            queue.ring().publish();
            return true;
        }
    }

    @Override
    public void armLimit(int requests) {
        int capacity = capacity();
        if (requests < 0 || requests > capacity) {
            throw new IllegalArgumentException("limit " + requests + " is not in 0.." + capacity);
        }
        queue.limit(requests);
    }

    @Override
    public int limit() {
        return queue.limit();
    }

    @Override
    public void resize(int minimumCapacity) {
        checkCapacity(minimumCapacity);
        engine.thread().call(() -> {
            synchronized (producer) {
                queue.resize(minimumCapacity);
            }
        });
    }

    @Override
    public int size() {
        return queue.ring().size();
    }

    @Override
    public void close() {
        synchronized (producer) {
            if (closed) {
                return;
            }
            closed = true;
        }
        engine.thread().call(() -> queue.ring().release(queue.ring().producerIndex()));
        domain.forget(this);
    }
}
