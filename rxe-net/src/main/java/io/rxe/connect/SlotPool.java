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

    /** The holding thread only: the slots it has collected, uppermost and last. */
    private int held = NONE;
    private int lastHeld = NONE;

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
        long before;
        do {
            before = top.get();
            next[slot] = (int) before;
        } while (!top.compareAndSet(before, tagged(before, slot)));
    }

    /** Keeps a slot until {@link #releaseHeld}, so that many are returned with one access to what all threads share. One thread only. */
    void hold(int slot) {
        if (held == NONE) {
            lastHeld = slot;
        }
        next[slot] = held;
        held = slot;
    }

    /** Returns the slots that were held. */
    void releaseHeld() {
        int uppermost = held;
        if (uppermost == NONE) {
            return;
        }
        held = NONE;
        long before;
        do {
            before = top.get();
            next[lastHeld] = (int) before;
        } while (!top.compareAndSet(before, tagged(before, uppermost)));
    }

    private static long tagged(long before, int slot) {
        return (before & ~INDEX) + TAG | slot & INDEX;
    }
}
