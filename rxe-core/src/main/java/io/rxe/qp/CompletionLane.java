package io.rxe.qp;

import io.rxe.ring.Ring;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.WorkCompletion;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The engine's end of a completion queue. A queue has one lane per engine, so that each is written by one thread and nobody waits.
 *
 * <p>Arming follows Dekker: the engine publishes, then looks whether the queue is armed; the application arms, then polls. With a full
 * fence on both sides one of them sees the other.
 */
public final class CompletionLane {
    /** Not armed. */
    public static final int IDLE = 0;
    /** Armed for solicited receives and errors. */
    public static final int SOLICITED = 1;
    /** Armed for any completion. */
    public static final int ANY = 2;

    private final Ring<WorkCompletion> ring;
    private final CompletionQueue queue;
    private final CompletionChannel channel;
    private final AtomicInteger armed;
    private final CompletionNotices notices;
    private boolean noticeDue;
    private boolean noticeWorthy;
    private volatile boolean overrun;
    private volatile boolean closed;

    /**
     * @param capacity completions it holds.
     * @param queue    the queue it belongs to.
     * @param channel  where to report it when armed, or null.
     * @param armed    the queue's arming, shared by its lanes.
     * @param notices  the engine's list of queues whose channels are to be told.
     */
    public CompletionLane(int capacity, CompletionQueue queue, CompletionChannel channel, AtomicInteger armed, CompletionNotices notices) {
        this.ring = new Ring<>(capacity, WorkCompletion::new);
        this.queue = queue;
        this.channel = channel;
        this.armed = armed;
        this.notices = notices;
    }

    /** Engine: the completion to fill next, or null when the queue is full or closed; then the completion is lost (rule R17). */
    public WorkCompletion claim() {
        return closed ? null : ring.claim();
    }

    /** Engine: hands the claimed completion to the application; its channel is told when the engine comes to {@link CompletionNotices}. */
    public void publish(boolean eventWorthy) {
        ring.publish();
        if (channel != null) {
            noticeWorthy |= eventWorthy;
            if (!noticeDue) {
                noticeDue = true;
                notices.add(this);
            }
        }
    }

    /** Engine: tells the channel, if the queue is armed for what was published. */
    void tell() {
        boolean eventWorthy = noticeWorthy;
        noticeDue = false;
        noticeWorthy = false;
        VarHandle.fullFence();
        int wanted = armed.get();
        if (wanted != IDLE && (wanted == ANY || eventWorthy) && armed.compareAndSet(wanted, IDLE)) {
            channel.signal(queue);
        }
    }

    /** Engine: records a loss; true the first time. */
    public boolean markOverrun() {
        boolean first = !overrun;
        overrun = true;
        return first;
    }

    public boolean isOverrun() {
        return overrun;
    }

    /** Application: nothing is added any more. */
    public void close() {
        closed = true;
    }

    public CompletionQueue queue() {
        return queue;
    }

    /** Application: takes the oldest completion; false when there is none. */
    public boolean poll(WorkCompletion into) {
        long index = ring.consumerIndex();
        if (index == ring.producerIndex()) {
            return false;
        }
        into.copyFrom(ring.get(index));
        ring.release(index + 1);
        return true;
    }

    /** Application: takes up to {@code into.length - from} completions; answers one past the last filled index. */
    public int poll(WorkCompletion[] into, int from) {
        long index = ring.consumerIndex();
        long end = Math.min(ring.producerIndex(), index + into.length - from);
        int filled = from;
        while (index < end) {
            into[filled++].copyFrom(ring.get(index++));
        }
        ring.release(index);
        return filled;
    }

    /** Completions waiting now. */
    public int size() {
        return ring.size();
    }

    public int capacity() {
        return ring.capacity();
    }
}
