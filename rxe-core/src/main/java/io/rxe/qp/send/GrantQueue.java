package io.rxe.qp.send;

/**
 * Those that wait for a grant, the oldest first, each at most once. A list through the entries themselves, as {@link io.rxe.qp.ReadyQueue}
 * is: adding one needs no memory, so where the heap is used up nobody is forgotten.
 *
 * <p>Owned by the engine thread.
 *
 * @param <E> what waits.
 */
final class GrantQueue<E extends GrantQueue.Entry<E>> {
    private E first;
    private E last;
    private int size;

    /** The place of one that may wait, which extends it. */
    static class Entry<E> {
        E before;
        E behind;
        /** By how much its last grant was longer than usual: as much is for others before the next one. */
        private long aheadBytes;

        boolean isAhead() {
            return aheadBytes > 0;
        }

        /** Its turn has come. Returns whether it lets those behind it go first, rather than take a grant. */
        boolean passes(long usualBytes, long grantBytes, boolean isAlone) {
            if (!isAhead() || isAlone) {
                aheadBytes = Math.max(0, grantBytes - usualBytes);
                return false;
            }
            aheadBytes -= usualBytes;
            return true;
        }
    }

    /** Adds one that does not wait. */
    void add(E entry) {
        entry.before = last;
        if (last == null) {
            first = entry;
        } else {
            last.behind = entry;
        }
        last = entry;
        size++;
    }

    void remove(E entry) {
        if (entry.before == null) {
            first = entry.behind;
        } else {
            entry.before.behind = entry.behind;
        }
        if (entry.behind == null) {
            last = entry.before;
        } else {
            entry.behind.before = entry.before;
        }
        entry.before = null;
        entry.behind = null;
        size--;
    }

    /** Takes the oldest; only where one waits. */
    E poll() {
        E oldest = first;
        remove(oldest);
        return oldest;
    }

    /** The oldest; null when none waits. */
    E peek() {
        return first;
    }

    boolean isEmpty() {
        return first == null;
    }

    int size() {
        return size;
    }
}
