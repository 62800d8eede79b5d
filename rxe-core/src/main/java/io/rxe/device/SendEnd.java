package io.rxe.device;

import io.rxe.qp.QueuePairTasks;
import io.rxe.qp.send.SendWqe;
import io.rxe.ring.Ring;
import io.rxe.ring.SharedEnd;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.RequestBatch;
import io.rxe.verbs.WorkRequest;

/** The application's end of a send queue: one thread at a time checks requests and queues them. */
final class SendEnd implements RequestBatch<WorkRequest> {
    private final Nic nic;
    private final Engine engine;
    private final QueuePairTasks tasks;
    private final Ring<SendWqe> queue;
    private final QueuePairUse use;
    private final RequestCheck check;
    private final SharedEnd end = new SharedEnd();
    /** The request of a batch that is being filled in: the slot to publish next, or none of the queue's when that is full. */
    private SendWqe current;
    private boolean posted;

    SendEnd(Nic nic, Engine engine, QueuePairTasks tasks, QueuePairUse use, RequestCheck check) {
        this.nic = nic;
        this.engine = engine;
        this.tasks = tasks;
        this.queue = tasks.context().queues().sends();
        this.use = use;
        this.check = check;
    }

    /**
     * Copies a request into the queue, without a doorbell; false when the queue is full.
     *
     * @param bound type of windows that this call binds.
     */
    boolean post(WorkRequest request, MemoryWindowType bound) {
        boolean done;
        end.enter();
        try {
            done = queue(request, bound);
        } finally {
            end.leave();
        }
        if (done) {
            request.onPosted();
        }
        return done;
    }

    private boolean queue(WorkRequest request, MemoryWindowType bound) {
        use.checkSend();
        check.check(request);
        boolean isLocal = request.operation().isLocal();
        if (isLocal) {
            LocalPost.check(nic, request, bound);
        }
        SendWqe slot = queue.claim();
        if (slot == null) {
            return false;
        }
        if (isLocal) {
            LocalPost.fill(request, slot.local());
        }
        slot.fill(request);
        if (!check.take(slot)) {
            return false;
        }
        queue.publish();
        return true;
    }

    SendEnd begin() {
        end.hold();
        return this;
    }

    @Override
    public WorkRequest next() {
        end.checkHeld();
        SendWqe slot = queue.claim();
        current = slot == null ? new SendWqe() : slot;
        return current.clear();
    }

    @Override
    public boolean post() {
        end.checkHeld();
        if (current == null) {
            throw new IllegalStateException("the batch has no request to post: call next() before each post()");
        }
        boolean done = queue(current, MemoryWindowType.TYPE_2);
        if (done) {
            // The engine's from now on.
            current = null;
            posted = true;
        }
        return done;
    }

    @Override
    public void close() {
        if (!end.isHeld()) {
            return;
        }
        boolean isDoorbellDue = posted;
        posted = false;
        current = null;
        end.release();
        if (isDoorbellDue) {
            engine.ringDoorbell(tasks);
        }
    }
}
