package io.rxe.qp.context;

import io.rxe.port.EngineThread;

/**
 * Completion rings that got a completion since their channels were last notified. The arming of a queue is checked once for a batch of
 * completions instead of for each. A list through the rings themselves: adding one needs no memory.
 *
 * <p>Owned by the engine thread.
 */
public final class PendingNotifications {
    private final EngineThread thread;
    private CompletionRing first;
    private CompletionRing last;

    /** @param thread where an exception of a listener is reported. */
    public PendingNotifications(EngineThread thread) {
        this.thread = thread;
    }

    /** A ring got its first completion since its channel was last notified. */
    void add(CompletionRing ring) {
        if (first == null) {
            first = ring;
        } else {
            last.nextPending(ring);
        }
        last = ring;
    }

    /** Whether any channel may have to be notified. */
    public boolean isWaiting() {
        return first != null;
    }

    /** Notifies the channels of armed queues but those that wait until received messages are acknowledged; as {@link #notifyChannels}. */
    public void notifyBeforeAcknowledging() {
        CompletionRing keptFirst = null;
        CompletionRing keptLast = null;
        boolean goesOn = true;
        while (first != null && goesOn) {
            CompletionRing ring = take();
            if (!ring.isNotifiedAfterAcknowledging()) {
                goesOn = notifyChannel(ring);
            } else if (keptFirst == null) {
                keptFirst = ring;
                keptLast = ring;
            } else {
                keptLast.nextPending(ring);
                keptLast = ring;
            }
        }
        if (keptFirst != null) {
            keptLast.nextPending(first);
            last = first == null ? keptLast : last;
            first = keptFirst;
        }
    }

    /**
     * Notifies the channels of armed queues, also for completions that a listener causes meanwhile. Reports a listener that throws. A
     * channel that has no memory for the notification is tried again with the next call, and those behind it too.
     */
    public void notifyChannels() {
        boolean goesOn = true;
        while (first != null && goesOn) {
            goesOn = notifyChannel(take());
        }
    }

    private CompletionRing take() {
        CompletionRing ring = first;
        first = ring.nextPending();
        ring.nextPending(null);
        return ring;
    }

    /** False when there is no memory. */
    private boolean notifyChannel(CompletionRing ring) {
        try {
            ring.notifyChannel();
            return true;
        } catch (Throwable fault) {
            boolean goesOn = !ring.restoreNotification();
            thread.report("the listener of a completion channel", fault);
            return goesOn;
        }
    }
}
