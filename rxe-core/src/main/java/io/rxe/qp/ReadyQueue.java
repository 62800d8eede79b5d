package io.rxe.qp;

/**
 * Queue pairs that wait for a timeslice, oldest first, each at most once. A list through the queue pairs themselves: adding one needs no
 * memory, so an engine whose heap is used up forgets none.
 *
 * <p>Owned by the engine thread.
 */
public final class ReadyQueue {
    private QueuePairTasks first;
    private QueuePairTasks last;
    private int size;

    /** Adds a queue pair; no effect when it waits already. */
    public void add(QueuePairTasks queuePair) {
        if (queuePair.isReady()) {
            return;
        }
        queuePair.ready(true);
        if (first == null) {
            first = queuePair;
        } else {
            last.nextReady(queuePair);
        }
        last = queuePair;
        size++;
    }

    /** Takes the oldest; null when none waits. */
    public QueuePairTasks poll() {
        QueuePairTasks taken = first;
        if (taken != null) {
            first = taken.nextReady();
            taken.nextReady(null);
            taken.ready(false);
            size--;
        }
        return taken;
    }

    public boolean isEmpty() {
        return first == null;
    }

    public int size() {
        return size;
    }
}
