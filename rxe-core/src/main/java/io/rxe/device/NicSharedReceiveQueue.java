package io.rxe.device;

import io.rxe.fault.Verb;
import io.rxe.memory.ScatterGatherList;
import io.rxe.qp.context.ReceiveQueue;
import io.rxe.ring.Ring;
import io.rxe.ring.StackRoom;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.RequestBatch;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.SharedReceiveQueueAttributes;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A shared receive queue. It and all queue pairs that use it belong to one engine, so that engine takes requests without a lock. Several
 * threads may post, one at a time, and none while the engine's thread replaces the ring.
 */
sealed class NicSharedReceiveQueue implements SharedReceiveQueue permits NicXrcReceiveQueue {
    private final Engine engine;
    private final int engineIndex;
    private final int maxElements;
    private final ReceiveQueue queue;
    private final NicProtectionDomain domain;
    private final Nic nic;
    private final Set<NicQueuePair> users = ConcurrentHashMap.newKeySet();
    private final ReceiveEnd receives;
    private final Closing closing = new Closing();

    NicSharedReceiveQueue(Nic nic, NicProtectionDomain domain, Engine engine, int engineIndex, EventQueue events, int minimumCapacity,
                          int maxElements) {
        this.nic = nic;
        this.domain = domain;
        this.engine = engine;
        this.engineIndex = engineIndex;
        this.maxElements = maxElements;
        checkCapacity(minimumCapacity);
        if (maxElements < 1 || maxElements > ScatterGatherList.MAX_ELEMENTS) {
            throw new IllegalArgumentException("maxElements " + maxElements + " is not in 1.." + ScatterGatherList.MAX_ELEMENTS);
        }
        this.queue = new ReceiveQueue(new Ring<>(minimumCapacity, ReceiveRequest::new), true, domain.number());
        queue.onLimitReached(() -> events.add(new AsyncEvent(AsyncEvent.Type.SRQ_LIMIT_REACHED, null, null, this,
            queue.ring().size() - 1 + " requests left")));
        this.receives = nic.faults().concerns(Verb.POST_SRQ_RECV) ? new FaultyReceives() : new SharedReceives();
    }

    private static void checkCapacity(int capacity) {
        if (capacity < 1 || capacity > QueuePairConfig.MAX_REQUESTS) {
            throw new IllegalArgumentException("shared receive queue of " + capacity + " requests: use 1 to "
                + QueuePairConfig.MAX_REQUESTS);
        }
    }

    /**
     * The queue of a new queue pair; null for null. It may be of another protection domain than the queue pair: that has the memory of its
     * requests.
     */
    static NicSharedReceiveQueue own(Nic nic, SharedReceiveQueue queue) {
        if (queue == null) {
            return null;
        }
        if (queue instanceof NicSharedReceiveQueue own && own.belongsTo(nic)) {
            if (own.isForQueuePairs()) {
                return own;
            }
            throw new IllegalArgumentException("the " + own.name() + " is for requests that name it: leave it out, and create an XRC_RECV"
                + " queue pair in its XRC domain");
        }
        throw new IllegalArgumentException("the shared receive queue belongs to another device: create it with this one");
    }

    ReceiveQueue queue() {
        return queue;
    }

    /** Whether queue pairs may be created that use it: not those of an XRC domain, which requests name. */
    boolean isForQueuePairs() {
        return true;
    }

    final NicProtectionDomain domain() {
        return domain;
    }

    int engineIndex() {
        return engineIndex;
    }

    /** The queue pairs that use it. */
    Set<NicQueuePair> users() {
        return users;
    }

    boolean isClosed() {
        return closing.isBegun();
    }

    boolean belongsTo(Nic other) {
        return nic == other;
    }

    @Override
    public int number() {
        return 0;
    }

    @Override
    public int capacity() {
        return queue.ring().capacity();
    }

    @Override
    public boolean postReceive(ReceiveRequest request) {
        return receives.post(request);
    }

    @Override
    public RequestBatch<ReceiveRequest> beginReceives() {
        checkOpen();
        return receives.begin();
    }

    class SharedReceives extends ReceiveEnd {
        SharedReceives() {
            super(queue);
        }

        @Override
        void check(ReceiveRequest request) {
            nic.state().check();
            if (request.scatterGather().count() > maxElements) {
                throw new IllegalArgumentException("receive request with " + request.scatterGather().count() + " elements > maxElements "
                    + maxElements + ": use fewer, or create the queue with more");
            }
            domain.regionCheck().check(request.scatterGather(), AccessFlags.LOCAL_WRITE, Operation.RECEIVE);
            checkOpen();
        }
    }

    /** Where posts can be made to fail. */
    final class FaultyReceives extends SharedReceives {
        @Override
        void check(ReceiveRequest request) {
            super.check(request);
            nic.faults().onCall(Verb.POST_SRQ_RECV, request.scatterGather().totalBytes());
        }
    }

    private void checkOpen() {
        if (closing.isBegun()) {
            nic.state().check();
            throw new IllegalStateException("the " + name() + " is closed: create another");
        }
    }

    @Override
    public void armLimit(int requests) {
        checkOpen();
        nic.faults().onCall(Verb.MODIFY_SRQ, 0);
        int capacity = capacity();
        if (requests < 0 || requests > capacity) {
            throw new IllegalArgumentException("limit " + requests + " is not in 0.." + capacity
                + ", the capacity: choose a smaller one, or resize the queue first");
        }
        queue.limit(requests);
    }

    @Override
    public int limit() {
        return queue.limit();
    }

    @Override
    public void resize(int minimumCapacity) {
        checkOpen();
        nic.faults().onCall(Verb.MODIFY_SRQ, 0);
        checkCapacity(minimumCapacity);
        if (minimumCapacity < limit()) {
            throw new IllegalArgumentException("capacity " + minimumCapacity + " is less than " + limit()
                + ", the limit that is armed: choose a larger one, or arm a smaller limit first");
        }
        while (!engine.thread().call(() -> receives.alone(() -> queue.resize(minimumCapacity)))) {
            // The batch of another thread is awaited here: that thread may itself wait for the engine. A batch of this thread is refused.
            receives.end.enter();
            receives.end.leave();
        }
    }

    @Override
    public SharedReceiveQueueAttributes query() {
        nic.faults().onCall(Verb.QUERY_SRQ, 0);
        return new SharedReceiveQueueAttributes(capacity(), maxElements, limit());
    }

    @Override
    public int size() {
        return queue.ring().size();
    }

    @Override
    public void close() {
        StackRoom.require(CloseEach.FRAMES);
        if (!closing.isBegun()) {
            domain.checkFree(Verb.DESTROY_SRQ);
        }
        shut();
    }

    /** Closes it, which nothing refuses. */
    final void shut() {
        closing.run(this::end);
    }

    private void end() {
        // A thread that is posting may have found it open: its request is dropped below.
        receives.end.awaitPost();
        engine.thread().call(() -> {
            retire();
            queue.ring().release(queue.ring().producerIndex());
        });
        domain.forget(this);
        String name = name();
        CloseEach.of(users, user -> user.onClosed(name));
    }

    /** Command: it is being closed, and takes part in nothing from now on. */
    void retire() {
        // Queue pairs that use it fail.
    }

    String name() {
        return "shared receive queue of " + capacity() + " requests";
    }

    @Override
    public String toString() {
        return name() + ", " + size() + " queued" + (limit() == 0 ? "" : ", limit " + limit())
            + (closing.isBegun() ? ", closed" : "");
    }
}
