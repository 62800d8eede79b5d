package io.rxe.time;

import java.util.Arrays;

/**
 * Holds at most one deadline for each of many owners and answers the earliest: a binary heap that knows where each entry stands, so
 * moving or removing one costs a few steps, and owners without a deadline cost nothing.
 *
 * <p>Owned by one engine thread. Allocates only when it grows.
 */
public final class DeadlineQueue {
    /** No deadline. */
    public static final long NONE = Long.MAX_VALUE;

    private Entry[] heap = new Entry[64];
    private int size;

    /** A place in the queue. Every owner extends or holds one. */
    public static class Entry {
        private long deadlineNs = NONE;
        private int position = -1;

        /** When it is due, or {@link #NONE}. */
        public final long deadlineNs() {
            return deadlineNs;
        }
    }

    /** Sets, moves or (with {@link #NONE}) removes an entry's deadline. */
    public void set(Entry entry, long deadlineNs) {
        if (deadlineNs == NONE) {
            remove(entry);
            return;
        }
        if (entry.position < 0) {
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, 2 * size);
            }
            entry.position = size;
            heap[size++] = entry;
        }
        entry.deadlineNs = deadlineNs;
        siftDown(siftUp(entry.position));
    }

    /** Takes an entry out; it need not be in. */
    public void remove(Entry entry) {
        int hole = entry.position;
        entry.deadlineNs = NONE;
        if (hole < 0) {
            return;
        }
        entry.position = -1;
        Entry last = heap[--size];
        heap[size] = null;
        if (last != entry) {
            heap[hole] = last;
            last.position = hole;
            siftDown(siftUp(hole));
        }
    }

    /** The earliest deadline, or {@link #NONE}. */
    public long earliestNs() {
        return size == 0 ? NONE : heap[0].deadlineNs;
    }

    /** Takes out and answers an entry whose deadline has come, or null. */
    public Entry pollDue(long nowNs) {
        if (size == 0 || heap[0].deadlineNs > nowNs) {
            return null;
        }
        Entry due = heap[0];
        remove(due);
        return due;
    }

    /** Entries with a deadline. */
    public int size() {
        return size;
    }

    private int siftUp(int from) {
        Entry entry = heap[from];
        int position = from;
        while (position > 0) {
            int parent = (position - 1) >>> 1;
            if (heap[parent].deadlineNs <= entry.deadlineNs) {
                break;
            }
            place(heap[parent], position);
            position = parent;
        }
        place(entry, position);
        return position;
    }

    private void siftDown(int from) {
        Entry entry = heap[from];
        int position = from;
        while (true) {
            int child = 2 * position + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && heap[child + 1].deadlineNs < heap[child].deadlineNs) {
                child++;
            }
            if (entry.deadlineNs <= heap[child].deadlineNs) {
                break;
            }
            place(heap[child], position);
            position = child;
        }
        place(entry, position);
    }

    private void place(Entry entry, int position) {
        heap[position] = entry;
        entry.position = position;
    }
}
