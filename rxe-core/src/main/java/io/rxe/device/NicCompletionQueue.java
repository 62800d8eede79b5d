package io.rxe.device;

import io.rxe.qp.CompletionLane;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.WorkCompletion;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/** A completion queue: a lane for each engine, emptied in turn. */
final class NicCompletionQueue implements CompletionQueue {
    private final Nic nic;
    private final CompletionLane[] lanes;
    private final CompletionChannel channel;
    private final AtomicInteger armed = new AtomicInteger(CompletionLane.IDLE);
    private int turn;

    NicCompletionQueue(Nic nic, int minimumCapacity, CompletionChannel channel, int engines) {
        this.nic = nic;
        this.channel = channel;
        this.lanes = new CompletionLane[engines];
        for (int i = 0; i < engines; i++) {
            lanes[i] = new CompletionLane(minimumCapacity, this, channel, armed, nic.engine(i).notices());
        }
    }

    CompletionLane lane(int engine) {
        return lanes[engine];
    }

    boolean belongsTo(Nic other) {
        return nic == other;
    }

    @Override
    public int capacity() {
        return lanes[0].capacity();
    }

    @Override
    public int poll(WorkCompletion[] completions) {
        int filled = 0;
        for (int i = 0; i < lanes.length && filled < completions.length; i++) {
            filled = lanes[turn].poll(completions, filled);
            turn = turn + 1 == lanes.length ? 0 : turn + 1;
        }
        return filled;
    }

    @Override
    public boolean poll(WorkCompletion completion) {
        for (int i = 0; i < lanes.length; i++) {
            boolean found = lanes[turn].poll(completion);
            turn = turn + 1 == lanes.length ? 0 : turn + 1;
            if (found) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void requestNotification(boolean solicitedOnly) {
        if (channel == null) {
            throw new IllegalStateException("this completion queue has no channel: create it with one");
        }
        int wanted = solicitedOnly ? CompletionLane.SOLICITED : CompletionLane.ANY;
        armed.accumulateAndGet(wanted, Math::max);
        VarHandle.fullFence();
    }

    @Override
    public boolean isOverrun() {
        for (CompletionLane lane : lanes) {
            if (lane.isOverrun()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        for (CompletionLane lane : lanes) {
            lane.close();
        }
        nic.forget(this);
    }
}
