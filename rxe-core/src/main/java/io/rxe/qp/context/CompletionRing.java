package io.rxe.qp.context;

import io.rxe.ring.Ring;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.WorkCompletion;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * One engine's end of a completion queue. A queue has one ring per engine, so that each ring has a single writer and no thread waits.
 *
 * <p>Arming follows Dekker: the engine publishes, then checks whether the queue is armed; the application arms, then polls. With a full
 * fence on both sides, at least one of them sees the other.
 */
public final class CompletionRing {
    /** Not armed. */
    public static final int IDLE = 0;
    /** Armed for solicited receives and errors. */
    public static final int SOLICITED = 1;
    /** Armed for any completion. */
    public static final int ANY = 2;

    /** A ring, and the larger or smaller one that took its place. The application follows when it has emptied the older. */
    private static final class Segment {
        private final Ring<WorkCompletion> ring;
        private volatile Segment next;

        Segment(int capacity) {
            ring = new Ring<>(capacity, WorkCompletion::new);
        }
    }

    /** The engine's end: its newest segment. */
    private Segment newest;
    /** The application's end: the oldest segment that it has not emptied. */
    private volatile Segment oldest;
    private volatile int capacity;
    private final CompletionQueue queue;
    private final CompletionChannel channel;
    private final AtomicInteger armed;
    private final PendingNotifications notifications;
    /** Null for a queue without timestamps, so that they cost it one comparison. */
    private final Consumer<WorkCompletion> stamps;
    private boolean notificationPending;
    private CompletionRing nextPending;
    /** What the queue was armed for when its channel had no memory for the notification; otherwise IDLE. */
    private int unsignaled;
    private boolean pendingEventWorthy;
    private final AtomicBoolean overrun;
    private volatile boolean closed;

    /**
     * @param capacity      completions it holds.
     * @param queue         the queue it belongs to.
     * @param channel       notified when the queue is armed, or null.
     * @param armed         the queue's arming, shared by its rings.
     * @param overrun       whether the queue lost a completion, shared by its rings.
     * @param notifications  the engine's list of rings whose channels are to be notified.
     * @param stamps        puts timestamps into completions before they are published; null for none.
     */
    public CompletionRing(int capacity, CompletionQueue queue, CompletionChannel channel, AtomicInteger armed, AtomicBoolean overrun,
        PendingNotifications notifications, Consumer<WorkCompletion> stamps) {
        this.newest = new Segment(capacity);
        this.oldest = newest;
        this.capacity = newest.ring.capacity();
        this.queue = queue;
        this.channel = channel;
        this.armed = armed;
        this.overrun = overrun;
        this.notifications = notifications;
        this.stamps = stamps;
    }

    /** Engine: the completion to fill next; null when the ring is full or closed, and then the completion is lost (rule R17). */
    public WorkCompletion claim() {
        return closed ? null : newest.ring.claim();
    }

    /** Engine: hands the claimed completion to the application; {@link PendingNotifications} notifies its channel. */
    public void publish(boolean eventWorthy) {
        if (stamps != null) {
            // Before a publish, a claim returns the same slot.
            stamps.accept(newest.ring.claim());
        }
        newest.ring.publish();
        if (channel != null) {
            pendingEventWorthy |= eventWorthy;
            if (!notificationPending) {
                notificationPending = true;
                notifications.add(this);
            }
        }
    }

    /** The ring behind this one in {@link PendingNotifications}; null for none. */
    CompletionRing nextPending() {
        return nextPending;
    }

    void nextPending(CompletionRing next) {
        nextPending = next;
    }

    /** Engine: whether the channel is notified when received messages are acknowledged. */
    boolean isNotifiedAfterAcknowledging() {
        return channel.isAfterAcknowledging();
    }

    /** Engine: notifies the channel if the queue is armed for what was published. */
    void notifyChannel() {
        boolean eventWorthy = pendingEventWorthy;
        notificationPending = false;
        pendingEventWorthy = false;
        VarHandle.fullFence();
        int wanted = armed.get();
        if (wanted != IDLE && (wanted == ANY || eventWorthy) && armed.compareAndSet(wanted, IDLE)) {
            unsignaled = channel.isCalling() ? IDLE : wanted;
            channel.signal(queue);
            unsignaled = IDLE;
        }
    }

    /**
     * Engine: {@link #notifyChannel} threw. Where nobody was notified, arms the queue again and has it notified later; false where a
     * listener was called.
     */
    boolean restoreNotification() {
        if (unsignaled == IDLE) {
            return false;
        }
        armed.accumulateAndGet(unsignaled, Math::max);
        unsignaled = IDLE;
        pendingEventWorthy = true;
        if (!notificationPending) {
            notificationPending = true;
            notifications.add(this);
        }
        return true;
    }

    /** Engine: records that the queue lost a completion; true the first time, whichever engine lost it. */
    public boolean markOverrun() {
        return !overrun.get() && overrun.compareAndSet(false, true);
    }

    /** Application: closes the queue, so that nothing is added any more. */
    public void close() {
        closed = true;
    }

    public boolean isClosed() {
        return closed;
    }

    public CompletionQueue queue() {
        return queue;
    }

    /** Engine: changes the capacity. What waits is kept, and polled first. */
    public void resize(int newCapacity) {
        Segment added = new Segment(newCapacity);
        capacity = added.ring.capacity();
        newest.next = added;
        newest = added;
    }

    /** Application: the ring to poll. Moves on from one that was replaced and is empty. */
    private Ring<WorkCompletion> polled() {
        Segment segment = oldest;
        Segment next = segment.next;
        // Nothing is added to a ring once it has been replaced, so this order of reads misses nothing.
        while (next != null && segment.ring.consumerIndex() == segment.ring.producerIndex()) {
            segment = next;
            oldest = segment;
            next = segment.next;
        }
        return segment.ring;
    }

    /** Application: takes the oldest completion; false when there is none. */
    public boolean poll(WorkCompletion into) {
        Ring<WorkCompletion> ring = polled();
        long index = ring.consumerIndex();
        if (index == ring.producerIndex()) {
            return false;
        }
        into.copyFrom(ring.get(index));
        ring.release(index + 1);
        return true;
    }

    /**
     * Application: takes up to {@code into.length - from} completions; returns one past the last filled index. An array ends at a null,
     * too, so that nothing is lost that was taken.
     *
     * @throws NullPointerException when its first entry is null.
     */
    public int poll(WorkCompletion[] into, int from) {
        int filled = from;
        Ring<WorkCompletion> ring;
        do {
            ring = polled();
            long index = ring.consumerIndex();
            long end = Math.min(ring.producerIndex(), index + into.length - filled);
            while (index < end && into[filled] != null) {
                into[filled++].copyFrom(ring.get(index++));
            }
            if (filled == 0 && index < end) {
                throw new NullPointerException("completions[0] is null: fill the array with completions once");
            }
            ring.release(index);
        } while (filled < into.length && into[filled] != null && ring != polled());
        return filled;
    }

    /** Completions waiting now. */
    public int size() {
        int size = 0;
        for (Segment segment = oldest; segment != null; segment = segment.next) {
            size += segment.ring.size();
        }
        return size;
    }

    /** Completions it holds, without those that waited when it was resized. */
    public int capacity() {
        return capacity;
    }
}
