package io.rxe.connect;

import io.rxe.verbs.WorkCompletion;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The slots of the requests of one kind in flight, and a mark for the threads that were refused one. Any thread, except where noted.
 *
 * <p>What the dispatching thread writes for each completion is not kept here: the threads that post would fetch it again each time.
 */
final class RequestSlots {
    /** What {@link #take} returns instead of a slot. */
    private static final int FULL = -1;
    private static final int NO_CREDITS = -2;
    private static final int CLOSED = -3;
    private static final int INTERRUPTED = -4;

    private final SlotPool pool;
    /** Null for requests that need none. */
    private final MessageCredits credits;
    private final Outstanding outstanding;
    private final Runnable onRoom;
    /** Whether a thread was refused since onWritable ran. */
    private volatile boolean refused;
    /** Threads that wait for a slot, and their number, which is what a release reads. */
    private final Queue<Thread> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiters = new AtomicInteger();

    /**
     * @param credits each request needs one of them; null for none.
     * @param onRoom  runs on any thread when a request was given up for whose room another may have been refused.
     */
    RequestSlots(int slots, MessageCredits credits, Outstanding outstanding, Runnable onRoom) {
        this.pool = new SlotPool(slots);
        this.credits = credits;
        this.outstanding = outstanding;
        this.onRoom = onRoom;
        outstanding.onClosed(() -> waiting.forEach(LockSupport::unpark));
    }

    int size() {
        return pool.size();
    }

    /** Takes a slot, with a credit where one is needed, or returns a negative number: the reason is {@link #refusal}. */
    int take() {
        int slot = tryTake();
        return isRefused(slot) ? takeOrRemember() : slot;
    }

    /** As {@link #take}, but waits while there is none. It ends with the connection, and with an interrupt, which stays set. */
    int takeWaiting() {
        int slot = tryTake();
        if (!isRefused(slot)) {
            return slot;
        }
        Thread thread = Thread.currentThread();
        waiting.add(thread);
        waiters.incrementAndGet();
        try {
            for (slot = tryTake(); isRefused(slot); slot = tryTake()) {
                if (!outstanding.isOpen()) {
                    return CLOSED;
                }
                if (thread.isInterrupted()) {
                    return INTERRUPTED;
                }
                LockSupport.park(this);
            }
            return slot;
        } finally {
            waiters.decrementAndGet();
            waiting.remove(thread);
            // Who left may have been woken for more than one slot.
            wakeOne();
        }
    }

    private void wakeOne() {
        if (waiters.get() > 0 && !pool.isEmpty()) {
            LockSupport.unpark(waiting.peek());
        }
    }

    private static boolean isRefused(int slot) {
        return slot == FULL || slot == NO_CREDITS;
    }

    /** What makes room may have been dispatched before the mark was set. Where it was cleared meanwhile, onWritable has run already. */
    private int takeOrRemember() {
        int slot;
        do {
            if (!refused) {
                refused = true;
            }
            slot = tryTake();
        } while (isRefused(slot) && !refused);
        return slot;
    }

    /** Without room this only reads, so that a thread that tries again and again does not slow down the one that makes room. */
    private int tryTake() {
        if (credits != null && !credits.isAvailable()) {
            return NO_CREDITS;
        }
        int slot = pool.take();
        if (slot == SlotPool.NONE) {
            return FULL;
        }
        if (credits != null && !credits.tryTake()) {
            pool.release(slot);
            return NO_CREDITS;
        }
        if (!outstanding.begin()) {
            giveBack(slot);
            return CLOSED;
        }
        return slot;
    }

    /** Who was refused meanwhile is called: no completion follows that would do it. */
    private void giveBack(int slot) {
        if (credits != null) {
            credits.giveBack();
        }
        pool.release(slot);
        wakeOne();
        if (refused) {
            onRoom.run();
        }
    }

    PostStatus refusal(int why) {
        return why == CLOSED || !outstanding.isOpen() ? PostStatus.NOT_CONNECTED
            : why == NO_CREDITS ? PostStatus.NO_CREDITS : PostStatus.FULL;
    }

    /** Gives back what {@link #take} took. */
    void abandon(int slot) {
        outstanding.end();
        giveBack(slot);
    }

    /** The request of a slot has ended. */
    void release(int slot) {
        pool.release(slot);
        outstanding.end();
        wakeOne();
    }

    /** The requests of these completions have ended. Their slots become free with one access to what all threads share. */
    void release(WorkCompletion[] completions, int from, int to) {
        int lowest = Work.slot(completions[from].workRequestId());
        int uppermost = lowest;
        for (int i = from + 1; i < to; i++) {
            uppermost = pool.pile(Work.slot(completions[i].workRequestId()), uppermost);
        }
        pool.release(uppermost, lowest);
        outstanding.end(to - from);
        wakeOne();
    }

    /** Whether a thread was refused and would not be now; once. Dispatching thread. */
    boolean isWritableAgain() {
        if (refused && !pool.isEmpty() && (credits == null || credits.isAvailable())) {
            refused = false;
            return true;
        }
        return false;
    }
}
