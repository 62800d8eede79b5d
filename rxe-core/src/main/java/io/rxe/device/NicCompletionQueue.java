package io.rxe.device;

import io.rxe.qp.context.CompletionRing;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.WorkCompletion;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A completion queue: one completion ring per engine, polled round robin. */
final class NicCompletionQueue implements CompletionQueue {
    private final Nic nic;
    private final CompletionRing[] rings;
    private final CompletionChannel channel;
    private final AtomicBoolean detached = new AtomicBoolean();
    private final AtomicInteger armed = new AtomicInteger(CompletionRing.IDLE);
    /** The ring to poll first; owned by the thread that polls. */
    private int next;

    NicCompletionQueue(Nic nic, int minimumCapacity, CompletionChannel channel, int engines) {
        this.nic = nic;
        this.channel = channel;
        this.rings = new CompletionRing[engines];
        for (int i = 0; i < engines; i++) {
            rings[i] = new CompletionRing(minimumCapacity, this, channel, armed, nic.engine(i).pendingNotifications());
        }
        if (channel != null) {
            channel.attach();
        }
    }

    /** The queue is closed or its device failed: no thread waits for it any more. */
    void wakeWaiters() {
        if (channel != null && detached.compareAndSet(false, true)) {
            channel.detach();
        }
    }

    CompletionRing ring(int engine) {
        return rings[engine];
    }

    boolean belongsTo(Nic other) {
        return nic == other;
    }

    @Override
    public int capacity() {
        return rings[0].capacity();
    }

    @Override
    public int poll(WorkCompletion[] completions) {
        int filled = 0;
        for (int i = 0; i < rings.length && filled < completions.length; i++) {
            filled = rings[next].poll(completions, filled);
            next = next + 1 == rings.length ? 0 : next + 1;
        }
        return filled;
    }

    @Override
    public boolean poll(WorkCompletion completion) {
        for (int i = 0; i < rings.length; i++) {
            boolean found = rings[next].poll(completion);
            next = next + 1 == rings.length ? 0 : next + 1;
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
        int wanted = solicitedOnly ? CompletionRing.SOLICITED : CompletionRing.ANY;
        armed.accumulateAndGet(wanted, Math::max);
        VarHandle.fullFence();
    }

    @Override
    public boolean isOverrun() {
        for (CompletionRing ring : rings) {
            if (ring.isOverrun()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        for (CompletionRing ring : rings) {
            ring.close();
        }
        wakeWaiters();
        nic.forget(this);
    }
}
