package io.rxe.connect;

import java.util.concurrent.atomic.AtomicLong;

/** The free ones of some numbered slots: a stack, from which any thread takes and to which any thread returns. Allocates nothing. */
final class SlotPool {
    /** What {@link #take} returns if there is none. */
    static final int NONE = -1;
    private static final long INDEX = 0xFFFF_FFFFL;
    private static final long TAG = 1L << 32;

    private final int[] next;
    /** The uppermost slot, and a number that changes each time, so that a slot that came back is not mistaken for one that stayed. */
    private final AtomicLong top = new AtomicLong();

    SlotPool(int slots) {
        next = new int[slots];
        for (int slot = 0; slot < slots; slot++) {
            next[slot] = slot + 1 < slots ? slot + 1 : NONE;
        }
    }

    int size() {
        return next.length;
    }

    boolean isEmpty() {
        return (int) top.get() == NONE;
    }

    int take() {
        while (true) {
            long before = top.get();
            int slot = (int) before;
            if (slot == NONE) {
                return NONE;
            }
            // May be stale if another thread has taken the slot meanwhile; then the tag differs and the exchange fails.
            if (top.compareAndSet(before, tagged(before, next[slot]))) {
                return slot;
            }
        }
    }

    void release(int slot) {
        release(slot, slot);
    }

    /** Puts a slot that was taken on top of another one, so that both are released together. Returns it. */
    int pile(int slot, int onto) {
        next[slot] = onto;
        return slot;
    }

    /** Returns a pile of slots with one exchange. */
    void release(int uppermost, int lowest) {
        long before;
        do {
            before = top.get();
            next[lowest] = (int) before;
        } while (!top.compareAndSet(before, tagged(before, uppermost)));
    }

    private static long tagged(long before, int slot) {
        return (before & ~INDEX) + TAG | slot & INDEX;
    }
}
