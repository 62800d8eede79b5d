package io.rxe.device;

import io.rxe.qp.QueuePairTasks;
import io.rxe.qp.send.SendWqe;
import io.rxe.ring.Ring;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.WorkRequest;
import java.lang.invoke.VarHandle;

/** The application's end of a send queue. */
final class SendEnd extends BatchEnd<WorkRequest> {
    private final Nic nic;
    private final Engine engine;
    private final QueuePairTasks tasks;
    private final Ring<SendWqe> queue;
    private final QueuePairUse use;
    private final RequestCheck check;

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
            if (done) {
                publish(1);
            }
        } finally {
            end.leave();
        }
        if (done) {
            if (request.operation().isLocal()) {
                onLocalPosted();
            }
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
        SendWqe slot = queue.claim(queued());
        if (slot == null) {
            return false;
        }
        if (isLocal) {
            LocalPost.fill(request, slot.local());
        }
        slot.fill(request);
        return check.take(slot);
    }

    @Override
    void publish(int requests) {
        queue.publish(requests);
    }

    /** What would change a key does not. */
    @Override
    void drop(int requests) {
        for (int i = 0; i < requests; i++) {
            SendWqe slot = queue.claim(i);
            if (slot.operation().isLocal()) {
                slot.local().complete();
            }
        }
    }

    /** Where another thread closes the queue pair, the engine drops the request, now or later: its key must not stay the latest one. */
    private void onLocalPosted() {
        VarHandle.fullFence();
        if (use.isClosed()) {
            onPosted();
        }
    }

    @Override
    WorkRequest claim() {
        SendWqe slot = queue.claim(queued());
        return (slot == null ? new SendWqe() : slot).clear();
    }

    @Override
    boolean queue(WorkRequest request) {
        return queue(request, MemoryWindowType.TYPE_2);
    }

    @Override
    void onPosted() {
        engine.ringDoorbell(tasks);
    }
}
