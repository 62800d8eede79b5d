package io.rxe.time;

import java.util.Arrays;

/**
 * Holds at most one deadline for each of many owners and returns the earliest. A binary heap whose entries know their position: moving
 * or removing one costs O(log n), and owners without a deadline cost nothing.
 *
 * <p>Owned by one engine thread. Allocates only when it grows; {@link #reserve} does that beforehand.
 */
public final class DeadlineQueue {
    public static final long NONE = Long.MAX_VALUE;

    private Entry[] heap = new Entry[64];
    private int size;

    /** The deadline of one owner, which extends or holds it. */
    public static class Entry {
        private long deadlineNs = NONE;
        private int position = -1;

        /** The deadline in nanoseconds, or {@link #NONE}. */
        public final long deadlineNs() {
            return deadlineNs;
        }
    }

    /** Makes room for as many owners, so that {@link #set} needs no memory. */
    public void reserve(int owners) {
        if (owners > heap.length) {
            heap = Arrays.copyOf(heap, Math.max(owners, 2 * heap.length));
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

    /** Removes an entry; no effect when it is not in the queue. */
    public void remove(Entry entry) {
        int position = entry.position;
        entry.deadlineNs = NONE;
        if (position < 0) {
            return;
        }
        entry.position = -1;
        Entry last = heap[--size];
        heap[size] = null;
        if (last != entry) {
            heap[position] = last;
            last.position = position;
            siftDown(siftUp(position));
        }
    }

    /** The earliest deadline, or {@link #NONE}. */
    public long earliestNs() {
        return size == 0 ? NONE : heap[0].deadlineNs;
    }

    /** Removes and returns an entry whose deadline is not after {@code nowNs}; null when there is none. */
    public Entry pollDue(long nowNs) {
        if (size == 0 || heap[0].deadlineNs > nowNs) {
            return null;
        }
        Entry due = heap[0];
        remove(due);
        return due;
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
