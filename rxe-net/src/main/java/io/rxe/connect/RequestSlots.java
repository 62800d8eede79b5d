package io.rxe.connect;

import io.rxe.verbs.WorkCompletion;

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
    /** What {@link #tryTake} returns besides: another thread took what was free. */
    private static final int TAKEN = -4;
    /** What {@link #lacking} returns where there is room. */
    private static final int NOTHING = 0;

    private final SlotPool pool;
    /** Null for requests that need none. */
    private final Credits credits;
    private final Outstanding outstanding;
    private final Runnable onRoom;
    /** Whether a thread was refused since onWritable ran. */
    private volatile boolean refused;

    /**
     * @param credits each request needs one of them; null for none.
     * @param onRoom  runs on any thread when a request was given up for whose room another may have been refused.
     */
    RequestSlots(int slots, Credits credits, Outstanding outstanding, Runnable onRoom) {
        this.pool = new SlotPool(slots);
        this.credits = credits;
        this.outstanding = outstanding;
        this.onRoom = onRoom;
    }

    int size() {
        return pool.size();
    }

    /** Takes a slot, with a credit where one is needed, or returns a negative number: the reason is {@link #refusal}. */
    int take() {
        // Without room this only reads, so that a thread that tries again and again does not slow down the one that makes room.
        int slot = lacking() == NOTHING ? tryTake() : TAKEN;
        while (slot == TAKEN) {
            if (!refused) {
                refused = true;
            }
            // What makes room may have been dispatched before the mark was set; and what another thread took for a moment is no room.
            // Where the mark was cleared meanwhile, onWritable has run already.
            int lacking = lacking();
            slot = lacking == NOTHING ? tryTake() : refused ? lacking : TAKEN;
        }
        return slot;
    }

    private int lacking() {
        return pool.isEmpty() ? FULL : credits == null || credits.isAvailable() ? NOTHING : NO_CREDITS;
    }

    private int tryTake() {
        if (!outstanding.begin()) {
            return CLOSED;
        }
        int slot = pool.take();
        if (slot != SlotPool.NONE && (credits == null || credits.tryTake())) {
            return slot;
        }
        if (slot != SlotPool.NONE) {
            pool.release(slot);
        }
        outstanding.end();
        return TAKEN;
    }

    PostStatus refusal(int why) {
        return why == CLOSED || !outstanding.isOpen() ? PostStatus.NOT_CONNECTED : why == FULL ? PostStatus.FULL : PostStatus.NO_CREDITS;
    }

    /** Gives back what {@link #take} took. Who was refused meanwhile is called: no completion follows that would do it. */
    void abandon(int slot) {
        if (credits != null) {
            credits.giveBack();
        }
        release(slot);
        if (refused) {
            onRoom.run();
        }
    }

    /** The request of a slot has ended. */
    void release(int slot) {
        pool.release(slot);
        outstanding.end();
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
    }

    /** Whether a thread was refused and would not be now; once. Dispatching thread. */
    boolean isWritableAgain() {
        if (refused && lacking() == NOTHING) {
            refused = false;
            return true;
        }
        return false;
    }
}
